package cases

// Extents of GLM-5.
const (
	width   = 6144   // of the residual stream
	vocab   = 154880 //
	dense   = 12288  // of a dense feed-forward layer
	qRank   = 2048   // of the query's low-rank form
	heads   = 64     //
	headK   = 256    // of a head's query: 192 without position, 64 with
	nope    = 192    //
	rope    = 64     //
	headV   = 256    //
	kvRank  = 512    //
	experts = 256    //
	used    = 8      // experts per token
	expert  = 2048   // of an expert
	idxHead = 32     //
	idxDim  = 128    //
	topK    = 2048   //
)

var (
	few   = []int{1, 2, 4, 8}
	many  = []int{128, 512, 2048}
	one   = []int{1}
	chunk = []int{512}
)

// table lists the pieces. Names say op, type and extents.
func table() []piece {
	var ps []piece
	add := func(name string, rows, lens []int, graph string) {
		ps = append(ps, piece{name: name, rows: rows, lens: lens, graph: graph})
	}
	for _, t := range []string{"q4_k", "q5_k", "q6_k", "q8_0"} {
		add("matmul/"+t+"/154880x6144", few, nil, matmul(t, vocab, width))
	}
	add("matmul/q4_k/12288x6144", append(append([]int{}, few...), many...), nil, matmul("q4_k", dense, width))
	add("matmul/q4_k/6144x16384", append(append([]int{}, few...), chunk...), nil, matmul("q4_k", width, heads*headV))
	add("matmul/q4_k/16384x2048", append(append([]int{}, few...), chunk...), nil, matmul("q4_k", heads*headK, qRank))
	for _, t := range []string{"q5_k", "q6_k", "q8_0"} {
		add("matmul/"+t+"/12288x6144", chunk, nil, matmul(t, dense, width))
	}
	add("matmul/f32/256x6144", []int{1, 512}, nil, matmul("f32", experts, width))
	add("matmul/q8_0/576x6144", []int{1, 512}, nil, matmul("q8_0", kvRank+rope, width))
	add("gate_up/q4_k/12288x6144", []int{1, 2, 4, 8, 512}, nil, gateUp("q4_k", dense, width))
	for _, t := range []string{"q4_k", "q6_k"} {
		add("experts_down/"+t, []int{1, 2, 4, 8, 512, 2048}, nil, expertDown(t))
		add("experts_matmul/"+t, []int{512, 2048}, nil, expertMatmul(t))
		if t == "q4_k" {
			add("experts_gate_up/"+t, []int{1, 2, 4, 8, 512, 2048}, nil, expertGateUp(t))
		}
	}
	add("heads/q8_0/64x512x192", []int{1, 8, 512}, nil, headMatmul("q8_0", kvRank, nope))
	add("heads/q8_0/64x256x512", []int{1, 8, 512}, nil, headMatmul("q8_0", headV, kvRank))
	add("attend", []int{1, 2, 4, 8, 512}, []int{Ctx}, attend)
	add("attend_values/q8_0", few, []int{Ctx}, attendValues)
	add("index", []int{1, 2, 4, 8, 512}, []int{4096, Ctx}, index)
	add("rmsnorm/6144", []int{1, 512}, nil, rmsnorm(width))
	add("layernorm/128", []int{1, 512}, nil, layernorm(idxDim))
	add("rope/64x256", []int{1, 512}, nil, ropeGraph)
	add("append/576", []int{1, 512}, []int{4096}, appendRows)
	add("add/6144", []int{1, 512}, nil, sum(width))
	add("embed/q4_k/154880x6144", []int{1, 512}, nil, embed("q4_k"))
	add("router/256", []int{1, 512}, nil, router)
	for _, c := range choices {
		ps = append(ps, piece{name: "sample/154880/" + c.name, rows: one, graph: logits, draw: c.params()})
	}
	return ps
}
