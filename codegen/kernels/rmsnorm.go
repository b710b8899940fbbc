package kernels

import (
	"dsac/codegen"
)

// rmsnorm: y = weight * x / sqrt(mean(x^2) + eps); one block per row, which it holds in
// registers: one pass over memory. y may lie on x: all of a row is read before it is written.
func rmsnorm(s *codegen.Spec) (Kernel, error) {
	x, y := s.Operands[0], s.Operands[2]
	t, err := tileRow(x.Selected(), x, y)
	if err != nil {
		return Kernel{}, err
	}
	inner := x.Inner()
	return Kernel{Launch: codegen.Line(x.Shape[0]*inner, t.threads), Emit: func(k *codegen.K) {
		row := k.BlockX()
		k.ReturnIf(row.Ge(k.Live().Mul(inner)))
		xs := t.load(k, rowAt(k.Arg(0), x, row))
		ws := t.load(k, k.Arg(1).ReadOnly())

		sum := k.F32(0)
		for _, v := range xs {
			sum = v.Fma(v, sum)
		}
		sum = blockSum(k, "sums", sum, t.threads)
		scale := k.F32(1).Div(sum.Mul(1 / float64(t.cols)).Add(s.Float("eps")).Sqrt())
		for i := range xs {
			xs[i] = xs[i].Mul(scale).Mul(ws[i])
		}
		t.store(k, rowAt(k.Arg(2), y, row), xs)
	}}, nil
}
