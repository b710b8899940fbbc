// DeepSeek-V3.2: the sparse attention of GLM-DSA with an indexer on every layer, whose heads are
// rotated in halves instead of pairs, experts chosen within groups, and a context stretched by
// YaRN. Numbers in comments are those of the public model. Key and tensor names are those of
// llama.cpp's architecture deepseek32 (docs/spec/deepseek-v32.md); docs/dsl.md explains the
// language.
model "deepseek32"
doc "DeepSeek-V3.2 (MLA, DeepSeek sparse attention, MoE with groups, YaRN)"

// ---- hyper-parameters ----

param D      = key("embedding_length")                        // 7168
param V      = key("vocab_size", len(key("/tokenizer.ggml.tokens")))
param blocks = key("block_count")                             // 61, or 62 with the MTP block
param L      = blocks - key("nextn_predict_layers", 0)        // 61
param dense  = key("leading_dense_block_count", 0)            // 3
param F      = uniform(key("feed_forward_length"))            // 18432, dense layers
param eps: float = key("attention.layer_norm_rms_epsilon")    // 1e-6

check L >= 1 && L <= 4096 : "block_count {blocks} leaves {L} layers without the MTP layers, want 1 to 4096"
check eps >= 0 && eps < 1 : "attention.layer_norm_rms_epsilon is {eps}, want 0 to 1"
check dense <= L : "leading_dense_block_count is {dense}, but there are {L} layers"

param H    = uniform(key("attention.head_count"))             // 128
param QR   = key("attention.q_lora_rank")                     // 1536
param KVR  = key("attention.kv_lora_rank")                    // 512
param HD   = key("attention.key_length_mla")                  // 192, of q and k in expanded form
param VD   = key("attention.value_length_mla")                // 128
param P    = key("rope.dimension_count")                      // 64
param NOPE = HD - P                                           // 128

check NOPE >= 1 : "attention.key_length_mla {HD} must be larger than rope.dimension_count {P}"

// Rotation, stretched by YaRN when the file says so. The file's multiplier is 0.1 times the
// model's mscale_all_dim; its mscale is taken to be 1, as every public file has it. With both
// at 1 the rotation is not scaled and the scores are scaled by (1 + 0.1 ln 40)^2.
param base: float       = key("rope.freq_base")               // 10000
param stretch: text     = key("rope.scaling.type", "none")    // yarn
param factor: float     = stretch == "yarn" ? key("rope.scaling.factor") : 1.0     // 40
param orig_ctx          = stretch == "yarn" ? key("rope.scaling.original_context_length") : 0   // 4096
param beta_fast: float  = key("rope.scaling.yarn_beta_fast", 32)
param beta_slow: float  = key("rope.scaling.yarn_beta_slow", 1)
param log_mul: float    = key("rope.scaling.yarn_log_multiplier", 0)               // 0.1
param all_dims: float   = factor > 1 ? 1 + log_mul * log(factor) : 1
param mscale: float     = factor > 1 ? (1 + 0.1 * log(factor)) / all_dims : 1

check stretch == "yarn" || stretch == "none" : "rope.scaling.type is {stretch}, want yarn or none"
check factor >= 1 : "rope.scaling.factor is {factor}, want at least 1"
check stretch != "yarn" || orig_ctx >= 1 : "rope.scaling.original_context_length is {orig_ctx}, want at least 1"
check beta_fast > 0 && beta_slow > 0 : "rope.scaling.yarn_beta_fast {beta_fast} and yarn_beta_slow {beta_slow} must be above 0"
check base > 1 && base <= 1e15 : "rope.freq_base is {base}, want more than 1 and at most 1e15"

// Indexer, on every layer.
param IH   = key("attention.indexer.head_count")              // 64
param ID   = key("attention.indexer.key_length")              // 128
param topk_positions = key("attention.indexer.top_k")         // 2048

check topk_positions >= 1 && topk_positions <= 1048576 : "attention.indexer.top_k is {topk_positions}, want 1 to 1048576"
check ID >= P : "attention.indexer.key_length {ID} is smaller than rope.dimension_count {P}"

