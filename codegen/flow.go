package codegen

import (
	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/value"
)

// If runs then where p holds.
func (k *K) If(p Pred, then func()) { k.IfElse(p, then, nil) }

// IfElse runs then where p holds, otherwise els.
func (k *K) IfElse(p Pred, then, els func()) {
	if n, ok := known(p.v); ok {
		if n != 0 {
			k.scope(then)
		} else if els != nil {
			k.scope(els)
		}
		return
	}
	from, before := k.cur, k.values()
	yes := k.block("then")
	k.cur = yes
	k.scope(then)
	afterThen, thenEnd := k.values(), k.cur

	k.restore(before)
	afterElse, elseEnd, no := before, from, (*ir.Block)(nil)
	if els != nil {
		no = k.block("else")
		k.cur = no
		k.scope(els)
		afterElse, elseEnd = k.values(), k.cur
	}
	end := k.block("end")
	if els == nil {
		no = end
	} else {
		elseEnd.Term = ir.NewBr(end)
	}
	from.Term = ir.NewCondBr(p.v, yes, no)
	thenEnd.Term = ir.NewBr(end)
	k.cur = end
	k.merge(afterThen, thenEnd, afterElse, elseEnd)
}

// ReturnIf ends the thread where p holds; in a stage that others follow, the stage. Threads that
// go on must not meet a barrier that the others would have to reach.
func (k *K) ReturnIf(p Pred) {
	out, on := k.block("return"), k.block("body")
	if k.window != nil && k.window.end != nil {
		out.Term = ir.NewBr(k.window.end)
	} else {
		out.Term = ir.NewRet(nil)
	}
	if !k.waits {
		k.leaving = append(k.leaving, out)
	}
	k.cur.Term = ir.NewCondBr(p.v, out, on)
	k.cur = on
}

// For runs body for i = lo, lo+step, .. while i < hi (signed). lo, hi and step are I32 values
// or Go integers. The test is at the end of the loop; one ahead of it is left out where lo < hi
// is known.
func (k *K) For(lo, hi, step any, body func(i I32)) {
	first, last, by := k.i32(lo), k.i32(hi), k.i32(step)
	enter := first.Lt(last)
	from, before := k.cur, k.values()
	skip, sure := known(enter.v)
	if sure && skip == 0 {
		return
	}
	loop := k.block("loop")
	k.cur = loop
	i := k.phi(ir.NewIncoming(first.v, from))
	phis := k.loopPhis(before, from)
	k.scope(func() { body(I32{k, i}) })
	next := I32{k, i}.Add(by)
	again := next.Lt(last)
	latch, after := k.cur, k.values()
	i.Incs = append(i.Incs, ir.NewIncoming(next.v, latch))
	end := k.block("end")
	closeLoop(phis, after, latch)
	latch.Term = ir.NewCondBr(again.v, loop, end)
	k.cur = end
	if sure {
		from.Term = ir.NewBr(loop)
		return
	}
	from.Term = ir.NewCondBr(enter.v, loop, end)
	k.merge(before, from, after, latch)
}

// Each shares n items among threads: the one that is number `thread` runs body for items
// thread, thread+threads, .. below n.
func (k *K) Each(thread I32, threads, n int, body func(i I32)) {
	switch {
	case n == threads:
		k.scope(func() { body(thread) })
	case n < threads:
		k.If(thread.Lt(n), func() { body(thread) })
	default:
		k.For(thread, n, threads, body)
	}
}

// While runs body as long as cond holds; cond is evaluated before each round.
func (k *K) While(cond func() Pred, body func()) {
	from, before := k.cur, k.values()
	head := k.block("while")
	from.Term = ir.NewBr(head)
	k.cur = head
	phis := k.loopPhis(before, from)
	p := cond()
	test, atTest := k.cur, k.values()
	loop := k.block("loop")
	k.cur = loop
	k.scope(body)
	latch := k.cur
	latch.Term = ir.NewBr(head)
	closeLoop(phis, k.values(), latch)
	end := k.block("end")
	test.Term = ir.NewCondBr(p.v, loop, end)
	k.cur = end
	k.restore(atTest)
}

// loopPhis makes a phi of every variable at the head of a loop; simplify removes those that
// the loop does not change.
func (k *K) loopPhis(before []value.Value, from *ir.Block) []*ir.InstPhi {
	phis := make([]*ir.InstPhi, len(before))
	for i, v := range before {
		phis[i] = k.phi(ir.NewIncoming(v, from))
		k.slots[i].v = phis[i]
	}
	return phis
}

func closeLoop(phis []*ir.InstPhi, after []value.Value, latch *ir.Block) {
	for i, p := range phis {
		if !p.Typ.Equal(after[i].Type()) {
			panic("BUG: a variable changed from " + p.Typ.String() + " to " + after[i].Type().String())
		}
		p.Incs = append(p.Incs, ir.NewIncoming(after[i], latch))
	}
}
