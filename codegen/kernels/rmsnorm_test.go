package kernels

import (
	"testing"

	"dsac/codegen"
	"dsac/ir"
)

func TestRmsnorm(t *testing.T) {
	eps := ir.Attrs{{Name: "eps", Val: 1e-5}}
	var trials []trial
	for _, c := range []struct {
		x codegen.OperandSpec
	}{
		{dense(1, 6144)}, {dense(3, 2048)}, {dense(2, 70)}, {dense(7, 33)}, {dense(2, 1)},
		{columns(dense(8, 576), 0, 512)}, {columns(dense(3, 100), 2, 68)}, {columns(dense(3, 100), 1, 68)},
		{dense(2, 3, 20)}, {dense(17, 20)}, {dense(1, 16384)}, {dense(1, 12289)},
	} {
		y := dense(append(append([]int(nil), c.x.Shape[:len(c.x.Shape)-1]...), c.x.Selected())...)
		trials = append(trials, trial{spec: codegen.Spec{Op: "rmsnorm", Operands: operands(c.x, dense(c.x.Selected()), y), Attrs: eps, Rows: c.x.Shape[0]},
			steps: liveRows(c.x.Shape[0])})
	}
	// After take_rows there are fewer rows than the step has.
	trials = append(trials, trial{spec: codegen.Spec{Op: "rmsnorm", Operands: operands(dense(1, 64), dense(64), dense(1, 64)), Attrs: eps, Rows: 8}, steps: liveRows(8)})
	check(t, trials)
}
