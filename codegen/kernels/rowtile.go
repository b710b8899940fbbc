package kernels

import (
	"fmt"

	"dsac/codegen"
)

// rowTile spreads a row over the registers of a block: vector j of thread i is vector
// j*threads + i of the row, so that neighbours access neighbouring bytes.
type rowTile struct {
	cols    int // elements of the row
	width   int // elements of a vector: 4, 2 or 1
	threads int
	each    int // vectors per thread
}

// tileRow chooses a tile for rows of cols elements in the given operands.
func tileRow(cols int, operands ...codegen.OperandSpec) (rowTile, error) {
	t := rowTile{cols: cols, width: vectorWidth(operands...)}
	vectors := ceilDiv(cols, t.width)
	t.each = 1
	for ceilDiv(vectors, t.each) > 256 && t.each < 4 {
		t.each++
	}
	for ceilDiv(vectors, t.each) > 1024 {
		t.each++
	}
	t.threads = warps(ceilDiv(vectors, t.each))
	if t.each*t.width > 64 {
		return t, fmt.Errorf("rows of %d elements do not fit the registers of a block", cols)
	}
	return t, nil
}

// at returns the number of vector j of this thread, and whether it is in the row.
func (t rowTile) at(k *codegen.K, j int) (codegen.I32, codegen.Pred) {
	i := k.Thread().Add(j * t.threads)
	if (j+1)*t.threads*t.width <= t.cols {
		return i, k.Bool(true)
	}
	return i, i.Lt(t.cols / t.width)
}

// load reads this thread's elements of the row at p; zeros past its end.
func (t rowTile) load(k *codegen.K, p codegen.Ptr) []codegen.F32 {
	var xs []codegen.F32
	for j := range t.each {
		i, ok := t.at(k, j)
		xs = append(xs, p.Elem(i, t.width*f32).When(ok).LdF32s(t.width)...)
	}
	return xs
}

// store writes them.
func (t rowTile) store(k *codegen.K, p codegen.Ptr, xs []codegen.F32) {
	for j := range t.each {
		i, ok := t.at(k, j)
		p.Elem(i, t.width*f32).When(ok).StF32s(xs[j*t.width : (j+1)*t.width]...)
	}
}
