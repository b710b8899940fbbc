package check

import (
	"math"
	"slices"

	"dsac/runtime/plan"
	"dsac/runtime/quant"
)

// chain is the memory of a device that goes on from its own results: the floats of arena, out
// and state regions. All else - inputs, numbers of the run, lists, tokens - is the host's, so
// that errors add up but no choice differs; in a free run lists and counts of tokens are the
// device's too.
type chain struct {
	plan    *plan.Plan
	host    func(buf int32) []byte
	mem     [][]byte       // per region, in the plan's placement; nil: the host's
	ints    bool           // lists and counts too
	started bool           // caches are the device's own
	drifted int            // first position of which a list of an earlier step was not the host's
	results map[int32]Span // buffers of the out region that the run wrote
}

func newChain(p *plan.Plan, ints bool) *chain {
	c := &chain{plan: p, ints: ints, mem: make([][]byte, len(p.Regions)), drifted: math.MaxInt}
	for i, r := range p.Regions {
		if r.Kind == plan.Arena || r.Kind == plan.Out || r.Kind == plan.State {
			c.mem[i] = make([]byte, r.Size)
		}
	}
	return c
}

// begin starts a run; before the first one the caches hold what the host's do.
func (c *chain) begin(k *Checker) {
	c.host = k.host.BufferAt
	c.results = map[int32]Span{}
	if c.started {
		return
	}
	c.started = true
	at := plan.Point{Pos: int64(k.host.Pos())}
	for i := range c.plan.Bufs {
		if b := &c.plan.Bufs[i]; c.own(int32(i)) && c.plan.Regions[b.Region].Kind == plan.State {
			n := int(b.Size)
			if b.HasValid {
				n = int(b.Valid.At(at))
			}
			copy(c.bytes(int32(i))[:n], c.host(int32(i)))
		}
	}
}

// own says whether the device's values of a buffer are kept.
func (c *chain) own(buf int32) bool {
	l := elements(c.plan, &plan.Operand{Buf: buf})
	return c.mem[c.plan.Bufs[buf].Region] != nil && (l.float() || c.ints && !l.raw && l.t == quant.I32)
}

func (c *chain) bytes(buf int32) []byte {
	b := &c.plan.Bufs[buf]
	return c.mem[b.Region][b.Off:][:b.Size]
}

// bufferAt returns what the device has in a buffer.
func (c *chain) bufferAt(buf int32) []byte {
	if c.own(buf) {
		return c.bytes(buf)
	}
	return c.host(buf)
}

// take keeps the floats that the current step wrote.
func (c *chain) take(r *run) error {
	st := &c.plan.Steps[r.step.Index]
	judge := r.free
	if r.opt.Forced {
		judge = func(st *plan.Step) error { return c.force(r, st) }
	}
	if err := judge(st); err != nil {
		return err
	}
	for i := range r.step.Params[:len(r.step.Params)-1] {
		q := &r.step.Params[i]
		if q.Effect == plan.R || q.Effect == plan.Scr || !c.own(q.Buf) {
			continue
		}
		x := q.Writes[0]
		copy(c.bytes(q.Buf)[x.Lo:x.Hi], r.step.bytes(q)[x.Lo:x.Hi])
		if c.plan.Regions[c.plan.Bufs[q.Buf].Region].Kind == plan.Out {
			c.results[q.Buf] = x
		}
	}
	return nil
}

// force counts the lists that the device would have chosen otherwise, and gives an op that
// weights what it chose the weights of the host's choice.
func (c *chain) force(r *run, st *plan.Step) error {
	gates := func(operand int) []byte { return r.step.bytes(&r.step.Params[operand]) }
	for i, o := range c.plan.Ops(st) {
		l := elements(c.plan, &o)
		if o.Effect != plan.W || !l.list() {
			continue
		}
		got, want, err := r.both(st, i)
		if err != nil {
			return err
		}
		for row := range min(int(r.at.N), got.Rows) {
			w := want.I32[row*got.Width:][:got.Width]
			if slices.Equal(got.I32[row*got.Width:][:got.Width], w) {
				continue
			}
			r.forced++
			if err := r.regateList(st, i, row, w, r.given(st), gates); err != nil {
				return err
			}
		}
	}
	return nil
}

// judgeResults compares the floats that a run leaves in the out region.
func (r *run) judgeResults() error {
	c := r.chain
	var s Sums
	var name string
	rows := 0
	for buf := range int32(len(c.plan.Bufs)) {
		x, ok := c.results[buf]
		if !ok {
			continue
		}
		name = c.plan.Str(c.plan.Bufs[buf].Name)
		l := elements(c.plan, &plan.Operand{Buf: buf})
		got, err := l.arg(c.bytes(buf))
		if err != nil {
			return err
		}
		want, err := l.arg(r.host.BufferAt(buf))
		if err != nil {
			return err
		}
		first, end := x.Lo/got.RowBytes(), (x.Hi+got.RowBytes()-1)/got.RowBytes()
		for row := first; row < end; row++ {
			g, w := got.Row(row, make([]float32, got.Width)), want.Row(row, make([]float32, got.Width))
			s.Add(g, w)
			rows++
			if r.opt.Results != nil { // the last rows of the run: a plan need not keep all
				r.opt.Results(int(r.at.Len)-end+row, g, w)
			}
		}
	}
	e := float64(s.NMSE())
	run := &r.rep.Runs[len(r.rep.Runs)-1]
	run.NMSE, run.Forced, run.Differing, run.SameToken = &e, r.forced, r.differing, r.sameToken
	if math.IsNaN(e) {
		run.NMSE = nil // JSON has no NaN
		r.rep.add(Finding{Kind: Differs, Entry: r.entry, Index: -1, Operand: name, Byte: -1, Detail: "results are not all numbers"}, true)
		return nil
	}
	r.rep.total(r.entry, name).add(rows, s)
	return nil
}
