package host

// kernels are the ops that the host runs faster than their reference. Every other op runs by
// its reference, split over the workers where its rows are independent.
var kernels = map[string]kernel{
	"matmul":          matmul,
	"matmul_add":      matmulAdd,
	"gate_up":         gateUp,
	"head_matmul":     headMatmul,
	"mla_attend":      mlaAttend,
	"mqa_attend":      mqaAttend,
	"mqa_partial":     mqaPartial,
	"index_topk":      indexTopk,
	"index_scores":    indexScores,
	"select_topk":     selectTopk,
	"expert_matmul":   expertMatmul,
	"expert_gate_up":  expertGateUp,
	"expert_down":     expertDown,
	"expert_down_add": expertDownAdd,
}
