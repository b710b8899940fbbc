//go:build cuda

package cuda

import (
	_ "embed"
	"strings"
	"testing"

	"dsac/runtime/plan"
)

//go:embed testdata/cluster.ptx
var clusterPTX []byte

// clusterToy is the toy plan with two kernels in clusters of four blocks, one of which starts
// early, and is followed by others that do.
func clusterToy(t testing.TB) *plan.Plan {
	t.Helper()
	p := toyPlan(t)
	setMeta(p, plan.MetaTarget, "sm_90")
	const first, of = "mov.u32 %j, %tid.x;\n\tsetp.ne.u32", "ld.param.u64 %ids, [p0];\n\tld.param.u64 %w"
	setPTX(p, []byte(strings.NewReplacer(".version 7.0", ".version 7.8", ".target sm_80", ".target sm_90",
		first, "griddepcontrol.wait;\n\tgriddepcontrol.launch_dependents;\n\t"+first, of, "griddepcontrol.launch_dependents;\n\t"+of).Replace(string(toyPTX))))
	toys := p.Kernels[0].PTX
	setPTX(p, clusterPTX)
	for i := range p.Launches {
		l := &p.Launches[i]
		k := &p.Kernels[l.Kernel]
		switch p.Str(k.Name) {
		case "append", "add":
			l.Grid[0] *= 4
		default:
			k.PTX = toys
		}
	}
	for i := range p.Steps {
		switch p.Str(p.Steps[i].Op) {
		case "append", "add", "sample", "advance":
			p.Steps[i].Flags |= plan.PDL | plan.GW
		}
	}
	if err := plan.Verify(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// needClusters skips a test on a GPU that has none.
func needClusters(t testing.TB) {
	t.Helper()
	needGPU(t)
	if s := Probe(); len(s.GPUs) > 0 && s.GPUs[0].Major < 9 {
		t.Skipf("%s has no clusters", &s.GPUs[0])
	}
}

// The driver tells the size from the kernel's code, and what it would refuse at a launch is said
// at load.
func TestGPUClustersAreChecked(t *testing.T) {
	needClusters(t)
	p := clusterToy(t)
	for i := range p.Launches {
		if l := &p.Launches[i]; p.Str(p.Kernels[l.Kernel].Name) == "add" {
			l.Grid[0] += 2
		}
	}
	w, _ := toyWeights()
	d, err := Load(p, w, Options{})
	if err == nil {
		err = d.Close()
	}
	if want := "kernel add: a grid of 6 blocks along x for step y is no multiple of the 4 blocks of a cluster"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestGPUClusters(t *testing.T) {
	needClusters(t)
	for _, c := range []struct {
		name string
		opt  Options
	}{{"graph", Options{}}, {"steps", Options{Steps: true}}} {
		t.Run(c.name, func(t *testing.T) {
			d := loadGPU(t, clusterToy(t), c.opt)
			if got := early(d.entries[0].graph); d.early && len(got) != 3 {
				t.Errorf("early edges %v, want 3", got)
			}
			for range 20 {
				d.Reset()
				checkToy(t, d, toyPrompt, generate(t, d, toyPrompt, 8))
			}
			if err := heldAgainstPlan(t, d, d.entries[0].graph); err != nil {
				t.Error(err)
			}
		})
	}
}
