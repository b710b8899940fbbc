package synth

import "dsac/runtime/gguf"

// setKeys writes the metadata (docs/spec/glm-dsa.md section 4.3, deepseek-v32.md section 2).
func (g *geometry) setKeys(w *gguf.Writer, o *Options, r *recipe) {
	u := func(key string, v int) { w.Set(g.arch+"."+key, uint32(v)) }
	f := func(key string, v float32) { w.Set(g.arch+"."+key, v) }
	w.Set("general.architecture", g.arch)
	w.Set("general.type", "model")
	w.Set("general.name", "synthetic "+g.name)
	mtp := 0
	if g.mtp {
		mtp = 1
	}
	u("block_count", g.layers+mtp)
	u("context_length", g.context)
	u("embedding_length", g.hidden)
	u("feed_forward_length", g.ffn)
	u("attention.head_count", g.heads)
	u("attention.head_count_kv", 1)
	f("rope.freq_base", g.ropeBase)
	f("attention.layer_norm_rms_epsilon", g.eps)
	u("expert_count", g.experts)
	u("expert_used_count", g.used)
	u("expert_group_count", g.groups)
	u("expert_group_used_count", g.groupsUsed)
	u("expert_gating_func", 2) // sigmoid
	u("attention.key_length", g.kvRank+g.rope)
	u("attention.value_length", g.kvRank)
	u("leading_dense_block_count", min(g.dense, g.layers))
	u("vocab_size", g.vocab.size)
	u("attention.q_lora_rank", g.qRank)
	u("attention.kv_lora_rank", g.kvRank)
	u("attention.key_length_mla", g.nope+g.rope)
	u("attention.value_length_mla", g.v)
	u("expert_feed_forward_length", g.expertFFN)
	u("expert_shared_count", g.shared)
	f("expert_weights_scale", g.weightsScale)
	w.Set(g.arch+".expert_weights_norm", true)
	u("rope.dimension_count", g.rope)
	if y := g.yarn; y != nil {
		w.Set(g.arch+".rope.scaling.type", "yarn")
		f("rope.scaling.factor", y.factor)
		u("rope.scaling.original_context_length", y.original)
		f("rope.scaling.yarn_beta_fast", y.betaFast)
		f("rope.scaling.yarn_beta_slow", y.betaSlow)
		f("rope.scaling.yarn_log_multiplier", 0.1*y.mscaleAllDim)
	}
	if mtp > 0 {
		u("nextn_predict_layers", mtp)
	}
	u("attention.indexer.head_count", g.idxHeads)
	u("attention.indexer.key_length", g.idxDim)
	u("attention.indexer.top_k", g.topK)
	if g.writesTypes(o) {
		types := make([]bool, g.layers)
		for l := range types {
			types[l] = g.full == nil || g.full(l)
		}
		w.Set(g.arch+".attention.indexer.types", types)
	}
	if o.NoVocab {
		w.Set("tokenizer.ggml.model", "none")
	} else {
		g.vocab.set(w)
	}
	w.Set("general.quantization_version", uint32(2))
	w.Set("general.file_type", r.fileType)
}

// writesTypes reports whether the file says which layers have an indexer of their own. Public
// files of GLM-5.2 do not: there the context length decides.
func (g *geometry) writesTypes(o *Options) bool {
	return g.typesKey || g.full != nil && (o.Official || g.context < builtinContext)
}
