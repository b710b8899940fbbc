package main

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"dsac/models/synth"
	"dsac/passes/mutate"
	"dsac/runtime/gguf"
	"dsac/runtime/host"
	"dsac/runtime/plan"
)

// hostMutants is how many broken plans of each model are run.
const hostMutants = 100

// TestMutantsOnTheHost runs broken plans with poisoned scratch: one whose logits differ from
// those of the sound plan, or that poison stops, must have been reported by the lint, and one
// that the tags call harmless must give the same logits bit for bit.
func TestMutantsOnTheHost(t *testing.T) {
	for _, o := range []synth.Options{{Geometry: "tiny", Quant: "q8_0", Seed: 5}, {Geometry: "tiny-shared", Quant: "q8_0", Seed: 6}} {
		t.Run(o.Geometry, func(t *testing.T) {
			path := writeSynth(t, o)
			p := compileSmall(t, path, "", nil)
			f, err := gguf.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			run := &poisonRun{weights: host.File(f), entries: []int{entryOf(t, p, 16), entryOf(t, p, 1)}, ids: prompt(o.Seed, 16+2, p.MetaInt(plan.MetaVocab))}
			sound, err := run.logits(p)
			if err != nil {
				t.Fatal(err)
			}
			var refused, stopped, differ, equal, missed, harmless int
			each := func(m *mutate.Mutant) {
				if m.Harmless {
					harmless++
				}
				got, err := run.logits(m.Plan)
				switch {
				case err != nil && !run.loaded:
					refused++
					return
				case err != nil:
					stopped++
				case !sameBits(got, sound):
					differ++
					err = fmt.Errorf("other logits")
				default:
					equal++
					return
				}
				if !m.Reported {
					missed++
					t.Errorf("%s is not reported: %v\n%s", m.Operator, err, m.Diff())
				}
				if m.Harmless {
					t.Errorf("%s is harmless by its tags: %v\n%s", m.Operator, err, m.Diff())
				}
			}
			_, err = mutate.Campaign([]mutate.Subject{{Name: o.Geometry, Plan: p, Entries: run.entries}},
				mutate.Options{Mutants: hostMutants, Seed: 1, Judge: true, Each: each})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d mutants: refused at load %d, stopped by an error or poison %d, other logits %d, equal logits %d; harmless by tags %d; not reported %d",
				hostMutants, refused, stopped, differ, equal, harmless, missed)
			if stopped == 0 || differ < hostMutants/10 || equal < hostMutants/10 || harmless == 0 {
				t.Error("too few mutants of one kind: the test shows nothing")
			}
		})
	}
}

// entryOf returns the entry for steps of that many rows.
func entryOf(t *testing.T, p *plan.Plan, rows uint32) int {
	t.Helper()
	e := slices.IndexFunc(p.Entries, func(e plan.Entry) bool { return e.Rows == rows })
	if e < 0 {
		t.Fatalf("the plan has no entry of %d rows", rows)
	}
	return e
}

// poisonRun runs plans of one model on one prompt: a prefill that fills its entry, then a
// decode step per remaining token.
type poisonRun struct {
	weights host.Weights
	entries []int // prefill, decode
	ids     []int32
	loaded  bool // the last plan was accepted by host.Load
}

// logits returns those of all rows, or what stopped the run.
func (r *poisonRun) logits(p *plan.Plan) ([]float32, error) {
	d, err := host.Load(p, r.weights, host.Options{Workers: 1, Poison: true})
	if r.loaded = err == nil; err != nil {
		return nil, err
	}
	defer d.Close()
	var out []float32
	for ids := r.ids; len(ids) > 0; {
		e := r.entries[0]
		if len(ids) < len(r.ids) {
			e = r.entries[1]
		}
		n := int(p.Entries[e].Rows)
		copy(d.IDs(), ids[:n])
		if err := d.Run(e, n); err != nil {
			return nil, err
		}
		for row := range n {
			out = append(out, d.Logits(e, row)...)
		}
		ids = ids[n:]
	}
	return out, nil
}

// sameBits says whether two lists are equal bit for bit.
func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}
