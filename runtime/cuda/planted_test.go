package cuda

import (
	"context"
	"slices"
	"strings"
	"testing"

	"dsac/runtime/check"
	"dsac/runtime/host"
	"dsac/runtime/plan"
)

// addPlan is the toy with the host's op in place of its own: a = x + x.
func addPlan(t testing.TB) *plan.Plan {
	t.Helper()
	text := strings.NewReplacer("kernel=scale", "kernel=add", "kind=scale r=x[0:256*n]", "kind=add r=x[0:256*n],x[0:256*n]").Replace(toyText)
	p, err := plan.Parse("toy.plan.txt", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	setPTX(p, toyPTX)
	return p
}

// checked is a device whose steps are compared with the host's.
type checked struct{ d *Device }

func (c checked) Name() string { return c.d.drv.gpu().String() }

func (c checked) Step(s *check.Step) ([]check.Finding, error) {
	var patches []Patch
	for i := range s.Pieces {
		p := &s.Pieces[i]
		for _, x := range p.Near {
			patches = append(patches, Patch{Region: p.Region, Off: p.Off + uint64(x.Lo), Data: p.Data[x.Lo:x.Hi]})
		}
	}
	return nil, c.d.Single(context.Background(), s.Index, patches)
}

// wrongKernels are faults that the device's code or plan may have and the host's has not, in
// step y of entry prefill, and what a check of that entry with four rows must find.
var wrongKernels = []struct {
	name  string
	plant func(p *plan.Plan, y *plan.Step)
	kinds []check.Kind // in the order of the findings
}{
	{"no fault", func(*plan.Plan, *plan.Step) {}, nil},
	{"a wrong scale", func(p *plan.Plan, y *plan.Step) {
		k := p.Kernels[p.Launches[y.Launch].Kernel]
		p.Strings = append(p.Strings, "scaled_add")
		k.Name = plan.Str(len(p.Strings) - 1)
		p.Kernels = append(p.Kernels, k)
		p.Launches[y.Launch].Kernel = int32(len(p.Kernels) - 1)
	}, []check.Kind{check.Differs}},
	{"an output pointer to another buffer", func(p *plan.Plan, y *plan.Step) {
		ops := p.Ops(y)
		ops[2].Buf = ops[1].Buf
	}, []check.Kind{check.Outside, check.Unwritten}},
	{"unwritten tail rows", func(p *plan.Plan, y *plan.Step) { p.Launches[y.Launch].Grid[0]-- }, []check.Kind{check.Unwritten}},
}

// testWrongKernels checks devices that load makes of plans with faults against the host with
// the sound one.
func testWrongKernels(t *testing.T, load func(t *testing.T, p *plan.Plan) *Device) {
	sound := addPlan(t)
	w, _ := toyWeights()
	h, err := host.Load(sound, w, host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range wrongKernels {
		t.Run(c.name, func(t *testing.T) {
			p := addPlan(t)
			e := &p.Entries[1]
			y := int(e.Steps.Off) + slices.IndexFunc(p.EntrySteps(e), func(s plan.Step) bool { return p.Str(s.Name) == "y" })
			c.plant(p, &p.Steps[y])
			k, err := check.New(sound, h, checked{load(t, p)}, check.Options{Tol: func(string) (float64, float64) { return 0, 1e-6 }, From: "y", PerKernel: 1})
			if err != nil {
				t.Fatal(err)
			}
			h.Reset()
			if err := k.Run(context.Background(), 1, []int32{3, 1, 4, 1}); err != nil {
				t.Fatal(err)
			}
			r := k.Report()
			var kinds []check.Kind
			for _, f := range r.Findings {
				if f.Step == "y" {
					kinds = append(kinds, f.Kind)
				} else {
					t.Errorf("found in step %s: %s", f.Step, &f)
				}
			}
			if !slices.Equal(kinds, c.kinds) {
				t.Errorf("found %v, want %v of step y: %v", kinds, c.kinds, r.Findings)
			}
		})
	}
}

func TestCheckFindsWrongKernels(t *testing.T) {
	testWrongKernels(t, func(t *testing.T, p *plan.Plan) *Device {
		d, _ := loadFake(t, p, Options{})
		return d
	})
}
