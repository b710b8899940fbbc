package lint

import (
	"cmp"
	"fmt"
	"slices"

	"dsac/runtime/plan"
)

// selection is the columns that one operand takes of each innermost row.
type selection struct {
	step, operand int32
	lo, hi        uint32
}

// columnSelections looks at compiled plans (kind=, shape=): the ops that split a row among
// them take disjoint columns, or the same, and together all of them (T02). An op that takes
// the whole row beside others that take parts has lost its selection.
func columnSelections(u *unit, _ []mark) {
	parts, whole := map[int32][]selection{}, map[int32]selection{}
	seen := map[int32]bool{}
	for _, x := range u.execs {
		if seen[x.step] || u.m.p.Steps[x.step].Op == 0 {
			continue
		}
		seen[x.step] = true
		sp := u.m.p.Steps[x.step].Operands
		for i := sp.Off; i < sp.Off+sp.Len; i++ {
			o := &u.m.p.Operands[i]
			if o.Effect != plan.R || u.m.p.Bufs[o.Buf].Dims == 0 || u.m.kind(o.Buf) != plan.Arena {
				continue
			}
			if s := (selection{x.step, int32(i), o.Col, o.Col + o.Cols}); o.Cols == 0 {
				whole[o.Buf] = s
			} else {
				parts[o.Buf] = append(parts[o.Buf], s)
			}
		}
	}
	for b, sel := range parts {
		u.columns(b, sel, whole)
	}
}

// columns checks the selections from one buffer.
func (u *unit) columns(b int32, sel []selection, whole map[int32]selection) {
	buf := &u.m.p.Bufs[b]
	row := buf.Shape[buf.Dims-1]
	slices.SortFunc(sel, func(x, y selection) int {
		return cmp.Or(cmp.Compare(x.lo, y.lo), cmp.Compare(x.hi, y.hi), cmp.Compare(x.operand, y.operand))
	})
	if w, ok := whole[b]; ok {
		u.badColumns(w, b, "takes all columns of %s, of which other ops take parts", u.m.bufName(b))
	}
	end := uint32(0)
	for i, s := range sel {
		switch {
		case s.hi > row:
			u.badColumns(s, b, "takes columns %d to %d of %s, which has %d", s.lo, s.hi, u.m.bufName(b), row)
		case i > 0 && s.lo == sel[i-1].lo && s.hi == sel[i-1].hi:
			continue
		case s.lo < end:
			u.badColumns(s, b, "takes columns %d to %d of %s, which overlap those of another op", s.lo, s.hi, u.m.bufName(b))
		case s.lo > end:
			u.badColumns(s, b, "takes columns %d to %d of %s, and nobody takes those from %d on", s.lo, s.hi, u.m.bufName(b), end)
		}
		end = max(end, s.hi)
	}
	if end < row {
		u.badColumns(sel[len(sel)-1], b, "takes columns up to %d of %s, and nobody takes the rest up to %d", end, u.m.bufName(b), row)
	}
}

func (u *unit) badColumns(s selection, b int32, format string, args ...any) {
	f := u.finding(rule("T02"), s.step, s.operand)
	f.Severity = Warning
	f.Ops, f.Bytes = []Op{u.m.op(s.step)}, []Bytes{u.m.wholeBuf(b)}
	f.Summary = u.m.stepName(s.step) + " " + fmt.Sprintf(format, args...)
	f.Repair = "let the readers of a row split it as the model does"
	u.out.add(f)
}
