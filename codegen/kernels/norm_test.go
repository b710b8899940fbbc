package kernels

import (
	"testing"

	"dsac/codegen"
	"dsac/ir"
)

func TestLayernorm(t *testing.T) {
	var trials []trial
	for _, x := range []codegen.OperandSpec{dense(1, 128), dense(3, 6144), dense(2, 70), dense(7, 33), columns(dense(8, 200), 4, 132)} {
		y := dense(x.Shape[0], x.Selected())
		trials = append(trials, trial{
			spec:  codegen.Spec{Op: "layernorm", Operands: operands(x, dense(x.Selected()), dense(x.Selected()), y), Attrs: ir.Attrs{{Name: "eps", Val: 1e-6}}, Rows: x.Shape[0]},
			steps: liveRows(x.Shape[0]),
		})
	}
	check(t, trials)
}
