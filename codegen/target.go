package codegen

import "dsac/codegen/ptx"

// Target is a GPU that kernels are made for. The table is ptx.Targets.
type Target struct{ ptx.Target }

// FindTarget returns the target with that name.
func FindTarget(name string) (*Target, error) {
	t, err := ptx.TargetNamed(name)
	if err != nil {
		return nil, err
	}
	return &Target{t}, nil
}

// Clusters says whether blocks may share their shared memory.
func (t *Target) Clusters() bool { return t.SM >= ptx.ClusterSM }

// PDL says whether kernels may wait for the ones that they depend on (griddepcontrol).
func (t *Target) PDL() bool { return t.SM >= 90 }
