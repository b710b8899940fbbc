package cost

import (
	"math"
	"testing"

	"dsac/passes"
	"dsac/passes/cases"
	"dsac/runtime/plan"
)

// The work of cases that can be counted by hand.
func TestWorkOfCases(t *testing.T) {
	list, err := cases.List()
	if err != nil {
		t.Fatal(err)
	}
	p, err := passes.CompileCases(list, passes.Options{Target: "sm_90", Ctx: cases.Ctx, Chunk: 2048, KV: "f16", Bare: true})
	if err != nil {
		t.Fatal(err)
	}
	const q4 = 144.0 / 256 // bytes per weight; packed as much
	for _, c := range []struct {
		name                  string
		weights, state, flops float64
	}{
		{"matmul/q4_k/154880x6144/T1", 154880 * 6144 * q4, 0, 2 * 154880 * 6144},
		{"matmul/q4_k/12288x6144/T512", 12288 * 6144 * q4, 0, 2 * 512 * 12288 * 6144},
		{"gate_up/q4_k/12288x6144/T1", 2 * 12288 * 6144 * q4, 0, 4 * 12288 * 6144},
		{"experts_gate_up/q4_k/T1", 8 * 2 * 2048 * 6144 * q4, 0, 8 * 4 * 2048 * 6144},
		{"experts_down/q4_k/T1", 8 * 2048 * 6144 * q4, 0, 8 * 2 * 2048 * 6144},
		{"experts_down/q4_k/T2", (256 - 248*248.0/256) * 2048 * 6144 * q4, 0, 2 * 8 * 2 * 2048 * 6144},
		{"attend/T1/L131072", 0, 2048 * 576 * 2, 2 * 64 * 2048 * (2*512 + 64)},
		{"index/T1/L4096", 0, 4096 * 128 * 2, 2 * 32 * 128 * 4096},
		{"index/T1/L131072", 0, 131072 * 128 * 2, 2 * 32 * 128 * 131072},
		{"rmsnorm/6144/T1", 6144 * 4, 0, 0},
	} {
		w, ok := workOf(p, c.name)
		if !ok {
			t.Errorf("no case %s", c.name)
			continue
		}
		for _, x := range []struct {
			what      string
			got, want float64
		}{{"weights", w.Weights, c.weights}, {"state", w.State, c.state}, {"flops", w.Flops, c.flops}} {
			if math.Abs(x.got-x.want) > 1e-6*x.want {
				t.Errorf("%s: %s %v, want %v", c.name, x.what, x.got, x.want)
			}
		}
	}
}

func workOf(p *plan.Plan, name string) (w Work, ok bool) {
	for i := range p.Entries {
		e := &p.Entries[i]
		if p.Str(e.Name) != name {
			continue
		}
		length, _ := p.IntAttr(p.EntrySteps(e)[0].Attrs, passes.CaseLen)
		at := plan.Point{N: int64(e.Rows), Pos: length - int64(e.Rows), Len: length}
		for s := e.Steps.Off; s < e.Steps.Off+e.Steps.Len; s++ {
			w = w.Add(Of(p, int32(s), at))
		}
		return w, true
	}
	return w, false
}

func TestFitFindsTheLaw(t *testing.T) {
	const rate = 4e12
	law := Model{Launch: 2.5, Part: 0.8}
	samples := []Sample{{Kind: "matmul", Launches: 10, Bytes: 500e6}, {Kind: "gate_up", Launches: 4, Bytes: 30e6}, {Kind: "head_matmul", Launches: 12, Bytes: 90e6}}
	for i := range samples {
		s := &samples[i]
		s.Micros = law.Micros(s.Kind, int(s.Launches), s.Bytes, rate)
	}
	samples = append(samples, Sample{Kind: "rope", Launches: 20, Bytes: 1e5, Micros: 30})
	got, ok := Fit(samples, rate)
	if !ok || math.Abs(got.Launch-2.5) > 1e-6 || math.Abs(got.Part-0.8) > 1e-6 {
		t.Errorf("fit %+v %v, want %+v", got, ok, law)
	}
	if us := got.Micros("rope", 4, 0, rate); us != 6 {
		t.Errorf("4 launches of a small kind take %v us, want 6", us)
	}
	if us := got.Micros("unknown", 2, 0, rate); math.Abs(us-5) > 1e-6 {
		t.Errorf("2 launches of an unknown kind take %v us, want 5", us)
	}
	samples[0].Micros *= 1.2 // the law fits no more, the samples are met all the same
	got, ok = Fit(samples, rate)
	for _, s := range samples {
		if us := got.Micros(s.Kind, int(s.Launches), s.Bytes, rate); !ok || math.Abs(us-s.Micros) > 1e-6*s.Micros {
			t.Errorf("%s: %v us, measured %v", s.Kind, us, s.Micros)
		}
	}
	if m, ok := Fit(samples[:1], rate); ok {
		t.Errorf("one sample gives %+v", m)
	}
	if m, ok := Fit(nil, rate); ok {
		t.Errorf("no sample gives %+v", m)
	}
}

func TestBlocksPerSM(t *testing.T) {
	for _, c := range []struct {
		target                     string
		threads, registers, shared int
		want                       int
		bound                      string
	}{
		{"sm_120", 256, 32, 0, 6, "threads"},
		{"sm_120", 256, 128, 0, 2, "registers"},
		{"sm_120", 256, 64, 49 << 10, 2, "shared memory"},
		{"sm_120", 32, 16, 0, 24, "blocks"},
		{"sm_120a", 256, 255, 96768, 1, "registers"},
		{"sm_90", 256, 128, 96768, 2, "registers"},
		{"sm_90", 1024, 32, 65536, 2, "threads"},
	} {
		l, err := LimitsOf(c.target)
		if err != nil {
			t.Fatal(err)
		}
		if n, bound := l.Blocks(c.threads, c.registers, c.shared); n != c.want || bound != c.bound {
			t.Errorf("%s, %d threads, %d registers, %d bytes: %d blocks by %s, want %d by %s", c.target, c.threads, c.registers, c.shared, n, bound, c.want, c.bound)
		}
	}
	if _, err := LimitsOf("host"); err == nil {
		t.Error("the host has multiprocessors")
	}
}
