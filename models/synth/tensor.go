package synth

import "fmt"

// spec is one tensor of a model before it has a type.
type spec struct {
	name  string // in the file
	role  string // name without "blk.N." and without ".weight"; ".bias" stays
	layer int    // -1 outside blocks
	dims  []int  // ggml order
	seed  string // name that the values are drawn under: its own, unless it is a copy
}

// template is a tensor that a group of blocks has; dims come from the geometry.
type template struct {
	suffix string
	dims   func(g *geometry) []int
}

// The groups of tensors (docs/spec/glm-dsa.md section 4.4), sorted by name within a block as
// converters write them.
var (
	attention = []template{
		{"attn_k_b.weight", func(g *geometry) []int { return []int{g.nope, g.kvRank, g.heads} }},
		{"attn_kv_a_mqa.weight", func(g *geometry) []int { return []int{g.hidden, g.kvRank + g.rope} }},
		{"attn_kv_a_norm.weight", func(g *geometry) []int { return []int{g.kvRank} }},
		{"attn_norm.weight", func(g *geometry) []int { return []int{g.hidden} }},
		{"attn_output.weight", func(g *geometry) []int { return []int{g.heads * g.v, g.hidden} }},
		{"attn_q_a.weight", func(g *geometry) []int { return []int{g.hidden, g.qRank} }},
		{"attn_q_a_norm.weight", func(g *geometry) []int { return []int{g.qRank} }},
		{"attn_q_b.weight", func(g *geometry) []int { return []int{g.qRank, g.heads * (g.nope + g.rope)} }},
		{"attn_v_b.weight", func(g *geometry) []int { return []int{g.kvRank, g.v, g.heads} }},
	}
	denseFFN = []template{
		{"ffn_down.weight", func(g *geometry) []int { return []int{g.ffn, g.hidden} }},
		{"ffn_gate.weight", func(g *geometry) []int { return []int{g.hidden, g.ffn} }},
		{"ffn_norm.weight", func(g *geometry) []int { return []int{g.hidden} }},
		{"ffn_up.weight", func(g *geometry) []int { return []int{g.hidden, g.ffn} }},
	}
	moeFFN = []template{
		{"exp_probs_b.bias", func(g *geometry) []int { return []int{g.experts} }},
		{"ffn_down_exps.weight", func(g *geometry) []int { return []int{g.expertFFN, g.hidden, g.experts} }},
		{"ffn_down_shexp.weight", func(g *geometry) []int { return []int{g.expertFFN * g.shared, g.hidden} }},
		{"ffn_gate_exps.weight", func(g *geometry) []int { return []int{g.hidden, g.expertFFN, g.experts} }},
		{"ffn_gate_inp.weight", func(g *geometry) []int { return []int{g.hidden, g.experts} }},
		{"ffn_gate_shexp.weight", func(g *geometry) []int { return []int{g.hidden, g.expertFFN * g.shared} }},
		{"ffn_norm.weight", func(g *geometry) []int { return []int{g.hidden} }},
		{"ffn_up_exps.weight", func(g *geometry) []int { return []int{g.hidden, g.expertFFN, g.experts} }},
		{"ffn_up_shexp.weight", func(g *geometry) []int { return []int{g.hidden, g.expertFFN * g.shared} }},
	}
	indexer = []template{
		{"indexer.attn_k.weight", func(g *geometry) []int { return []int{g.hidden, g.idxDim} }},
		{"indexer.attn_q_b.weight", func(g *geometry) []int { return []int{g.qRank, g.idxHeads * g.idxDim} }},
		{"indexer.k_norm.bias", func(g *geometry) []int { return []int{g.idxDim} }},
		{"indexer.k_norm.weight", func(g *geometry) []int { return []int{g.idxDim} }},
		{"indexer.proj.weight", func(g *geometry) []int { return []int{g.hidden, g.idxHeads} }},
	}
	nextn = []template{
		{"nextn.eh_proj.weight", func(g *geometry) []int { return []int{2 * g.hidden, g.hidden} }},
		{"nextn.enorm.weight", func(g *geometry) []int { return []int{g.hidden} }},
		{"nextn.hnorm.weight", func(g *geometry) []int { return []int{g.hidden} }},
		{"nextn.shared_head_norm.weight", func(g *geometry) []int { return []int{g.hidden} }},
	}
)

// tensors lists the whole model. Layers that reuse a selection get copies of the previous
// full layer's indexer when copies is set, as public files have them, and none otherwise.
func (g *geometry) tensors(copies bool) []spec {
	matrix := []int{g.hidden, g.vocab.size}
	list := []spec{
		named("output.weight", matrix), named("output_norm.weight", []int{g.hidden}), named("token_embd.weight", matrix),
	}
	from := 0 // the layer whose indexer the current one uses
	blocks := g.layers
	if g.mtp {
		blocks++
	}
	for l := range blocks {
		list = g.appendBlock(list, attention, l, l)
		if l < g.dense {
			list = g.appendBlock(list, denseFFN, l, l)
		} else {
			list = g.appendBlock(list, moeFFN, l, l)
		}
		own := l >= g.layers || g.full == nil || g.full(l)
		if own {
			from = l
		}
		if own || copies {
			list = g.appendBlock(list, indexer, l, from)
		}
		if l >= g.layers {
			list = g.appendBlock(list, nextn, l, l)
		}
	}
	return list
}

func named(name string, dims []int) spec {
	return spec{name: name, role: role(name), layer: -1, dims: dims, seed: name}
}

// appendBlock adds the tensors of group to block l with the values of block from.
func (g *geometry) appendBlock(list []spec, group []template, l, from int) []spec {
	for _, t := range group {
		list = append(list, spec{
			name: fmt.Sprintf("blk.%d.%s", l, t.suffix), role: role(t.suffix), layer: l, dims: t.dims(g),
			seed: fmt.Sprintf("blk.%d.%s", from, t.suffix),
		})
	}
	return list
}

// role drops ".weight".
func role(suffix string) string {
	const w = ".weight"
	if n := len(suffix) - len(w); n > 0 && suffix[n:] == w {
		return suffix[:n]
	}
	return suffix
}
