//go:build unix && !linux

package plan

const mapPopulate = 0
