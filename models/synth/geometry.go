package synth

// geometry holds the hyper-parameters of one model, in the words of docs/spec/glm-dsa.md
// section 1. Lengths are in values, counts in whatever the name says.
type geometry struct {
	name, arch string
	doc        string // one line for help texts
	quant      string // recipe when none is named

	layers, dense          int // trunk layers, dense ones among them
	mtp                    bool
	hidden, ffn, expertFFN int
	heads, qRank, kvRank   int
	nope, rope, v          int // per head
	experts, used, shared  int
	groups, groupsUsed     int
	weightsScale           float32
	idxHeads, idxDim, topK int
	context                int
	eps, ropeBase          float32
	yarn                   *yarn
	vocab                  *vocabulary
	full                   func(layer int) bool // layers with an indexer of their own; nil: all
	typesKey               bool                 // attention.indexer.types is always written
}

// yarn holds the rope.scaling keys (docs/spec/deepseek-v32.md section 2).
type yarn struct {
	factor             float32
	original           int     // context length before scaling
	betaFast, betaSlow float32 // rotations
	mscaleAllDim       float32
}

// builtinContext is the context length from which a file without attention.indexer.types
// means the GLM-5.2 pattern (docs/spec/glm-dsa.md section 1).
const builtinContext = 1048576

// full52 is the GLM-5.2 pattern: 0, 1, 2, 6, 10, ..., 74.
func full52(layer int) bool { return max(layer-2, 0)%4 == 0 }

var glm5 = geometry{
	name: "glm-5", arch: "glm-dsa", doc: "GLM-5 and 5.1: 78 layers, all with an indexer, context 202,752", quant: "ud-q4_k_xl",
	layers: 78, dense: 3, mtp: true, hidden: 6144, ffn: 12288, expertFFN: 2048,
	heads: 64, qRank: 2048, kvRank: 512, nope: 192, rope: 64, v: 256,
	experts: 256, used: 8, shared: 1, groups: 1, groupsUsed: 1, weightsScale: 2.5,
	idxHeads: 32, idxDim: 128, topK: 2048, context: 202752, eps: 1e-5, ropeBase: 1e6, vocab: &glmVocab,
}

var tiny = geometry{
	name: "tiny", arch: "glm-dsa", doc: "3 layers, 8 experts, hidden size 256: runs anywhere", quant: "q8_0",
	layers: 3, dense: 1, hidden: 256, ffn: 512, expertFFN: 256,
	heads: 4, qRank: 256, kvRank: 256, nope: 64, rope: 32, v: 64,
	experts: 8, used: 2, shared: 1, groups: 1, groupsUsed: 1, weightsScale: 2.5,
	idxHeads: 8, idxDim: 64, topK: 8, context: 4096, eps: 1e-6, ropeBase: 1e6, vocab: &tinyVocab, typesKey: true,
}

var deepseekV32 = geometry{
	name: "deepseek-v3.2", arch: "deepseek32", doc: "DeepSeek-V3.2: 61 layers, 8 expert groups, YaRN, context 163,840", quant: "ud-q4_k_xl",
	layers: 61, dense: 3, mtp: true, hidden: 7168, ffn: 18432, expertFFN: 2048,
	heads: 128, qRank: 1536, kvRank: 512, nope: 128, rope: 64, v: 128,
	experts: 256, used: 8, shared: 1, groups: 8, groupsUsed: 4, weightsScale: 2.5,
	idxHeads: 64, idxDim: 128, topK: 2048, context: 163840, eps: 1e-6, ropeBase: 1e4,
	yarn: &yarn{factor: 40, original: 4096, betaFast: 32, betaSlow: 1, mscaleAllDim: 1}, vocab: &deepseekVocab,
}

// geometries lists the named models; those derived from another say only what differs.
var geometries = []geometry{
	tiny,
	glm5,
	derive(glm5, func(g *geometry) {
		g.name, g.doc = "glm-5.2", "GLM-5.2 and 5.3: 78 layers, 21 with an indexer of their own, context 1,048,576"
		g.context, g.ropeBase, g.full = builtinContext, 8e6, full52
	}),
	deepseekV32,
	derive(tiny, func(g *geometry) {
		g.name, g.doc = "tiny-shared", "tiny with 7 layers, of which 3, 5 and 6 reuse an earlier selection"
		g.layers = 7
		g.full = func(layer int) bool { return layer < 3 || layer == 4 }
	}),
	derive(tiny, deepseekTiny),
	derive(tiny, func(g *geometry) {
		deepseekTiny(g)
		g.name, g.doc = "deepseek-tiny-yarn", "deepseek-tiny with YaRN, factor 8 over 512 positions"
		g.yarn = &yarn{factor: 8, original: 512, betaFast: 32, betaSlow: 1, mscaleAllDim: 1}
	}),
}

func deepseekTiny(g *geometry) {
	g.name, g.arch, g.doc = "deepseek-tiny", "deepseek32", "4 layers of DeepSeek-V3.2 form, 2 expert groups of which 1 is used"
	g.layers, g.groups, g.groupsUsed, g.ropeBase, g.typesKey = 4, 2, 1, 1e4, false
}

func derive(g geometry, change func(*geometry)) geometry {
	change(&g)
	return g
}
