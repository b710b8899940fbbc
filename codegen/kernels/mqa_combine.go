package kernels

import (
	"dsac/codegen"
	"dsac/codegen/kernels/product"
	"dsac/ir/ops"
)

// mqaCombine: a block per head, query row and run of columns; a thread has one column, whose
// parts it loads before it knows their factors. Each warp works the factors out for itself, a
// lane per part.
func mqaCombine(s *codegen.Spec) (Kernel, error) {
	part := s.Operands[0]
	parts, heads, rank := part.Shape[1], part.Shape[2], s.Operands[1].Width()
	threads := min(combineThreads, warps(rank))
	launch := codegen.Line(heads, threads)
	launch.Grid[1], launch.Grid[2] = uint32(s.Rows), uint32(ceilDiv(rank, threads))
	if s.Rows == 1 {
		launch.Shared = combineRoom
	}
	return Kernel{Launch: launch, Emit: func(k *codegen.K) {
		head, t := k.BlockX(), k.BlockY()
		if s.Rows > 1 { // there is always one row
			k.ReturnIf(t.Ge(k.Live()))
		}
		row := func(i any) codegen.Ptr { // of part i
			return k.Arg(0).Elem(t, parts*heads*(rank+ops.PartTail)*f32).Elem(head, (rank+ops.PartTail)*f32).Elem(i, heads*(rank+ops.PartTail)*f32)
		}
		own := k.BlockZ().Mul(threads).Add(k.Thread())
		c := own.Min(rank - 1)
		x := make([]codegen.F32, parts)
		for i := range x {
			x[i] = row(i).Elem(c, f32).LdF32()
		}
		factors, total := product.PartFactors(k, parts, func(i codegen.I32) codegen.Ptr { return row(i).At(rank * f32) })
		sum := k.F32(0)
		for i := range x {
			sum = x[i].Fma(codegen.ShflIdx(factors[i/32], i%32), sum)
		}
		out := k.Arg(1).Elem(t.Mul(heads).Add(head), rank*f32).Elem(c, f32)
		if rank%threads != 0 {
			out = out.When(own.Lt(rank))
		}
		out.StF32(sum.Div(total))
	}}, nil
}

// combineThreads is the most threads of a block: few, so that one row keeps a device busy.
const combineThreads = 128

// combineRoom is shared memory that nobody uses. Blocks come while mqa_partial still runs and
// would crowd onto the few multiprocessors that have none of its blocks; this keeps them apart.
const combineRoom = 48 << 10
