package mutate

import (
	"fmt"
	"slices"
	"strings"

	"dsac/runtime/plan"
)

// describe says in what a mutant differs from the sound plan, section by section. The text of
// a plan would not do: a mutant need not have one.
func describe(a, b *plan.Plan, e int) string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for i := range a.Bufs {
		if x, y := a.Bufs[i], b.Bufs[i]; x != y {
			add("buf %s: off %d->%d size %d->%d life %d:%d->%d:%d", a.Str(x.Name), x.Off, y.Off, x.Size, y.Size, x.LifeLo, x.LifeHi, y.LifeLo, y.LifeHi)
		}
	}
	before, after := weightTexts(a), weightTexts(b)
	for _, w := range before {
		if !slices.Contains(after, w) {
			add("weight %s is gone", w)
		}
	}
	for _, w := range after {
		if !slices.Contains(before, w) {
			add("weight %s is new", w)
		}
	}
	sp := a.Entries[e].Steps
	for s := sp.Off; s < sp.Off+sp.Len; s++ {
		x, y := a.Steps[s], b.Steps[s]
		name := a.Str(x.Name)
		if x != y {
			add("step %s: flags %x->%x stream %q->%q", name, x.Flags, y.Flags, a.Str(x.Stream), b.Str(y.Stream))
		}
		for i := range a.Ops(&x) {
			if p, q := a.Ops(&x)[i], b.Ops(&y)[i]; p != q {
				add("step %s operand %d: %s -> %s", name, i, operandText(a, &p), operandText(b, &q))
			}
		}
		for i, p := range a.AttrList(x.Attrs) {
			if q := b.AttrList(y.Attrs)[i]; p != q {
				add("step %s attribute %s", name, a.Str(p.Key))
			}
		}
	}
	x, y := itemNames(a, e), itemNames(b, e)
	for i := 0; i < len(x) || i < len(y); i++ {
		if i >= len(x) || i >= len(y) || x[i] != y[i] {
			add("order from item %d on: %v -> %v", i, x[min(i, len(x)):min(i+3, len(x))], y[min(i, len(y)):min(i+3, len(y))])
			break
		}
	}
	return strings.Join(out, "; ")
}

func weightTexts(p *plan.Plan) []string {
	out := make([]string, len(p.Weights))
	for i := range p.Weights {
		w := &p.Weights[i]
		out[i] = fmt.Sprintf("%s %s %s in %s", p.Str(w.Name), p.Str(w.Type), p.Str(w.Layout), p.Str(p.Bufs[w.Buf].Name))
	}
	return out
}

func operandText(p *plan.Plan, o *plan.Operand) string {
	end := func(l plan.Lin) string {
		if l == plan.Whole {
			return "end"
		}
		if l.Sym == plan.NoSym {
			return fmt.Sprint(l.C)
		}
		return fmt.Sprintf("%d+%d*%s", l.C, l.K, plan.SymNames[l.Sym])
	}
	s := fmt.Sprintf("%s %s[%s:%s]", o.Effect, p.Str(p.Bufs[o.Buf].Name), end(o.Lo), end(o.Hi))
	if o.Late {
		s += " late"
	}
	if o.DType != 0 || o.Layout != 0 {
		s += fmt.Sprintf(" :%s/%s", p.Str(o.DType), p.Str(o.Layout))
	}
	return s
}

func itemNames(p *plan.Plan, e int) []string {
	var out []string
	for _, it := range p.EntryItems(&p.Entries[e]) {
		switch it.Kind {
		case plan.DoStep:
			out = append(out, p.Str(p.Steps[it.Index].Name))
		default:
			out = append(out, it.Kind.String()+" "+p.Str(it.Name)+"@"+p.Str(it.Stream))
		}
	}
	return out
}
