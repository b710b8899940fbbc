package kernels

import (
	"fmt"

	"dsac/codegen"
)

// embedTypes are the types that a table of embeddings may have.
const embedTypes = "f32 f16 bf16 q8_0 q4_0 q4_1 q5_0 q5_1 iq4_nl mxfp4 q2_k q3_k q4_k q5_k q6_k iq4_xs"

// embed: y[t] = table[ids[t]], decoded; four elements per thread. Ids outside the table give
// its first or last row: whoever made the ids has checked them.
func embed(s *codegen.Spec) (Kernel, error) {
	const threads = 128
	table, width := s.Operands[1], s.Operands[2].Width()
	b := blockTypes[table.DType]
	if width%4 != 0 {
		return Kernel{}, fmt.Errorf("embeddings of %d elements: want a multiple of 4", width)
	}
	launch := codegen.Line(s.Rows, threads)
	launch.Grid[1] = uint32(ceilDiv(width/4, threads))
	return Kernel{launch, func(k *codegen.K) {
		t := k.BlockX()
		four := k.BlockY().Mul(threads).Add(k.Thread())
		k.ReturnIf(t.Ge(k.Rows(s.Rows)))
		k.ReturnIf(four.Ge(width / 4))
		id := k.Arg(0).ReadOnly().Elem(t, 4).LdI32().Clamp(0, table.Shape[0]-1)
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
