package kernels

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dsac/codegen"
)

// embedTypes are the types that a table of embeddings may have.
var embedTypes = strings.Join(slices.Sorted(maps.Keys(fours)), " ")

// embed: y[t] = table[ids[t]], decoded; four elements per thread. Ids outside the table give
// its first or last row: whoever made the ids has checked them.
func embed(s *codegen.Spec) (Kernel, error) {
	const threads = 128
	table, width := s.Operands[1], s.Operands[2].Width()
	b := blockOf(table.DType)
	if width%4 != 0 {
		return Kernel{}, fmt.Errorf("embeddings of %d elements: want a multiple of 4", width)
	}
	launch := codegen.Line(s.Operands[2].Shape[0], threads)
	launch.Grid[1] = uint32(ceilDiv(width/4, threads))
	return Kernel{Launch: launch, Emit: func(k *codegen.K) {
		t := k.BlockX()
		four := k.BlockY().Mul(threads).Add(k.Thread())
		k.ReturnIf(t.Ge(k.Live()))
		k.ReturnIf(four.Ge(width / 4))
		id := k.Arg(0).Elem(t, 4).LdI32().Clamp(0, table.Shape[0]-1)
		row := k.Arg(1).ReadOnly().Elem(id, width/b.elems*b.bytes)
		block, w := four.Shr(log2(b.elems/4)).Min(width/b.elems-1), four.And(b.elems/4-1)
		y := b.four(k, row.Elem(block, b.bytes), w)
		k.Arg(2).Elem(t, width*f32).Elem(four, 4*f32).StF32x4(y)
	}}, nil
}

// log2 of a power of two.
func log2(n int) int {
	l := 0
	for 1<<l < n {
		l++
	}
	return l
}
