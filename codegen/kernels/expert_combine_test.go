package kernels

import (
	"testing"

	"dsac/codegen"
)

func TestExpertCombine(t *testing.T) {
	of := func(rows, slots, width int) codegen.Spec {
		return codegen.Spec{Op: "expert_combine", Rows: rows, Operands: operands(dense(rows, slots, width), dense(rows, slots), dense(rows, width))}
	}
	check(t, []trial{
		{spec: of(17, 8, 1100), steps: liveRows(17)},
		{spec: of(3, 1, 70), steps: liveRows(3)},
		{spec: of(2, 3, 5), steps: liveRows(2)},
	})
}
