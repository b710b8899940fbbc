package check

import (
	"cmp"
	"fmt"
	"slices"

	"dsac/runtime/plan"
)

// margin is how far from the declared bytes of a piece poison lies and changes are looked for:
// caches are large, and a stray store is found by devices that check every access.
const margin = 4096

// ctlCounters are the words of the control buffer that any kernel may count in.
var ctlCounters = []Span{{plan.CtlError, plan.CtlError + 4}, {plan.CtlOverflow, plan.CtlOverflow + 4}}

// layOut makes the parameters of a step.
func layOut(p *plan.Plan, step int32, at plan.Point) ([]Param, error) {
	st := &p.Steps[step]
	var params []Param
	for i, o := range p.Ops(st) {
		lo, hi := p.Range(&o, at)
		size := int64(p.Bufs[o.Buf].Size)
		if lo < 0 || hi < lo || hi > size {
			return nil, fmt.Errorf("operand %d, buffer %s of %d bytes: range [%d, %d) at n=%d pos=%d", i, p.Str(p.Bufs[o.Buf].Name), size, lo, hi, at.N, at.Pos)
		}
		q := param(p, o.Buf, o.Effect)
		touched := []Span{{int(lo), int(hi)}}
		switch o.Effect {
		case plan.R:
			q.Reads = touched
		case plan.W:
			q.Writes = touched
		case plan.RW, plan.Acc:
			q.Reads, q.Writes = touched, touched
		case plan.Scr:
			q.Writes = touched
		}
		q.AnyRead = st.Flags&plan.MayRead != 0
		params = append(params, q)
	}
	return params, nil
}

func param(p *plan.Plan, buf int32, e plan.Effect) Param {
	b := &p.Bufs[buf]
	return Param{Name: p.Str(b.Name), Buf: buf, Effect: e, Piece: Held, Size: int(b.Size)}
}

// share gives parameters whose buffers overlap the same piece.
func (s *Step) share(p *plan.Plan) {
	var order []int
	for i := range s.Params {
		if p.Regions[p.Bufs[s.Params[i].Buf].Region].Kind != plan.Const {
			order = append(order, i)
		}
	}
	buf := func(i int) *plan.Buf { return &p.Bufs[s.Params[i].Buf] }
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(buf(i).Region, buf(j).Region), cmp.Compare(buf(i).Off, buf(j).Off))
	})
	var ends []uint64
	for _, i := range order {
		b, n := buf(i), len(s.Pieces)
		if n == 0 || s.Pieces[n-1].Region != b.Region || b.Off >= ends[n-1] {
			s.Pieces = append(s.Pieces, Piece{Region: b.Region, Off: b.Off})
			ends = append(ends, b.Off)
			n++
		}
		ends[n-1] = max(ends[n-1], b.Off+b.Size)
		s.Params[i].Piece, s.Params[i].Off = n-1, int(b.Off-s.Pieces[n-1].Off)
	}
	for i := range s.Pieces {
		s.Pieces[i].Data = make([]byte, ends[i]-s.Pieces[i].Off)
	}
}

// fill gives every piece poison, and then the bytes that the step reads, which from returns
// for a buffer.
func (s *Step) fill(p *plan.Plan, from func(buf int32) []byte) {
	for i := range s.Params {
		q := &s.Params[i]
		if q.Piece == Held {
			continue
		}
		piece, data := &s.Pieces[q.Piece], s.bytes(q)
		for _, x := range slices.Concat(q.Reads, q.Writes) {
			x = Span{max(0, (x.Lo-margin)&^3), min(len(data), x.Hi+margin)}
			poison(data[x.Lo:x.Hi], p.Str(p.Bufs[q.Buf].DType))
			piece.Near = append(piece.Near, Span{q.Off + x.Lo, q.Off + x.Hi})
		}
	}
	for i := range s.Params {
		q := &s.Params[i]
		if q.Piece == Held {
			continue
		}
		piece, data := &s.Pieces[q.Piece], s.bytes(q)
		for _, x := range q.given {
			copy(data[x.Lo:x.Hi], from(q.Buf)[x.Lo:x.Hi])
			piece.Defined = append(piece.Defined, Span{q.Off + x.Lo, q.Off + x.Hi})
		}
	}
	for i := range s.Pieces {
		x := &s.Pieces[i]
		x.Near, x.Defined = merge(x.Near), merge(x.Defined)
	}
}

// copyNear copies the bytes of a piece that the step may touch; the rest stays zero.
func (p *Piece) copyNear() []byte {
	out := make([]byte, len(p.Data))
	for _, x := range p.Near {
		copy(out[x.Lo:x.Hi], p.Data[x.Lo:])
	}
	return out
}

// bytes returns the bytes of a parameter.
func (s *Step) bytes(q *Param) []byte { return s.Pieces[q.Piece].Data[q.Off:][:q.Size:q.Size] }

// merge sorts spans and joins those that touch; empty ones go.
func merge(in []Span) []Span {
	slices.SortFunc(in, func(a, b Span) int { return a.Lo - b.Lo })
	var out []Span
	for _, x := range in {
		switch n := len(out); {
		case x.Hi <= x.Lo:
		case n > 0 && x.Lo <= out[n-1].Hi:
			out[n-1].Hi = max(out[n-1].Hi, x.Hi)
		default:
			out = append(out, x)
		}
	}
	return out
}

// without returns the bytes of a that are not in b; both ascend and are disjoint.
func without(a, b []Span) []Span {
	var out []Span
	for _, x := range a {
		for _, y := range b {
			if y.Hi <= x.Lo || x.Hi <= y.Lo {
				continue
			}
			if x.Lo < y.Lo {
				out = append(out, Span{x.Lo, y.Lo})
			}
			x.Lo = min(y.Hi, x.Hi)
		}
		if x.Lo < x.Hi {
			out = append(out, x)
		}
	}
	return out
}
