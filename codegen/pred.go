package codegen

import (
	"github.com/llir/llvm/ir"
)

// And says whether both hold; both are computed.
func (p Pred) And(q Pred) Pred {
	if n, ok := known(p.v); ok {
		if n == 0 {
			return p
		}
		return q
	}
	if n, ok := known(q.v); ok {
		if n == 0 {
			return q
		}
		return p
	}
	return Pred{p.k, p.k.emit(ir.NewAnd(p.v, q.v))}
}

// Or says whether one holds; both are computed.
func (p Pred) Or(q Pred) Pred {
	if n, ok := known(p.v); ok {
		if n != 0 {
			return p
		}
		return q
	}
	if n, ok := known(q.v); ok {
		if n != 0 {
			return q
		}
		return p
	}
	return Pred{p.k, p.k.emit(ir.NewOr(p.v, q.v))}
}

// Not is the opposite.
func (p Pred) Not() Pred {
	if n, ok := known(p.v); ok {
		return p.k.Bool(n == 0)
	}
	return Pred{p.k, p.k.emit(ir.NewXor(p.v, p.k.Bool(true).v))}
}

// Select returns a where p holds, b elsewhere; both are computed.
func Select[T Value](p Pred, a, b T) T {
	if n, ok := known(p.v); ok {
		if n != 0 {
			return a
		}
		return b
	}
	x, y := raw(a), raw(b)
	return T(val{p.k, p.k.emit(ir.NewSelect(p.v, x.v, y.v))})
}
