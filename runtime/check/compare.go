package check

import (
	"bytes"
	"fmt"

	"dsac/runtime/plan"
	"dsac/runtime/quant"
	"dsac/runtime/ref"
)

// perStep bounds the findings of one kind about one step that are listed: one fault shows in
// many places.
const perStep = 3

// found adds a finding about the current step, and completes it.
func (r *run) found(f Finding) {
	p, st := r.plan, &r.plan.Steps[r.step.Index]
	f.Entry, f.Step, f.Index, f.Op = r.entry, p.Str(st.Name), r.step.Index, p.Str(st.Op)
	if k := r.kernel(r.step.Index); k != plan.None {
		f.Kernel = p.Str(p.Kernels[k].Name)
	}
	r.ofStep[f.Kind]++
	r.rep.add(f, r.ofStep[f.Kind] <= perStep)
}

// outside reports the first byte of each piece that changed though no operand declares it as
// written.
func (r *run) outside() {
	s := r.step
	for i := range s.Pieces {
		var may []Span
		for k := range s.Params {
			if q := &s.Params[k]; q.Piece == i {
				for _, x := range q.Writes {
					may = append(may, Span{q.Off + x.Lo, q.Off + x.Hi})
				}
			}
		}
		was, now := r.was[i], s.Pieces[i].Data
		for _, x := range without(s.Pieces[i].Near, merge(may)) {
			if at := firstChange(was[x.Lo:x.Hi], now[x.Lo:x.Hi]); at >= 0 {
				r.found(r.stray(i, x.Lo+at))
				break
			}
		}
	}
}

func firstChange(a, b []byte) int {
	if bytes.Equal(a, b) {
		return -1
	}
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// stray says which buffer holds a byte of a piece that should not have changed.
func (r *run) stray(piece, at int) Finding {
	f := Finding{Kind: Outside, Byte: -1}
	for k := range r.step.Params {
		if q := &r.step.Params[k]; q.Piece == piece && q.Off <= at && at < q.Off+q.Size {
			f.Operand, f.Byte = q.Name, int64(at-q.Off)
			f.Detail = fmt.Sprintf("changed, the step declares it writes %s", spans(q.Writes))
		}
	}
	return f
}

func spans(list []Span) string {
	if len(list) == 0 {
		return "nothing"
	}
	var b bytes.Buffer
	for i, x := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "[%d,%d)", x.Lo, x.Hi)
	}
	return b.String()
}

// compare holds every result of the step against the host's.
func (r *run) compare() error {
	s, p := r.step, r.plan
	st := &p.Steps[s.Index]
	abs, rel := r.opt.Tol(p.Str(st.Op))
	stat := r.rep.op(p.Str(st.Op), abs, rel)
	stat.Steps++
	size, err := r.sizes(st)
	if err != nil {
		return err
	}
	judged, err := r.lists(stat, size)
	if err != nil {
		return err
	}
	for i := range s.Params[:len(s.Params)-1] {
		q := &s.Params[i]
		if q.Effect == plan.R || q.Effect == plan.Scr || q.Piece == Held {
			continue
		}
		want, known := judged[i]
		if !known {
			want = r.host.BufferAt(q.Buf)
		} else if want == nil {
			continue
		}
		c := comparison{abs: abs, rel: rel, size: size, lo: q.Writes[0].Lo, hi: q.Writes[0].Hi}
		l := elements(p, &p.Operands[int(st.Operands.Off)+i])
		if op, ok := ref.Lookup(p.Str(st.Op)); ok && op.Rounds == i && i > 0 && l.t == quant.F16 {
			l.tail = plan.HalfTail
		}
		if err := c.run(l, s.bytes(q), want); err != nil {
			return fmt.Errorf("buffer %s: %w", q.Name, err)
		}
		if c.kind != "" {
			r.found(Finding{Kind: c.kind, Operand: q.Name, Byte: int64(c.at), Detail: c.detail()})
		}
		if c.lost != "" && r.lost == "" {
			r.lost = fmt.Sprintf("step %s (%s), buffer %s, %s", p.Str(st.Name), p.Str(st.Op), q.Name, c.lost)
		}
		stat.note(&c, r.entry, p.Str(st.Name))
	}
	return nil
}

// layout is how the bytes of a buffer are read.
type layout struct {
	t     quant.Type
	raw   bool // bytes without a type
	shape []int
	tail  int // elements behind the values of a row, which do not say how large it is
}

// elements returns how operand o sees its buffer.
func elements(p *plan.Plan, o *plan.Operand) layout {
	b := &p.Bufs[o.Buf]
	name := p.Str(b.DType)
	if o.DType != 0 {
		name = p.Str(o.DType)
	}
	t, err := quant.Parse(name)
	l := layout{t: t, raw: err != nil}
	for _, d := range b.Shape[:b.Dims] {
		l.shape = append(l.shape, int(d))
	}
	return l
}

// float says whether values have a tolerance.
func (l layout) float() bool {
	return !l.raw && (l.t == quant.F32 || l.t == quant.F16 || l.t == quant.BF16)
}

func (l layout) arg(data []byte) (ref.Arg, error) { return ref.NewArg(l.t, l.shape, 0, 0, data) }
