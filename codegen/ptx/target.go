package ptx

import (
	"fmt"
	"strings"
)

// Target is one GPU architecture that kernels are checked for.
type Target struct {
	Name        string
	SM          int // compute capability times ten
	SharedBlock int // most shared memory of one block, static and dynamic together, in bytes
	SMs         int // multiprocessors of the largest device, which grids are sized for
	PTX         string
}

// StaticShared is the most static shared memory of one entry on any target, in bytes.
const StaticShared = 48 << 10

// Targets is the table of supported targets.
var Targets = []Target{
	{"sm_80", 80, 166912, 108, "7.1"},
	{"sm_90", 90, 232448, 132, "7.8"},
	{"sm_120", 120, 101376, 188, "8.7"},
	{"sm_120a", 120, 101376, 188, "8.7"},
}

// TargetNamed returns the row of the target.
func TargetNamed(name string) (Target, error) {
	var names []string
	for _, t := range Targets {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return Target{}, fmt.Errorf("ptx: unknown target %q: known are %s", name, strings.Join(names, ", "))
}
