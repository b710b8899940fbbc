package kernels

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"dsac/codegen"
	"dsac/codegen/emu"
	"dsac/codegen/ptx"
	"dsac/ir"
	"dsac/ir/ops"
	"dsac/runtime/plan"
	"dsac/runtime/quant"
	"dsac/runtime/ref"
	"dsac/runtime/sample"
)

func samplerBytes(p sample.Params) []byte {
	b := make([]byte, plan.SmpSize)
	le := binary.LittleEndian
	f := func(at int, x float32) { le.PutUint32(b[at:], math.Float32bits(x)) }
	f(plan.SmpTemp, p.Temperature)
	f(plan.SmpTopP, p.TopP)
	f(plan.SmpMinP, p.MinP)
	f(plan.SmpPenalty, p.Repeat)
	le.PutUint32(b[plan.SmpTopK:], uint32(p.TopK))
	le.PutUint64(b[plan.SmpSeed:], p.Seed)
	return b
}

// choiceSpecs are the kernels of a choice, in order.
func choiceSpecs(rows, vocab int) []codegen.Spec {
	blocks := sample.Blocks(vocab)
	u64 := func(n int) codegen.OperandSpec { return typed("u8", 8*n) }
	logits, params, mask, hist := dense(rows, vocab), typed("u8", plan.SmpSize), typed("u8", vocab), typed("i32", vocab)
	peaks, masses := u64(blocks), u64(sample.Buckets)
	kept, list := u64(sample.Kept*(1+blocks)), u64(sample.Block*blocks)
	specs := []codegen.Spec{
		{Op: "sample_peaks", Operands: operands(logits, params, mask, hist, peaks, masses)},
		{Op: "sample_masses", Operands: operands(logits, params, mask, hist, peaks, masses)},
		{Op: "sample_sift", Operands: operands(logits, params, mask, hist, peaks, masses, kept, list)},
		{Op: "sample_draw", Operands: operands(logits, params, mask, peaks, kept, list, hist, typed("u8", plan.CtlError-plan.CtlRNG))},
	}
	for i := range specs {
		specs[i].Rows = rows
	}
	return specs
}

// modes of choice: each restriction alone and together.
var choiceModes = []sample.Params{
	sample.Greedy(),
	{TopP: 1, Repeat: 1.3},
	{Temperature: 0.8, TopP: 1, Repeat: 1, Seed: 42},
	{Temperature: 1, TopK: 40, TopP: 1, Repeat: 1, Seed: 7},
	{Temperature: 0.7, TopP: 0.95, Repeat: 1, Seed: 3},
	{Temperature: 1, MinP: 0.05, TopP: 1, Repeat: 1, Seed: 3},
	{Temperature: 1.5, TopK: 777, TopP: 0.9, MinP: 0.01, Repeat: 1.2, Seed: 1 << 40},
	{Temperature: 1, TopK: 1 << 30, TopP: 0.5, Repeat: 1, Seed: 6},
	{Temperature: 1e-6, TopP: 0.5, MinP: 1, Repeat: 1, Seed: 6},
	{Temperature: 1000, TopP: 0.99, Repeat: 1, Seed: 9},
}

// choiceRows are logits by kind.
var choiceRows = []struct {
	name string
	make func(r *quant.Rand, n int) []byte
}{
	{"normal", nil},
	{"coarse", func(r *quant.Rand, n int) []byte { return coarse(dense(1, n), r, false) }},
	{"equal", func(r *quant.Rand, n int) []byte { return f32s(slices.Repeat([]float32{-7}, n)) }},
	{"mostly minus infinity", func(r *quant.Rand, n int) []byte {
		xs := slices.Repeat([]float32{float32(math.Inf(-1))}, n)
		xs[n-1] = -math.MaxFloat32
		return f32s(xs)
	}},
	{"all minus infinity", func(r *quant.Rand, n int) []byte { return f32s(slices.Repeat([]float32{float32(math.Inf(-1))}, n)) }},
	{"huge", func(r *quant.Rand, n int) []byte {
		xs := make([]float32, n)
		for i := range xs {
			xs[i] = []float32{-math.MaxFloat32, math.MaxFloat32, 0, 1e-45}[r.Uint64()%4]
		}
		return f32s(xs)
	}},
	{"hostile", func(r *quant.Rand, n int) []byte { return coarse(dense(1, n), r, true) }},
}

