package bruteforce

import (
	"fmt"

	"dsac/runtime/gguf"
)

// config holds the hyper-parameters (G 1, D 1 and 2). Lengths count values.
type config struct {
	layers, dense          int // trunk layers, dense ones among them
	hidden, vocab          int
	heads, qRank, kvRank   int
	nope, rope, v          int // per head
	experts, used, shared  int
	ffn, expertFFN         int // widths
	groups, groupsUsed     int
	normalise              bool
	scale                  float64 // of the routed experts
	idxHeads, idxDim, topK int
	full                   []bool // layers with an indexer of their own
	eps, base              float64
	yarn                   yarn
	halfIndexer            bool // the indexer rotates (i, i+rope/2), not (2i, 2i+1): D 4.1
}

// yarn holds the rope.scaling keys (D 2); factor 1 is plain RoPE.
type yarn struct {
	factor, original   float64
	betaFast, betaSlow float64
	logMultiplier      float64 // 0.1 * mscale_all_dim
}

// archs says what an architecture fixes without a key.
var archs = map[string]struct{ halfIndexer, yarn, sharing bool }{
	"glm-dsa":    {halfIndexer: false, yarn: false, sharing: true},
	"deepseek32": {halfIndexer: true, yarn: true, sharing: false},
}

// builtinContext is the context length from which a glm-dsa file without the types key means the
// pattern of GLM-5.2 (G 1).
const builtinContext = 1 << 20

// indexerEps is fixed by the architectures (G 2.3, D 4.2).
const indexerEps = 1e-6

func readConfig(f *gguf.File) (*config, error) {
	k := &keys{file: f, prefix: f.Arch() + "."}
	a, ok := archs[f.Arch()]
	if !ok {
		return nil, fmt.Errorf("%s: architecture %q has no brute-force form", f.Path, f.Arch())
	}
	c := &config{
		halfIndexer: a.halfIndexer,
		layers:      k.int("block_count") - k.intOr("nextn_predict_layers", 0), dense: k.intOr("leading_dense_block_count", 0),
		hidden: k.int("embedding_length"), vocab: k.int("vocab_size"),
		heads: k.int("attention.head_count"), qRank: k.int("attention.q_lora_rank"), kvRank: k.int("attention.kv_lora_rank"),
		rope: k.int("rope.dimension_count"), v: k.int("attention.value_length_mla"),
		experts: k.int("expert_count"), used: k.int("expert_used_count"), shared: k.int("expert_shared_count"),
		ffn: k.int("feed_forward_length"), expertFFN: k.int("expert_feed_forward_length"),
		groups:    k.intOr("expert_group_count", 1),
		normalise: k.bool("expert_weights_norm"), scale: k.floatOr("expert_weights_scale", 0),
		idxHeads: k.int("attention.indexer.head_count"), idxDim: k.int("attention.indexer.key_length"), topK: k.int("attention.indexer.top_k"),
		eps: k.float("attention.layer_norm_rms_epsilon"), base: k.float("rope.freq_base"),
		yarn: yarn{factor: 1},
	}
	c.nope = k.int("attention.key_length_mla") - c.rope
	c.groupsUsed = k.intOr("expert_group_used_count", c.groups)
	if c.scale == 0 {
		c.scale = 1
	}
	if a.yarn && k.text("rope.scaling.type") == "yarn" {
		c.yarn = yarn{
			factor: k.float("rope.scaling.factor"), original: float64(k.int("rope.scaling.original_context_length")),
			betaFast: k.floatOr("rope.scaling.yarn_beta_fast", 32), betaSlow: k.floatOr("rope.scaling.yarn_beta_slow", 1),
			logMultiplier: k.floatOr("rope.scaling.yarn_log_multiplier", 0),
		}
	}
	c.full = k.full(a.sharing, c.layers)
	return c, k.err
}

// full lists the layers that choose positions themselves.
func (k *keys) full(sharing bool, layers int) []bool {
	types, ok, err := k.file.Bools(k.prefix + "attention.indexer.types")
	k.keep(err)
	if sharing && ok {
		if len(types) != layers {
			k.keep(fmt.Errorf("%s: attention.indexer.types has %d elements for %d layers", k.file.Path, len(types), layers))
		}
		return types
	}
	full := make([]bool, layers)
	table := sharing && k.int("context_length") >= builtinContext
	for l := range full {
		full[l] = !table || l < 3 || (l-2)%4 == 0 // 0, 1, 2, 6, 10, ...
	}
	return full
}
