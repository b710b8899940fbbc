package ops

import (
	"fmt"

	"dsac/ir"
)

// errShape says what a shape rule wanted and what it got.
func errShape(operand string, got ir.Type, want string) error {
	return fmt.Errorf("operand %s is %s, want %s", operand, got, want)
}

// flat folds all dimensions but the first into one: [T,H,d] seen as [T,H*d]. Only the first
// may be symbolic.
func flat(t ir.Type) (ir.Type, bool) {
	if t.Rank < 2 {
		return t, false
	}
	k := uint32(1)
	for _, d := range t.Shape()[1:] {
		if d.Sym != ir.NoSym {
			return t, false
		}
		k *= d.K
	}
	return ir.Of(t.DType, t.Dims[0], ir.Dim{K: k}), true
}

// activation demands f32 of the given rank.
func activation(name string, t ir.Type, ranks ...uint8) error {
	for _, r := range ranks {
		if t.Rank == r && t.DType == ir.F32 {
			return nil
		}
	}
	return errShape(name, t, fmt.Sprintf("f32 with %v dimensions", ranks))
}

// vector demands a weight of one dimension with the extent of the activation's last one.
func vector(name string, t ir.Type, last ir.Dim) error {
	if t.Rank != 1 || t.Dims[0] != last {
		return errShape(name, t, fmt.Sprintf("[%s]", last))
	}
	return nil
}

// list demands an i32 list [rows,k] with the same rows as an activation.
func list(name string, t ir.Type, rows ir.Dim) error {
	if t.DType != ir.I32 || t.Rank != 2 || t.Dims[0] != rows {
		return errShape(name, t, fmt.Sprintf("i32[%sxk]", rows))
	}
	return nil
}

// same demands equal types.
func same(a, b string, ta, tb ir.Type) error {
	if ta != tb {
		return fmt.Errorf("operands %s and %s differ: %s and %s", a, b, ta, tb)
	}
	return nil
}

// project is the shape rule of y = x W^T: x [T,...] flattened, W [N,K] of any type.
// heads > 1 gives [T,heads,N/heads].
func project(x, w ir.Type, heads int) (ir.Type, error) {
	x = exact(x, w)
	fx, ok := flat(x)
	if !ok || x.DType != ir.F32 {
		return x, errShape("x", x, "f32[TxK]")
	}
	if w.Rank != 2 || w.Dims[1] != fx.Dims[1] {
		return x, errShape("weight", w, fmt.Sprintf("[N x %s] to match x %s", fx.Dims[1], x))
	}
	n := w.Dims[0]
	if heads <= 1 {
		return ir.Of(ir.F32, x.Dims[0], n), nil
	}
	if n.Sym != ir.NoSym || int(n.K)%heads != 0 {
		return x, errShape("weight", w, fmt.Sprintf("rows that %d heads divide", heads))
	}
	return ir.Of(ir.F32, x.Dims[0], ir.Fixed(heads), ir.Fixed(int(n.K)/heads)), nil
}

// experts is the shape rule of a product with chosen experts: x [T,K] or [T,k,K], W [E,N,K],
// idx [T,k] give [T,k,N].
func experts(x, w, idx ir.Type) (ir.Type, error) {
	x = exact(x, w)
	if err := activation("x", x, 2, 3); err != nil {
		return x, err
	}
	if err := list("idx", idx, x.Dims[0]); err != nil {
		return x, err
	}
	if x.Rank == 3 && x.Dims[1] != idx.Dims[1] {
		return x, errShape("x", x, fmt.Sprintf("[T x %s x K]", idx.Dims[1]))
	}
	if w.Rank != 3 || w.Dims[2] != x.Last() {
		return x, errShape("weight", w, fmt.Sprintf("[E x N x %s]", x.Last()))
	}
	return ir.Of(ir.F32, x.Dims[0], idx.Dims[1], w.Dims[1]), nil
}

func r(name string) ir.Operand  { return ir.Operand{Name: name, Effect: ir.Read} }
func rc(name string) ir.Operand { return ir.Operand{Name: name, Effect: ir.Read, Columns: true} }
func rf(name string) ir.Operand {
	return ir.Operand{Name: name, Effect: ir.Read, Columns: true, Flat: true}
}

// h says that the operand may be rows of half_rows as well.
func h(o ir.Operand) ir.Operand {
	o.Halves = true
	return o
}

func rw(name string) ir.Operand {
	return ir.Operand{Name: name, Effect: ir.Read, Packed: true}
}
func rp(name string) ir.Operand { return ir.Operand{Name: name, Effect: ir.Read, Partial: true} }
func rs(name string) ir.Operand { return ir.Operand{Name: name, Effect: ir.Read, State: true} }
func w(name string) ir.Operand  { return ir.Operand{Name: name, Effect: ir.Write} }
func ws(name string) ir.Operand { return ir.Operand{Name: name, Effect: ir.Write, State: true} }

// Reasons of tolerances, stated once.
const (
	whyExact    = "moves or compares values, computes nothing"
	whyIntegers = "sums of integers, weights computed operation by operation as the reference does"
	whyF32      = "float32 arithmetic in another order"
	whyF16      = "inputs rounded to f16 (2^-11 relative), products summed in f32"
)
