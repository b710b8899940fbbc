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
