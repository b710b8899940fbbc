package codegen

import (
	"fmt"
	"strings"
)

// Target is a GPU that kernels are made for.
type Target struct {
	Name   string // of the .target line
	SM     int    // compute capability times ten
	PTX    string // of the .version line: the first that has all that kernels use
	Shared int    // largest shared memory of a block, static and dynamic, in bytes
	PDL    bool   // has griddepcontrol
}

// Targets are the GPUs that kernels can be made for.
var Targets = []Target{
	{Name: "sm_80", SM: 80, PTX: "7.5", Shared: 166912},
	{Name: "sm_90", SM: 90, PTX: "7.8", Shared: 232448, PDL: true},
	{Name: "sm_120", SM: 120, PTX: "8.7", Shared: 101376, PDL: true},
	{Name: "sm_120a", SM: 120, PTX: "8.7", Shared: 101376, PDL: true},
}

// StaticShared is the largest static shared memory of a kernel on any target, in bytes; more
// has to be dynamic.
const StaticShared = 48 << 10

// FindTarget returns the target with that name.
func FindTarget(name string) (*Target, error) {
	var names []string
	for i := range Targets {
		if Targets[i].Name == name {
			return &Targets[i], nil
		}
		names = append(names, Targets[i].Name)
	}
	return nil, fmt.Errorf("no GPU target is named %q, want one of %s", name, strings.Join(names, ", "))
}
