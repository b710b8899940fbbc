package ref

// Op is one row of Table.
type Op struct {
	Name  string
	Args  int      // operands
	Attrs []string // attributes that a step must carry
	Run   Func
	// Rows: rows [Lo, Hi) of the results depend on no other row that the op writes, so a
	// device may run parts of the rows at the same time.
	Rows bool
	// Flat lists the operands that are seen as [T, rest]: all dimensions but the first are one.
	Flat []int
}

// Table lists every op with a reference, in the order of the op list: movement, products,
// attention, choice, experts, element-wise, end of step.
var Table = []Op{
	{Name: "embed", Args: 3, Run: embed, Rows: true},
	{Name: "rmsnorm", Args: 3, Attrs: []string{"eps"}, Run: rmsnorm, Rows: true},
	{Name: "layernorm", Args: 4, Attrs: []string{"eps"}, Run: layernorm, Rows: true},
	{Name: "rope", Args: 2, Attrs: []string{"dims", "off", "base", "style"}, Run: rope, Rows: true},
	{Name: "concat", Args: 3, Run: concat, Rows: true},
	{Name: "append", Args: 2, Run: appendRows, Rows: true},
	{Name: "append2", Args: 3, Run: append2, Rows: true},
	{Name: "take_rows", Args: 2, Run: takeRows},
	{Name: "slice", Args: 2, Attrs: []string{"off"}, Run: slice, Rows: true},
	{Name: "copy", Args: 2, Run: copyRows, Rows: true},

	{Name: "matmul", Args: 3, Run: matmul, Rows: true, Flat: []int{0, 2}},
	{Name: "matmul_add", Args: 4, Run: matmulAdd, Rows: true, Flat: []int{0}},
	{Name: "gate_up", Args: 4, Run: gateUp, Rows: true, Flat: []int{0}},
	{Name: "head_matmul", Args: 3, Run: headMatmul, Rows: true},

	{Name: "mla_attend", Args: 6, Attrs: []string{"scale", "nope"}, Run: mlaAttend, Rows: true},
	{Name: "mqa_attend", Args: 5, Attrs: []string{"scale"}, Run: mqaAttend, Rows: true},
	{Name: "index_topk", Args: 5, Attrs: []string{"scale", "k"}, Run: indexTopk},

	{Name: "topk", Args: 2, Attrs: []string{"k"}, Run: topk, Rows: true},
	{Name: "group_mask", Args: 2, Attrs: []string{"groups", "used"}, Run: groupMask, Rows: true},
	{Name: "gate_weights", Args: 3, Attrs: []string{"norm", "scale", "floor"}, Run: gateWeights, Rows: true},
	{Name: "router", Args: 4, Attrs: []string{"k", "norm", "scale", "floor", "groups", "used"}, Run: router, Rows: true},

	{Name: "expert_matmul", Args: 4, Run: expertMatmul, Rows: true},
	{Name: "expert_gate_up", Args: 5, Run: expertGateUp, Rows: true},
	{Name: "expert_combine", Args: 3, Run: expertCombine, Rows: true},
	{Name: "expert_down", Args: 5, Run: expertDown, Rows: true},
	{Name: "expert_down_add", Args: 6, Run: expertDownAdd, Rows: true},

	{Name: "sigmoid", Args: 2, Run: sigmoid, Rows: true},
	{Name: "silu_mul", Args: 3, Run: siluMul, Rows: true},
	{Name: "add", Args: 3, Run: add, Rows: true},
	{Name: "mul", Args: 3, Run: mul, Rows: true},
	{Name: "add_row", Args: 3, Run: addRow, Rows: true},

	{Name: "sample", Args: 6, Run: draw},
	{Name: "advance", Args: 2, Run: advance},
}

// Lookup returns the row of Table for a name.
func Lookup(name string) (*Op, bool) {
	for i := range Table {
		if Table[i].Name == name {
			return &Table[i], true
		}
	}
	return nil, false
}
