package ops

import "dsac/ir"

// Allreduce: y = the sum of x over all ranks, added in rank order.
var Allreduce = &ir.Op{
	Name:     "allreduce",
	Doc:      "y = the sum of x over all ranks, added in rank order",
	Operands: []ir.Operand{r("x"), w("y")},
	Alias:    []ir.Alias{{Out: "y", In: "x", By: ir.ElementWise}},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		return []ir.Type{in[0]}, activation("x", in[0], 2, 3)
	},
	Tol:        ir.Tol{Rel: 2e-6, Why: whyF32},
	Kernel:     "allreduce",
	Collective: "ar",
}
