package check

import (
	"slices"

	"dsac/runtime/plan"
)

// stepsOf returns the steps that a device runs together with a step, itself among them: those
// of its launch, [first, end).
func stepsOf(p *plan.Plan, step int32) (first, end int32) {
	at := p.Steps[step].Launch
	if at == plan.None {
		return step, step + 1
	}
	l := &p.Launches[at]
	return l.First, l.First + l.Count
}

// layOutLaunch makes the pieces and parameters of the steps [first, end) of one launch: those of
// each step in order, then the control buffer. What a step of the launch leaves to a later one
// is not given to the device.
func layOutLaunch(p *plan.Plan, first, end int32, at plan.Point, ctl int32) (*Step, error) {
	s := &Step{Index: first, At: at}
	made := map[int32][]Span{} // by region, from its start
	for i := first; i < end; i++ {
		one, err := layOut(p, i, at)
		if err != nil {
			return nil, err
		}
		for j := range one {
			q := &one[j]
			b := &p.Bufs[q.Buf]
			q.given = shifted(without(shifted(q.Reads, int(b.Off)), made[b.Region]), -int(b.Off))
		}
		for j := range one {
			b := &p.Bufs[one[j].Buf]
			made[b.Region] = merge(append(made[b.Region], shifted(one[j].Writes, int(b.Off))...))
		}
		s.Params = append(s.Params, one...)
	}
	c := param(p, ctl, plan.R)
	c.Reads = []Span{{0, plan.CtlRead}}
	c.Writes = ctlCounters
	c.given = slices.Concat(c.Reads, c.Writes)
	s.Params = append(s.Params, c)
	s.share(p)
	return s, nil
}

func shifted(spans []Span, by int) []Span {
	var out []Span
	for _, x := range spans {
		out = append(out, Span{x.Lo + by, x.Hi + by})
	}
	return out
}

// of returns step i of the launch s as if it had run alone, with the results that no later step
// of the launch has overwritten.
func (s *Step) of(p *plan.Plan, i int32) *Step {
	at := 0
	for j := s.Index; j < i; j++ {
		at += len(p.Ops(&p.Steps[j]))
	}
	end := at + len(p.Ops(&p.Steps[i]))
	one := &Step{Index: i, At: s.At, Pieces: s.Pieces}
	one.Params = append(append(one.Params, s.Params[at:end]...), s.Params[len(s.Params)-1])
	for k := range one.Params[:end-at] {
		for _, later := range s.Params[end : len(s.Params)-1] {
			if q := &one.Params[k]; q.Piece == later.Piece && q.overwritten(&later) {
				q.Effect = plan.Scr
			}
		}
	}
	return one
}

// overwritten says whether another parameter of the same piece writes what q writes.
func (q *Param) overwritten(by *Param) bool {
	for _, x := range q.Writes {
		for _, y := range by.Writes {
			if x.Lo+q.Off < y.Hi+by.Off && y.Lo+by.Off < x.Hi+q.Off {
				return true
			}
		}
	}
	return false
}