// TestSample: kernel by kernel the parts of a choice are what runtime/sample says, and the token
// is the host's sampler's, or -1 where that has none.
func TestSample(t *testing.T) {
	for _, c := range []struct {
		rows, vocab, n int
	}{{1, 3000, 1}, {1, 1025, 9}, {3, 40, 2}} {
		set, specs := compileChoice(t, c.rows, c.vocab)
		for kind, row := range choiceRows {
			for i, p := range choiceModes {
				if c.vocab > 2000 && i%3 != kind%3 && row.make != nil { // the emulator takes its time
					continue
				}
				t.Run(fmt.Sprintf("%d of %d %s %+v", c.n, c.vocab, row.name, p), func(t *testing.T) {
					x := newChoiceRun(c.rows, c.vocab, p, row.make, uint64(i))
					x.run(t, set, specs, step{c.n, 70 + i})
				})
			}
		}
	}
}

// TestSampleLongLists: most ids are in the bucket where the choice ends.
func TestSampleLongLists(t *testing.T) {
	const vocab = 5000
	set, specs := compileChoice(t, 1, vocab)
	for _, row := range choiceRows[1:3] {
		for _, p := range []sample.Params{
			{Temperature: 1, TopP: 0.77, Repeat: 1, Seed: 3},
			{Temperature: 1, TopK: 3500, TopP: 0.9, MinP: 0.01, Repeat: 1, Seed: 3},
		} {
			t.Run(fmt.Sprintf("%s %+v", row.name, p), func(t *testing.T) {
				newChoiceRun(1, vocab, p, row.make, 1).run(t, set, specs, step{1, 5})
			})
		}
	}
}

// compileChoice compiles the kernels of a choice and has the checker look at each.
func compileChoice(t *testing.T, rows, vocab int) (*Set, []codegen.Spec) {
	t.Helper()
	var trials []trial
	for _, s := range choiceSpecs(rows, vocab) {
		trials = append(trials, trial{spec: s, unread: "masses"})
	}
	set := compileTrials(t, "sm_120", trials)
	specs := make([]codegen.Spec, len(trials))
	for i := range trials {
		specs[i] = trials[i].spec
		if u := set.Entries[i].Usage; u.SpillLoad+u.SpillStore > 0 {
			t.Errorf("%s spills registers: %+v", set.Entries[i].Name, u)
		}
		trials[i].analyze(t, set.Entries[i].Does)
	}
	return set, specs
}

// choiceRun is the memory of a choice, by operand name: the kernels', and the reference's.
type choiceRun struct {
	bufs map[string]*emu.Buffer
	want map[string][]byte
}

func newChoiceRun(rows, vocab int, p sample.Params, make func(r *quant.Rand, n int) []byte, seed uint64) *choiceRun {
	x := &choiceRun{map[string]*emu.Buffer{}, map[string][]byte{}}
	r := quant.NewRand(seed)
	random := trial{}
	logits := random.data("logits", dense(rows, vocab), step{}, r)
	if make != nil {
		logits = nil
		for range rows {
			logits = append(logits, make(r, vocab)...)
		}
	}
	mask, hist := slices.Repeat([]byte{0}, vocab), slices.Repeat([]byte{0}, 4*vocab)
	for i := range vocab {
		mask[i] = byte(max(0, int(r.Uint64()%9)-7))
		hist[4*i] = byte(max(0, int(r.Uint64()%5)-3))
	}
	for name, b := range map[string][]byte{"logits": logits, "params": samplerBytes(p), "mask": mask, "hist": hist} {
		x.bufs[name], x.want[name] = emu.BufferOf(name, slices.Clone(b)), b
	}
	return x
}

