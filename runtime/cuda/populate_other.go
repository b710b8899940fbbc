//go:build !linux

package cuda

func populate([]byte) {}
