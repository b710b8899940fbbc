package codegen

import (
	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/value"
)

// Var is a variable: what If, For and While change has to be one. It lives until the end of
// the body in which it was made.
type Var[T Value] struct{ s *slot }

type slot struct {
	k    *K
	v    value.Value
	dead bool
}

// Let makes a variable.
func Let[T Value](init T) *Var[T] {
	x := raw(init)
	s := &slot{k: x.k, v: x.v}
	x.k.slots = append(x.k.slots, s)
	return &Var[T]{s}
}

// Lets makes n variables that start alike.
func Lets[T Value](n int, init T) []*Var[T] {
	vs := make([]*Var[T], n)
	for i := range vs {
		vs[i] = Let(init)
	}
	return vs
}

// Get returns the value now.
func (v *Var[T]) Get() T {
	v.s.check()
	return T(val{v.s.k, v.s.v})
}

// Set changes the value.
func (v *Var[T]) Set(x T) {
	v.s.check()
	v.s.v = raw(x).v
}

func (s *slot) check() {
	if s.dead {
		s.k.failf("variable used outside the body that made it")
	}
}

// scope runs body and forgets the variables that it makes.
func (k *K) scope(body func()) {
	n := len(k.slots)
	body()
	for _, s := range k.slots[n:] {
		s.dead = true
	}
	k.slots = k.slots[:n]
}

func (k *K) values() []value.Value {
	vs := make([]value.Value, len(k.slots))
	for i, s := range k.slots {
		vs[i] = s.v
	}
	return vs
}

func (k *K) restore(vs []value.Value) {
	for i, s := range k.slots {
		s.v = vs[i]
	}
}

// merge gives every variable its value where two paths meet; k.cur is the meeting block.
func (k *K) merge(a []value.Value, from *ir.Block, b []value.Value, from2 *ir.Block) {
	for i, s := range k.slots {
		s.v = a[i]
		if a[i] != b[i] {
			s.v = k.phi(ir.NewIncoming(a[i], from), ir.NewIncoming(b[i], from2))
		}
	}
}

// phi adds a phi ahead of the other instructions of the current block, which has only phis.
func (k *K) phi(incs ...*ir.Incoming) *ir.InstPhi {
	p := ir.NewPhi(incs...)
	k.cur.Insts = append(k.cur.Insts, p)
	return p
}

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

// ReturnIf ends the thread where p holds. Threads that go on must not meet a barrier that the
// others would have to reach.
func (k *K) ReturnIf(p Pred) {
	out, on := k.block("return"), k.block("body")
	out.Term = ir.NewRet(nil)
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
