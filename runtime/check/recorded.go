package check

import (
	"slices"

	"dsac/runtime/plan"
)

// Lists are the choices of a host's run by position. A run that is given them records the lists
// that are not there yet and takes those that are: so that runs of one text in other pieces, whose
// sums are in another order, choose the same at ties.
type Lists struct{ kept map[listKey][]int32 }

type listKey struct {
	buffer string
	pos    int
}

// NewLists returns an empty record.
func NewLists() *Lists { return &Lists{kept: map[listKey][]int32{}} }

// settle records or replaces the lists that the host has just made in a step, and the weights of
// what was chosen with them.
func (x *Lists) settle(r *run, step int32) error {
	st := &r.plan.Steps[step]
	host := func(operand int) []byte { return r.host.BufferAt(r.plan.Ops(st)[operand].Buf) }
	for i, o := range r.plan.Ops(st) {
		l := elements(r.plan, &o)
		if o.Effect != plan.W || !l.list() {
			continue
		}
		arg, err := l.arg(r.host.BufferAt(o.Buf))
		if err != nil {
			return err
		}
		for row := range min(int(r.at.N), arg.Rows) {
			list := arg.I32[row*arg.Width:][:arg.Width]
			key := listKey{r.plan.Str(r.plan.Bufs[o.Buf].Name), int(r.at.Pos) + row}
			kept, ok := x.kept[key]
			switch {
			case !ok:
				x.kept[key] = slices.Clone(list)
				continue
			case slices.Equal(kept, list):
				continue
			}
			copy(list, kept)
			if err := r.regateList(st, i, row, kept, host, host); err != nil {
				return err
			}
		}
	}
	return nil
}
