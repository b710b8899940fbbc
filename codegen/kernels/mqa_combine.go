package kernels

import (
	"dsac/codegen"
	"dsac/codegen/kernels/product"
)

// mqaCombine: a block per head, query row and run of columns; a thread has two columns, whose
// parts it loads before it knows their factors. Each warp works the factors out for itself, a
// lane per part.
func mqaCombine(s *codegen.Spec) (Kernel, error) {
	j := product.PartsOf(s.Operands[0])
	pairs := j.Rank / 2
	threads := min(combineThreads, warps(pairs))
	launch := codegen.Line(j.Heads, threads)
	launch.Grid[1], launch.Grid[2] = uint32(s.Rows), uint32(ceilDiv(pairs, threads))
	if s.Rows == 1 {
		launch.Shared = combineRoom
	}
	return Kernel{Launch: launch, Emit: func(k *codegen.K) {
		head, t := k.BlockX(), k.BlockY()
		if s.Rows > 1 { // there is always one row
			k.ReturnIf(t.Ge(k.Live()))
		}
		own := k.BlockZ().Mul(threads).Add(k.Thread())
		pair := own.Min(pairs - 1)
		x := j.Load(k, t, head, pair, k.Bool(true))
		mean := j.Join(k, j.Room(k, threads/32), t, head, x, k.Bool(true))
		out := k.Arg(2).Elem(t.Mul(j.Heads).Add(head), j.Rank*f32).Elem(pair, 2*f32)
		if pairs%threads != 0 {
			out = out.When(own.Lt(pairs))
		}
		out.StF32x2(mean)
	}}, nil
}

// mqaValues is mqa_combine with the product behind it.
func mqaValues(s *codegen.Spec) (Kernel, error) {
	l, emit, err := product.MakeValues(s)
	return Kernel{Launch: l, Emit: emit}, err
}

// combineThreads is the most threads of a block: few, so that one row keeps a device busy.
const combineThreads = 128

// combineRoom is shared memory that nobody uses. Blocks come while mqa_partial still runs and
// would crowd onto the few multiprocessors that have none of its blocks; this keeps them apart.
const combineRoom = 96 << 10
