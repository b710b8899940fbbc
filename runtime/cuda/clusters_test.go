package cuda

import (
	"context"
	"strings"
	"testing"
)

// What the driver would refuse at a launch is said when the plan is loaded.
func TestClustersAreCheckedAtLoad(t *testing.T) {
	for _, c := range []struct {
		name     string
		clusters bool // the GPU has them
		blocks   uint32
		want     string
	}{
		{"fits", true, 4, ""},
		{"many rows", true, 12, ""},
		{"an old GPU", false, 4, "kernel add: it runs in clusters of 4 blocks, which GPU 0 (Fake, sm_90) does not launch: compile the plan with --target sm_80"},
		{"a grid that they do not fill", true, 6, "kernel add: a grid of 6 blocks along x for step y is no multiple of the 4 blocks of a cluster"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := toyPlan(t)
			for i := range p.Launches {
				if l := &p.Launches[i]; p.Str(p.Kernels[l.Kernel].Name) == "add" {
					l.Grid[0] = c.blocks
				}
			}
			f := newFake()
			f.fours, f.info.Clusters = "add", c.clusters
			w, _ := toyWeights()
			d, err := load(context.Background(), f, p, w, Options{})
			if err == nil {
				err = d.Close()
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