func (x *choiceRun) run(t *testing.T, set *Set, specs []codegen.Spec, st step) {
	t.Helper()
	for i := range specs {
		s, e := &specs[i], &set.Entries[i]
		k, err := emu.Compile(set.Module, e.Name)
		if err != nil {
			t.Fatal(err)
		}
		cfg := emu.LaunchConfig{Launch: ptx.Launch{Grid: e.Launch.Grid, Block: e.Launch.Block, DynShared: int(e.Launch.Shared)}}
		c := &ref.Call{N: st.n, Pos: st.pos, Len: st.pos + st.n, Hi: st.n, Work: &ref.Work{}}
		for j, o := range ops.Find(s.Op).Operands {
			spec := s.Operands[j]
			if x.bufs[o.Name] == nil {
				x.bufs[o.Name] = emu.NewBuffer(o.Name, bytesOf(spec))
				x.want[o.Name] = slices.Repeat([]byte{0xff}, bytesOf(spec))
			}
			p := emu.Param{Name: o.Name, Buf: x.bufs[o.Name], Access: emu.Read}
			if o.Effect != ir.Read {
				p.Access = emu.Read | emu.Write | emu.Accum
			}
			if o.Effect == ir.Write {
				p.Cover = []emu.Range{{Lo: 0, Hi: bytesOf(spec)}}
			}
			cfg.Params = append(cfg.Params, p)
			a, err := ref.NewArg(typeOf(spec), spec.Shape, 0, 0, x.want[o.Name])
			if err != nil {
				t.Fatal(err)
			}
			c.Args = append(c.Args, a)
		}
		cfg.Params = append(cfg.Params, emu.Param{Name: "control", Buf: emu.BufferOf("control", control(st)), Access: emu.Read})
		rep, err := k.Launch(cfg, emu.Options{Target: s.Target.Name})
		if err == nil {
			err = rep.Err()
		}
		if err != nil {
			t.Fatalf("%s: %v", s.Op, err)
		}
		mustLookup(s.Op).Run(c)
		x.compare(t, s, c.Work.Err)
	}
	x.pick(t, specs[0].Operands[0], st)
}

// compare holds what a kernel wrote against the reference; the last one writes -1 where the
// reference has an error.
func (x *choiceRun) compare(t *testing.T, s *codegen.Spec, err error) {
	t.Helper()
	if err != nil {
		le := binary.LittleEndian
		le.PutUint32(x.want["token"][plan.CtlToken-plan.CtlRNG:], math.MaxUint32)
		copy(x.want["token"], x.bufs["token"].Data[:8])
	}
	for _, o := range ops.Find(s.Op).Operands {
		got, want := x.bufs[o.Name].Data, x.want[o.Name]
		for i := 0; i < len(want); i += 4 {
			n := min(4, len(want)-i)
			if !slices.Equal(got[i:i+n], want[i:i+n]) {
				t.Fatalf("%s: byte %d of %s: got %v, want %v", s.Op, i, o.Name, got[i:i+n], want[i:i+n])
			}
		}
	}
}

// pick compares the token with the host's sampler, which knows nothing of parts.
func (x *choiceRun) pick(t *testing.T, o codegen.OperandSpec, st step) {
	t.Helper()
	whole := ops.Find("sample")
	c := &ref.Call{N: st.n, Pos: st.pos, Len: st.pos + st.n, Hi: st.n, Work: &ref.Work{}}
	token := make([]byte, plan.CtlError-plan.CtlRNG)
	for _, p := range whole.Operands {
		b := slices.Clone(x.bufs[p.Name].Data)
		spec := typed("u8", len(b))
		switch p.Name {
		case "logits":
			spec = o
		case "hist": // before the choice
			spec = typed("i32", len(b)/4)
			if id := int32(binary.LittleEndian.Uint32(x.bufs["token"].Data[8:])); id >= 0 {
				b[4*id]--
			}
		case "token":
			b = token
		}
		a, err := ref.NewArg(typeOf(spec), spec.Shape, 0, 0, b)
		if err != nil {
			t.Fatal(err)
		}
		c.Args = append(c.Args, a)
	}
	mustLookup("sample").Run(c)
	got, want := int32(binary.LittleEndian.Uint32(x.bufs["token"].Data[8:])), int32(binary.LittleEndian.Uint32(token[8:]))
	if c.Work.Err != nil {
		want = -1
	}
	if got != want {
		t.Errorf("token %d, the host's sampler has %d", got, want)
	}
}
