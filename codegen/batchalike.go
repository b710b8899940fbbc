package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/value"
)

// alike says that the first n of some parts are the same code but for integers, as products are
// that differ in their number of columns. Such parts are emitted once, with the integers and the
// operands chosen by the block: half of the code of merged products, and of what assembling it takes.
type alike struct {
	n      int
	differ []integer
}

// integer is an operand that parts have different numbers for: number operand of instruction
// inst, counted from the start of the part.
type integer struct {
	inst, operand int
	values        []*constant.Int // by part
}

// alike returns how many of the parts are like the first, that one included.
func (m *Module) alike(parts []Chain, threads int) (a alike) {
	a.n = 1
	var first *body
	for ; a.n < len(parts); a.n++ {
		p, q := parts[0], parts[a.n]
		if len(p) != len(q) || p.operands() != q.operands() || p.Threads() != q.Threads() {
			return a
		}
		if first == nil {
			if first = m.alone(p, threads); first == nil {
				return a
			}
		}
		other := m.alone(q, threads)
		if other == nil || !a.with(first, other) {
			return a
		}
	}
	return a
}

// with adds what a part has other numbers for than the first one, if that is all that differs.
func (a *alike) with(first, other *body) bool {
	if len(first.insts) != len(other.insts) || !slices.Equal(first.rest, other.rest) {
		return false
	}
	var found []integer
	was, is := first.lines(), other.lines()
	for i, x := range first.insts {
		y := other.insts[i]
		if was[i] == is[i] {
			continue
		}
		if !mayVary(x) || !mayVary(y) {
			return false
		}
		xs, ys := x.Operands(), y.Operands()
		if len(xs) != len(ys) {
			return false
		}
		for j := range xs {
			c, ok := (*xs[j]).(*constant.Int)
			d, ok2 := (*ys[j]).(*constant.Int)
			if ok && ok2 && c.Typ.Equal(d.Typ) && c.X.Cmp(d.X) != 0 {
				found = append(found, integer{i, j, []*constant.Int{c, d}})
				*ys[j] = c
			}
		}
		same := y.LLString() == was[i]
		for _, f := range found {
			if f.inst == i {
				*ys[f.operand] = f.values[1]
			}
		}
		if !same {
			return false
		}
	}
	a.add(found)
	return true
}

// add joins the numbers of one more part, part n.
func (a *alike) add(found []integer) {
	for i := range a.differ {
		a.differ[i].values = append(a.differ[i].values, a.differ[i].values[0])
	}
	for _, f := range found {
		at := slices.IndexFunc(a.differ, func(d integer) bool { return d.inst == f.inst && d.operand == f.operand })
		if at < 0 {
			at = len(a.differ)
			a.differ = append(a.differ, integer{f.inst, f.operand, slices.Repeat(f.values[:1], a.n+1)})
		}
		a.differ[at].values[a.n] = f.values[1]
	}
}

// mayVary says whether an instruction takes numbers that are not known when it is compiled.
func mayVary(in ir.Instruction) bool {
	if c, ok := in.(*ir.InstCall); ok {
		f, ok := c.Callee.(*ir.Func)
		return ok && slices.ContainsFunc([]string{"min.i32", "max.i32"}, func(s string) bool { return strings.HasSuffix(f.Name(), s) })
	}
	if _, ok := in.(*ir.InstICmp); ok {
		return true
	}
	_, _, _, ok := plainBinary(in)
	return ok
}

// body is the code of a part.
type body struct {
	insts []ir.Instruction
	texts []string // as insts, when asked for
	rest  []string // all else that there is to it
}

// lines returns the texts of the instructions.
func (b *body) lines() []string {
	if b.texts == nil {
		w := newPrinter()
		for _, in := range b.insts {
			b.texts = append(b.texts, w.line(in))
		}
	}
	return b.texts
}

// alone emits a part by itself; nil when it has a fault, which will be found once more.
func (m *Module) alone(p Chain, threads int) *body {
	var names []string
	for i := range p {
		names = append(names, p[i].Operands...)
	}
	scratch := NewModule(m.Target)
	k := newK(scratch, "part", names)
	var b body
	k.guard(func(k *K) {
		k.pool = newPool(k)
		k.waiting(func() { b.insts = k.recorded(func() { k.part(p, k.special("ctaid.x"), k.params, threads) }) })
		k.pool.close()
	})
	k.cur.Term = ir.NewRet(nil)
	k.prologue.Term = ir.NewBr(k.start)
	if scratch.err != nil || k.f.AssignIDs() != nil {
		return nil
	}
	for _, x := range k.f.Blocks {
		b.rest = append(b.rest, x.Term.LLString())
	}
	for _, g := range scratch.globals {
		b.rest = append(b.rest, g.LLString())
	}
	b.rest = append(b.rest, fmt.Sprint(k.bounds))
	return &b
}

// recorded returns the instructions that emit makes, in order.
func (k *K) recorded(emit func()) []ir.Instruction {
	start, at, blocks := k.cur, len(k.cur.Insts), len(k.f.Blocks)
	emit()
	insts := slices.Clone(start.Insts[at:])
	for _, b := range k.f.Blocks[blocks:] {
		insts = append(insts, b.Insts...)
	}
	return insts
}

// parts emits parts that are alike, the blocks of which start at first.
func (k *K) parts(parts []Chain, a alike, first int, params []Ptr, threads int) {
	// here holds in the blocks of the parts up to one
	var here []Pred
	starts := []int{first}
	for _, p := range parts[:a.n-1] {
		first += p.Blocks()
		starts = append(starts, first)
		here = append(here, k.special("ctaid.x").Lt(first))
	}
	choose := func(of func(part int) value.Value) value.Value {
		v := of(a.n - 1)
		for i := a.n - 2; i >= 0; i-- {
			if x := of(i); x != v {
				v = k.emit(ir.NewSelect(here[i].v, x, v))
			}
		}
		return v
	}
	start := choose(func(i int) value.Value { return k.I32(starts[i]).v })
	n := parts[0].operands()
	args := slices.Clone(params[:n])
	for o := range args {
		args[o].v = choose(func(i int) value.Value { return params[i*n+o].v })
	}
	var vary []value.Value
	for _, d := range a.differ {
		vary = append(vary, choose(func(i int) value.Value { return d.values[i] }))
	}
	block := k.special("ctaid.x").Sub(I32{k, start})
	insts := k.recorded(func() { k.part(parts[0], block, args, threads) })
	if k.m.err != nil {
		return
	}
	for i, d := range a.differ {
		at := insts[d.inst].Operands()[d.operand]
		if c, ok := (*at).(*constant.Int); !ok || c.X.Cmp(d.values[0].X) != 0 {
			panic("BUG: a part was emitted twice and differs: " + insts[d.inst].LLString())
		}
		*at = vary[i]
	}
}
