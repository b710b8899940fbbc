package passes

import (
	"encoding/hex"
	"fmt"
	"runtime/debug"
	"sort"

	"dsac/ir"
	"dsac/runtime/plan"
)

// Case is a piece of a model to be timed by itself.
type Case struct {
	Name  string // of the entry
	Rows  int    // T
	Len   int    // rows in the caches, those of the step included
	Graph *ir.Graph
	// Draw is how a token is drawn from the graph's result, as the sampler's parameters lie in
	// memory (plan.Smp*); nil when none is.
	Draw []byte
}

// CasesArch is the architecture that a plan of cases names.
const CasesArch = "kernel-cases"

// CaseLen is the attribute of an entry's first step that says how many rows the caches hold.
const CaseLen = "len"

// CaseDraw is the attribute of an entry's first step that has the sampler's parameters, in
// hexadecimal digits.
const CaseDraw = "draws"

// CompileCases makes a plan with one entry per case, through the passes, the kernels and the
// verifier of every plan, so that what is timed is what models run. Each entry counts its
// buffers from the start of every region. No entry follows another, so the lint has no say,
// and the plan lists no weights: whoever times it makes the bytes up.
func CompileCases(cases []Case, opt Options) (*plan.Plan, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	if opt.target().GPU == nil {
		return nil, fmt.Errorf("target %s has no kernels: want a GPU", opt.Target)
	}
	e := &emitter{b: plan.NewBuilder(), opt: &opt, src: Source{Arch: CasesArch, Vocab: 1}, srcs: make(map[ir.Pos]int32)}
	e.meta()
	for _, r := range regionTable {
		e.b.P.Regions = append(e.b.P.Regions, plan.Region{Name: e.b.Str(r.name), Kind: r.kind})
	}
	ctl := e.buf("ctl", regState, ir.Of(ir.U8, ir.Fixed(plan.CtlSize)), ir.Bind{}, plan.CtlSize)
	ctl.Role, ctl.HasValid, ctl.Valid = plan.Control, true, plan.Fixed(plan.CtlSize)
	e.ctl = e.place(ctl)
	start := e.used
	var most [5]uint64
	for i := range cases {
		e.used = start
		if err := e.oneCase(&cases[i]); err != nil {
			return nil, fmt.Errorf("case %s: %w", cases[i].Name, err)
		}
		for r := range most {
			most[r] = max(most[r], e.used[r])
		}
	}
	for r := range most {
		e.b.P.Regions[r].Size = most[r]
	}
	e.b.P.Weights, e.b.P.Pads = nil, nil
	if err := kernels(e.b, &opt); err != nil {
		return nil, err
	}
	if err := plan.Verify(e.b.P); err != nil {
		return nil, fmt.Errorf("BUG: the plan does not verify: %w", err)
	}
	return e.b.P, nil
}

// oneCase emits a case as an entry.
func (e *emitter) oneCase(c *Case) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &Crash{"emit", r, string(debug.Stack()), c.Rows, c.Rows, e.opt.Ctx, c.Graph.Text()}
		}
	}()
	u := &Unit{Entry: Entry{c.Name, c.Rows, c.Rows}, Opt: e.opt, G: c.Graph.Clone(), Bind: ir.Bind{T: c.Rows, R: c.Rows, C: e.opt.Ctx}}
	if err := run(u); err != nil {
		return err
	}
	first, entry := len(e.b.P.Bufs), len(e.b.P.Entries)
	if err := e.caseArgs(u, c); err != nil {
		return err
	}
	for i := first; i < len(e.b.P.Bufs); i++ {
		b := &e.b.P.Bufs[i]
		b.Entry, b.HasValid, b.Valid = int32(entry), false, plan.Lin{}
	}
	tail := func(*entryEmitter) error { return nil }
	if c.Draw != nil {
		tail = func(x *entryEmitter) error { return x.draw(x.u.G.Results[0], plan.None) }
	}
	if err := e.steps(u, tail); err != nil {
		return err
	}
	p, en := e.b.P, &e.b.P.Entries[entry]
	if en.Steps.Len == 0 {
		return fmt.Errorf("nothing is left of it to be timed")
	}
	s := &p.Steps[en.Steps.Off]
	as := append([]plan.Attr{e.b.IntAttr(CaseLen, int64(c.Len))}, p.AttrList(s.Attrs)...)
	if c.Draw != nil {
		as = append(as, e.b.TextAttr(CaseDraw, hex.EncodeToString(c.Draw)))
	}
	sort.Slice(as, func(i, j int) bool { return p.Strings[as[i].Key] < p.Strings[as[j].Key] })
	s.Attrs = e.b.AddAttrs(as)
	return nil
}

// caseArgs emits what a case reads: its inputs, weights and caches, and the sampler's buffers.
func (e *emitter) caseArgs(u *Unit, c *Case) error {
	e.args = make(map[string]int32)
	fixed := func(name string, region int32, t ir.Type) int32 {
		n, err := bytesOf(t, u.Bind)
		if err != nil {
			panic("BUG: " + err.Error())
		}
		return e.place(e.buf(name, region, t, u.Bind, n))
	}
	layouts := layoutsOf([]*Unit{u})
	for _, v := range u.G.Args {
		if err := e.arg(v, u.Bind, fixed, layouts); err != nil {
			return err
		}
	}
	if c.Draw == nil {
		return nil
	}
	if len(u.G.Results) != 1 {
		return fmt.Errorf("a token is drawn from one result, not %d", len(u.G.Results))
	}
	e.src.Vocab = u.Bind.Extent(u.G.Results[0].Type.Last())
	e.hist = fixed("hist", regState, ir.Of(ir.I32, ir.Fixed(e.src.Vocab)))
	e.smp = fixed("params", regIn, ir.Of(ir.U8, ir.Fixed(plan.SmpSize)))
	e.mask = fixed("mask", regIn, ir.Of(ir.U8, ir.Fixed(e.src.Vocab)))
	return nil
}
