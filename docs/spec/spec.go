// Package spec holds the specifications that programs print parts of. It must not import
// anything of this module.
package spec

import _ "embed"

// AliasFaults is the catalogue of plan faults: definitions, example plans, public cases.
//
//go:embed alias-faults.md
var AliasFaults string
