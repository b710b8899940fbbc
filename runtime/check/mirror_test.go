package check

import (
	"testing"

	"dsac/internal/fixture"
	"dsac/ir/ops"
	"dsac/models"
	"dsac/passes"
	"dsac/runtime/gguf"
	"dsac/runtime/host"
	"dsac/runtime/plan"
	"dsac/runtime/quant"
	"dsac/runtime/ref"
)

// mirror is a device that runs the references of the ops on what a step gives it. spoil, if
// not nil, is called after each step: faults are planted there.
type mirror struct {
	t       *testing.T
	plan    *plan.Plan
	weights host.Weights
	data    map[int32][]byte // of weights, by buffer
	spoil   func(s *Step, op string)
	ran     []string // names of the steps
}

func (m *mirror) Name() string { return "mirror" }

func (m *mirror) Step(s *Step) ([]Finding, error) {
	p, st := m.plan, &m.plan.Steps[s.Index]
	op, _ := ref.Lookup(p.Str(st.Op))
	c := &ref.Call{N: int(s.At.N), Pos: int(s.At.Pos), Len: int(s.At.Len), Work: &ref.Work{},
		Attrs: ref.Attrs{Ints: map[string]int64{}, Floats: map[string]float64{}, Texts: map[string]string{}}}
	for _, a := range p.AttrList(st.Attrs) {
		key := p.Str(a.Key)
		c.Attrs.Ints[key], _ = p.IntAttr(st.Attrs, key)
		c.Attrs.Floats[key], _ = p.FloatAttr(st.Attrs, key)
		c.Attrs.Texts[key], _ = p.TextAttr(st.Attrs, key)
	}
	for i, o := range p.Ops(st) {
		q := &s.Params[i]
		data := m.data[q.Buf]
		if q.Piece != Held {
			data = s.bytes(q)
		}
		l := elements(p, &o)
		if l.raw {
			l.t, l.shape = quant.I8, []int{len(data)}
		}
		a, err := ref.NewArg(l.t, l.shape, int(o.Col), int(o.Cols), data)
		if err != nil {
			return nil, err
		}
		c.Args = append(c.Args, a)
	}
	if err := op.Bind(c.Args); err != nil {
		return nil, err
	}
	if op.Rows {
		c.N = min(c.N, c.Args[0].Shape[0])
	}
	c.Hi = c.N
	op.Run(c)
	m.ran = append(m.ran, p.Str(st.Name))
	if m.spoil != nil {
		m.spoil(s, op.Name)
	}
	return nil, c.Work.Err
}

// bench is the tiny model on the host and on a mirror.
type bench struct {
	plan *plan.Plan
	host *host.Device
	dev  *mirror
}

func newBench(t *testing.T, kv string) *bench {
	t.Helper()
	f, err := gguf.Open(fixture.Path(t, "golden", "tiny", "q4_k_m.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	const ctx = 32
	desc, err := models.Builtin(f.Arch())
	if err != nil {
		t.Fatal(err)
	}
	bound, err := desc.Bind(models.FromGGUF(f), models.BindOptions{Ctx: ctx, KV: "kv"})
	if err != nil {
		t.Fatal(err)
	}
	g, err := bound.Graph("step")
	if err != nil {
		t.Fatal(err)
	}
	p, err := passes.Compile(passes.Source{Arch: f.Arch(), Graph: g, Vocab: bound.Vocab()},
		passes.Options{Target: "host", Ctx: ctx, Chunk: 16, KV: kv})
	if err != nil {
		t.Fatal(err)
	}
	h, err := host.Load(p, host.File(f), host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	m := &mirror{t: t, plan: p, weights: host.File(f), data: map[int32][]byte{}}
	for i := range p.Weights {
		w := &p.Weights[i]
		if m.data[w.Buf], err = m.weights.Data(p.Str(w.Name)); err != nil {
			t.Fatal(err)
		}
	}
	return &bench{p, h, m}
}

func ofTable(op string) (abs, rel float64) {
	o := ops.Find(op)
	return o.Tol.Abs, o.Tol.Rel
}

// prompt is any text.
var prompt = []int32{3, 141, 59, 265, 358, 979, 323, 846, 264, 338, 327}

// run checks a prefill and a decode step.
func (b *bench) run(t *testing.T, opt Options) *Report {
	t.Helper()
	return b.runOn(t, b.dev, opt)
}

func (b *bench) runOn(t *testing.T, dev Device, opt Options) *Report {
	t.Helper()
	opt.Tol = ofTable
	c, err := New(b.plan, b.host, dev, opt)
	if err != nil {
		t.Fatal(err)
	}
	b.host.Reset()
	e, err := b.host.Entry("prefill16")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Run(t.Context(), e, prompt); err != nil {
		t.Fatal(err)
	}
	if e, err = b.host.Entry("decode1"); err != nil {
		t.Fatal(err)
	}
	if err := c.Run(t.Context(), e, []int32{b.host.Token()}); err != nil {
		t.Fatal(err)
	}
	return c.Report()
}