// Experts.
param E      = key("expert_count")                            // 256
param EU     = key("expert_used_count")                       // 8
param FE     = uniform(key("expert_feed_forward_length"))     // 2048
param ES     = key("expert_shared_count")                     // 1
param groups = key("expert_group_count", 1)                   // 8
param groups_used = key("expert_group_used_count", groups)    // 4
param norm: bool  = key("expert_weights_norm", false)
param given_scale: float = key("expert_weights_scale", 0)     // 0 or 1 = no scaling
param gscale: float = given_scale == 0 ? 1 : given_scale      // 2.5

check E >= 1 : "zero experts: expert_count must be at least 1"
check ES >= 1 : "expert_shared_count is {ES}, want at least 1"
check EU >= 1 && EU <= E : "expert_used_count is {EU}, want 1 to expert_count {E}"
check groups >= 1 && groups_used >= 1 && groups_used <= groups : "expert_group_used_count is {groups_used}, want 1 to expert_group_count {groups}"
check groups < 2 || EU * groups <= E * groups_used : "expert_used_count is {EU}: {groups_used} of {groups} groups hold only {groups_used * E / groups} of {E} experts"
param gating = key("expert_gating_func")
check given_scale >= 0 && given_scale <= 1e6 : "expert_weights_scale is {given_scale}, want 0 to 1e6"
check gating == 2 : "expert_gating_func is {gating}, want 2 (sigmoid)"

// ---- weights; shapes are rows first ----

weight embd:        [V, D] = "token_embd.weight"
weight output_norm: [D]    = "output_norm.weight"
weight head:        [V, D] = "output.weight" | "token_embd.weight"

weight blk[l in 0..L] {
    attn_norm:   [D]               = "blk.{l}.attn_norm.weight"
    attn_q_a:    [QR, D]           = "blk.{l}.attn_q_a.weight"
    q_a_norm:    [QR]              = "blk.{l}.attn_q_a_norm.weight"
    attn_q_b:    [H * HD, QR]      = "blk.{l}.attn_q_b.weight" shard 0
    attn_kv_a:   [KVR + P, D]      = "blk.{l}.attn_kv_a_mqa.weight"
    kv_a_norm:   [KVR]             = "blk.{l}.attn_kv_a_norm.weight"
    attn_k_b:    [H, KVR, NOPE]    = "blk.{l}.attn_k_b.weight" shard 0
    attn_v_b:    [H, VD, KVR]      = "blk.{l}.attn_v_b.weight" shard 0
    attn_output: [D, H * VD]       = "blk.{l}.attn_output.weight" shard 1
    ffn_norm:    [D]               = "blk.{l}.ffn_norm.weight"
    index_q:      [IH * ID, QR]    = "blk.{l}.indexer.attn_q_b.weight"
    index_k:      [ID, D]          = "blk.{l}.indexer.attn_k.weight"
    index_k_norm: [ID]             = "blk.{l}.indexer.k_norm.weight"
    index_k_bias: [ID]             = "blk.{l}.indexer.k_norm.bias"
    index_w:      [IH, D]          = "blk.{l}.indexer.proj.weight"
    if l < dense {
        ffn_gate: [F, D] = "blk.{l}.ffn_gate.weight" shard 0
        ffn_up:   [F, D] = "blk.{l}.ffn_up.weight" shard 0
        ffn_down: [D, F] = "blk.{l}.ffn_down.weight" shard 1
    } else {
        router:     [E, D]       = "blk.{l}.ffn_gate_inp.weight"
        router_b?:  [E]          = "blk.{l}.exp_probs_b.bias"
        gate_exps:  [E, FE, D]   = "blk.{l}.ffn_gate_exps.weight" shard 1
        up_exps:    [E, FE, D]   = "blk.{l}.ffn_up_exps.weight" shard 1
        down_exps:  [E, D, FE]   = "blk.{l}.ffn_down_exps.weight" shard 2
        gate_shexp: [FE * ES, D] = "blk.{l}.ffn_gate_shexp.weight" shard 0
        up_shexp:   [FE * ES, D] = "blk.{l}.ffn_up_shexp.weight" shard 0
        down_shexp: [D, FE * ES] = "blk.{l}.ffn_down_shexp.weight" shard 1
    }
}

