package ref

// Op is one row of Table.
type Op struct {
	Name   string
	Shapes string   // the rule for the operands' shapes, see shape.go
	Attrs  []string // attributes that a step must carry
	Run    Func
	// Rows: rows [Lo, Hi) of the results depend on no other row that the op writes, so a
	// device may run parts of the rows at the same time.
	Rows bool
	// Halves: operand 0 may be rows of half_rows, for as many columns as operand 1 has.
	Halves bool
	// Rounds is the operand that may be written as rows of half_rows, for as many columns as
	// operand 0 has; 0: none.
	Rounds int
	// Flat lists the operands that are seen as [T, rest]: all dimensions but the first are one.
	Flat []int
}

// Table lists every op with a reference, in the order of the op list: movement, products,
// attention, choice, experts, element-wise, end of step.
var Table = []Op{
	{Name: "embed", Shapes: "_ vd td", Run: embed, Rows: true},
	{Name: "rmsnorm", Shapes: "*c c *c", Attrs: []string{"eps"}, Run: rmsnorm, Rows: true},
	{Name: "layernorm", Shapes: "*c c c *c", Attrs: []string{"eps"}, Run: layernorm, Rows: true},
	{Name: "rope", Shapes: "*c *c", Attrs: []string{"dims", "off", "base", "style"}, Run: rope, Rows: true},
	{Name: "concat", Shapes: "*a *b *a+b", Run: concat, Rows: true},
	{Name: "append", Shapes: "tc _c", Run: appendRows, Rows: true},
	{Name: "append2", Shapes: "ta tb _a+b", Run: append2, Rows: true},
	{Name: "take_rows", Shapes: "_c _c", Run: takeRows},
	{Name: "slice", Shapes: "*_ *c", Attrs: []string{"off"}, Run: slice, Rows: true},
	{Name: "half_rows", Shapes: "?_ ?_", Run: halfRows, Rows: true},
	{Name: "copy", Shapes: "*c *c", Run: copyRows, Rows: true},

	{Name: "matmul", Shapes: "tk nk tn", Run: matmul, Rows: true, Halves: true, Flat: []int{0, 2}},
	{Name: "matmul_add", Shapes: "tk nk tn tn", Run: matmulAdd, Rows: true, Halves: true, Flat: []int{0}},
	{Name: "gate_up", Shapes: "tk nk nk tn", Run: gateUp, Rows: true, Halves: true, Flat: []int{0}},
	{Name: "head_matmul", Shapes: "thk hnk thn", Run: headMatmul, Rows: true, Halves: true},

	{Name: "mla_attend", Shapes: "thq _c hrn hvr ts thv", Attrs: []string{"scale", "nope"}, Run: mlaAttend, Rows: true},
	{Name: "mqa_attend", Shapes: "thr thp _r+p ts thr", Attrs: []string{"scale"}, Run: mqaAttend, Rows: true, Rounds: 4},
	{Name: "mqa_partial", Shapes: "thr thp _r+p ts tnhr tnh_", Attrs: []string{"scale", "splits"}, Run: mqaPartial, Rows: true},
	{Name: "mqa_combine", Shapes: "tnhr tnh_ thr", Run: mqaCombine, Rows: true},
	{Name: "mqa_values", Shapes: "tnhr tnh_ hvr thv", Run: mqaValues, Rows: true},
	{Name: "index_scores", Shapes: "tid ti cd t_", Attrs: []string{"scale"}, Run: indexScores, Rows: true},
	{Name: "select_topk", Shapes: "t_ tk", Attrs: []string{"k"}, Run: selectTopk, Rows: true},
	{Name: "index_topk", Shapes: "tid ti cd tk _c", Attrs: []string{"scale", "k"}, Run: indexTopk},

	{Name: "topk", Shapes: "te tk", Attrs: []string{"k"}, Run: topk, Rows: true},
	{Name: "group_mask", Shapes: "te te", Attrs: []string{"groups", "used"}, Run: groupMask, Rows: true},
	{Name: "gate_weights", Shapes: "te tk tk", Attrs: []string{"norm", "scale", "floor"}, Run: gateWeights, Rows: true},
	{Name: "router", Shapes: "te e tk tk", Attrs: []string{"k", "norm", "scale", "floor", "groups", "used"}, Run: router, Rows: true},

	{Name: "expert_matmul", Shapes: "?k enk ts tsn", Run: expertMatmul, Rows: true, Halves: true},
	{Name: "expert_gate_up", Shapes: "?k enk enk ts tsn", Run: expertGateUp, Rows: true, Halves: true},
	{Name: "expert_combine", Shapes: "tsn ts tn", Run: expertCombine, Rows: true},
	{Name: "expert_down", Shapes: "tsk enk ts ts tn", Run: expertDown, Rows: true},
	{Name: "expert_down_add", Shapes: "tsk enk ts ts tn tn", Run: expertDownAdd, Rows: true},

	{Name: "sigmoid", Shapes: "*c *c", Run: sigmoid, Rows: true},
	{Name: "silu_mul", Shapes: "*c *c *c", Run: siluMul, Rows: true},
	{Name: "add", Shapes: "*c *c *c", Run: add, Rows: true},
	{Name: "mul", Shapes: "*c *c *c", Run: mul, Rows: true},
	{Name: "add_row", Shapes: "*c c *c", Run: addRow, Rows: true},

	{Name: "sample", Shapes: "_v _ v v _", Run: draw},
	{Name: "sample_peaks", Shapes: "_v _ v v _ _", Run: samplePeaks},
	{Name: "sample_masses", Shapes: "_v _ v v _ _", Run: sampleMasses},
	{Name: "sample_sift", Shapes: "_v _ v v _ _ _ _", Run: sampleSift},
	{Name: "sample_draw", Shapes: "_v _ v _ _ _ v _", Run: sampleDraw},
	{Name: "allreduce", Shapes: "*c *c", Run: allreduce, Rows: true},
	{Name: "advance", Shapes: "_ _", Run: advance},
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
