package kernels

import (
	"fmt"

	"dsac/codegen"
	"dsac/runtime/plan"
)

// halfTile is how half_rows divides its rows: some warps have one, each thread a few vectors of
// four elements, which it keeps in registers between finding the largest and rounding.
type halfTile struct {
	cols int // values of a row
	per  int // warps of a row
	each int // vectors of a thread
	rows int // of a block
}

// maxHalfVectors bounds the registers of a thread.
const maxHalfVectors = 16

func newHalfTile(cols int) (t halfTile, err error) {
	t = halfTile{cols: cols, per: 1}
	count := func() int { return ceilDiv(plan.HalfWidth(cols)/4, 32*t.per) }
	for t.per < 32 && count() > 8 {
		t.per *= 2
	}
	t.each, t.rows = count(), max(1, 8/t.per)
	if t.each > maxHalfVectors {
		return t, fmt.Errorf("rows of %d elements do not fit the registers of a block", cols)
	}
	return t, nil
}

// halfRows: h = x in f16; rows whose largest magnitude is plan.HalfBig or more are divided by a
// power of two first. One pass over memory.
func halfRows(s *codegen.Spec) (Kernel, error) {
	x, h := s.Operands[0], s.Operands[1]
	if s.Int("flat") != 0 && len(x.Shape) > 2 {
		if x.Cols > 0 {
			return Kernel{}, fmt.Errorf("columns of rows that are seen as one")
		}
		x.Shape = []int{x.Shape[0], elems(x.Shape[1:])}
	}
	t, err := newHalfTile(x.Selected())
	if err != nil {
		return Kernel{}, err
	}
	rows := elems(h.Shape[:len(h.Shape)-1])
	return Kernel{Launch: codegen.Line(ceilDiv(rows, t.rows), 32*t.per*t.rows), Emit: func(k *codegen.K) {
		row := k.BlockX().Mul(t.rows).Add(k.Thread().UDiv(32 * t.per))
		live := row.Lt(k.Live().Mul(h.Inner()))
		last := k.I32(rows - 1)
		if rows%t.rows == 0 { // kernels for other numbers of rows have the same text
			last = k.GridX().Mul(t.rows).Sub(1)
		}
		row = row.UMin(last)
		from := rowAt(k.Arg(0), x, row)
		to := k.Arg(1).Elem(row, plan.HalfWidth(t.cols)*plan.HalfBytes)
		vectors := make([][4]codegen.F32, t.each)
		largest := k.F32(0)
		for i := range vectors {
			at, _ := t.vector(k, i)
			vectors[i] = t.load(k, x, from, at, live)
			for _, v := range vectors[i] {
				largest = largest.Max(v.Abs())
			}
		}
		factor, scale := t.scale(k, largest, live)
		for i, v := range vectors {
			at, ok := t.vector(k, i)
			var w [2]codegen.I32
			for j := range w {
				w[j] = k.PackH2(v[2*j].Mul(factor), v[2*j+1].Mul(factor)).Bits()
			}
			if (i+1)*32*t.per*4 > plan.HalfScale(t.cols) {
				w[0] = codegen.Select(at.Eq(plan.HalfScale(t.cols)/4), scale.Bits(), w[0])
			}
			to.Elem(at, 4*plan.HalfBytes).When(ok.And(live)).StI32x2(w)
		}
	}}, nil
}

// vector returns the number of vector i of this thread, and whether the row has it.
func (t halfTile) vector(k *codegen.K, i int) (codegen.I32, codegen.Pred) {
	last := plan.HalfWidth(t.cols)/4 - 1
	at := k.Thread().And(32*t.per - 1).Add(i * 32 * t.per)
	return at.UMin(last), at.Le(last)
}

// load reads four values of a row; zeros past its end.
func (t halfTile) load(k *codegen.K, x codegen.OperandSpec, row codegen.Ptr, at codegen.I32, live codegen.Pred) (v [4]codegen.F32) {
	if t.cols%4 == 0 && vectorWidth(x) == 4 {
		return row.Elem(at.UMin(t.cols/4-1), 4*f32).When(live.And(at.Lt(t.cols / 4))).LdF32x4()
	}
	for e := range v {
		c := at.Mul(4).Add(e)
		v[e] = row.Elem(c.UMin(t.cols-1), f32).When(live.And(c.Lt(t.cols))).LdF32()
	}
	return v
}

// scale returns what the row is multiplied by and what undoes that.
func (t halfTile) scale(k *codegen.K, largest codegen.F32, live codegen.Pred) (factor, scale codegen.F32) {
	largest = k.WarpMax(largest)
	if t.per > 1 { // the block has one row, or per is less than its warps
		part := k.Shared("largest", t.per*t.rows*f32)
		k.If(k.Lane().Eq(0), func() { part.Elem(k.Warp(), f32).StF32(largest) })
		k.Sync()
		first := k.Warp().UDiv(t.per).Mul(t.per)
		for w := range t.per {
			largest = largest.Max(part.Elem(first.Add(w), f32).LdF32())
		}
	}
	return rowScale(k, largest, k.Thread().And(32*t.per-1).Eq(0).And(live))
}

// rowScale returns what a row with this largest magnitude is multiplied by and what undoes that.
// A row that holds an infinity keeps 1 and is counted, by the thread for which counts holds.
func rowScale(k *codegen.K, largest codegen.F32, counts codegen.Pred) (factor, scale codegen.F32) {
	e := largest.Bits().Shr(23)
	infinite := e.Ge(255)
	k.If(infinite.And(counts), func() { k.Ctl().At(plan.CtlOverflow).Count(k.I32(1)) })
	big := largest.Ge(float64(plan.HalfBig)).And(infinite.Not())
	one := k.F32(1)
	return codegen.Select(big, k.I32(267).Sub(e).Shl(23).AsF32(), one), codegen.Select(big, e.Sub(13).Shl(23).AsF32(), one)
}