// An MTP block may follow the trunk.
ignore "blk.{l}.*" for l in L..blocks

// ---- caches ----

state latent[l in 0..L]: kv[C, KVR + P]           // normed latent, then the rotated key part
state ikey[l in 0..L]: kv[C, ID]                  // indexer keys

// ---- forward pass ----

// pairs rotates the elements [off, off + P) of each head in pairs, halves the first P in halves.
def pairs(x, off) = rope(x, off=off, dims=P, base=base, style="interleaved",
    factor=factor, orig_ctx=orig_ctx, beta_fast=beta_fast, beta_slow=beta_slow, mscale=mscale)
def halves(x) = rope(x, dims=P, base=base, style="half",
    factor=factor, orig_ctx=orig_ctx, beta_fast=beta_fast, beta_slow=beta_slow, mscale=mscale)
def swiglu(x, gate, up, down) = matmul(silu_mul(matmul(x, gate), matmul(x, up)), down)
def expert_swiglu(x, gate, up, down, e) =
    expert_matmul(silu_mul(expert_matmul(x, gate, e), expert_matmul(x, up, e)), down, e)

entry step(ids: i32[T]) -> logits: f32[R, V] {
    x = embed(ids, embd)
    for l in 0..L {
        // Attention. The last P elements of a head of q are rotated, and the key part.
        a   = rmsnorm(x, blk[l].attn_norm, eps=eps)
        qr  = rmsnorm(matmul(a, blk[l].attn_q_a), blk[l].q_a_norm, eps=eps)
        q   = pairs(matmul(qr, blk[l].attn_q_b, heads=H), NOPE)
        ckv = matmul(a, blk[l].attn_kv_a)
        c   = rmsnorm(ckv[0:KVR], blk[l].kv_a_norm, eps=eps)
        kpe = pairs(ckv[KVR:], 0)
        latent[l] <- append(concat(c, kpe))

        // Indexer. Here the first P elements of a head are rotated, in halves.
        ik = layernorm(matmul(a, blk[l].index_k), blk[l].index_k_norm, blk[l].index_k_bias, eps=1e-6)
        ikey[l] <- append(halves(ik))
        iq = halves(matmul(qr, blk[l].index_q, heads=IH))
        iw = matmul(a, blk[l].index_w)
        sel = index_topk(iq, iw, ikey[l], k=topk_positions, scale=1 / sqrt(ID * IH))
        o = mla_attend(q, latent[l], blk[l].attn_k_b, blk[l].attn_v_b, sel, nope=NOPE, scale=all_dims * all_dims / sqrt(HD))
        x = add(x, matmul(o, blk[l].attn_output)) into x

        // Feed-forward.
        f = rmsnorm(x, blk[l].ffn_norm, eps=eps)
        if l < dense {
            y = swiglu(f, blk[l].ffn_gate, blk[l].ffn_up, blk[l].ffn_down)
        } else {
            p = sigmoid(matmul(f, blk[l].router))
            s = p
            if has(blk[l].router_b) {
                s = add_row(p, blk[l].router_b)     // the bias takes part in the choice only
            }
            if groups > 1 {
                s = group_mask(s, groups=groups, used=groups_used)
            }
            e      = topk(s, k=EU)
            g      = gate_weights(p, e, norm=norm, scale=gscale, floor=6.103515625e-5)
            routed = expert_combine(expert_swiglu(f, blk[l].gate_exps, blk[l].up_exps, blk[l].down_exps, e), g)
            shared = swiglu(f, blk[l].gate_shexp, blk[l].up_shexp, blk[l].down_shexp)
            y      = add(routed, shared)
        }
        x = add(x, y) into x
    }
    return matmul(rmsnorm(take_rows(x), output_norm, eps=eps), head)
}
