package synth

import (
	"fmt"
	"path"
	"slices"

	"dsac/runtime/quant"
)

// recipe says which type each tensor gets: the first rule that matches, or rest.
type recipe struct {
	name     string
	doc      string
	fileType uint32 // general.file_type, as llama.cpp numbers them
	rules    []rule
	rest     quant.Type
}

// rule gives a type to the roles that match a pattern of path.Match, in some layers.
type rule struct {
	roles  string
	layers func(layer, layers int) bool // nil: all; layers counts the trunk's
	t      quant.Type
}

func oneOf(list ...int) func(int, int) bool {
	return func(layer, _ int) bool { return slices.Contains(list, layer) }
}

// moreBits is the pattern of layers to which mixed k-quants give a larger type: the first and
// last eighth, and every third between.
func moreBits(layer, layers int) bool {
	return layer < layers/8 || layer >= 7*layers/8 || (layer-layers/8)%3 == 2
}

// always holds in every recipe: small tensors that converters keep in float32
// (docs/spec/glm-dsa.md section 4.5).
var always = []rule{
	{"*norm", nil, quant.F32},
	{"*.bias", nil, quant.F32},
	{"ffn_gate_inp", nil, quant.F32},
}

var projF32 = rule{"indexer.proj", nil, quant.F32}

// recipes holds the mixes; every type that can be decoded is also a recipe of that name.
var recipes = []recipe{
	{"ud-q4_k_xl", "the public UD-Q4_K_XL mix: q8_0, experts q4_k and q5_k", 15, []rule{
		projF32,
		{"ffn_gate_exps", oneOf(8), quant.Q5_K},
		{"ffn_up_exps", oneOf(8), quant.Q5_K},
		{"ffn_gate_exps", nil, quant.Q4_K},
		{"ffn_up_exps", nil, quant.Q4_K},
		{"ffn_down_exps", oneOf(8, 75, 76, 77), quant.Q6_K},
		{"ffn_down_exps", nil, quant.Q5_K},
	}, quant.Q8_0},
	{"q4_k_m", "q4_k, with q6_k for the head and for half of the down projections", 15, []rule{
		{"output", nil, quant.Q6_K},
		{"ffn_down*", moreBits, quant.Q6_K},
	}, quant.Q4_K},
	{"mxfp4_moe", "mxfp4 for experts and per-head projections, q8_0 otherwise", 38, []rule{
		{"*_exps", nil, quant.MXFP4},
		{"attn_[kv]_b", nil, quant.MXFP4},
	}, quant.Q8_0},
	{"slice", "the mix of the llama.cpp baseline: use with --geometry glm-5 --layers 5", 15, []rule{
		{"output", nil, quant.Q6_K},
		{"ffn_down", nil, quant.Q6_K},
		{"ffn_down_shexp", nil, quant.Q6_K},
		{"ffn_down_exps", oneOf(3), quant.Q6_K},
		{"attn_kv_a_mqa", nil, quant.Q8_0},
		{"attn_[kv]_b", nil, quant.Q8_0},
		{"indexer.*", nil, quant.Q8_0},
	}, quant.Q4_K},
}

// fileTypes numbers the recipes that are named after a type.
var fileTypes = map[quant.Type]uint32{
	quant.F32: 0, quant.F16: 1, quant.Q4_0: 2, quant.Q4_1: 3, quant.Q8_0: 7, quant.Q5_0: 8, quant.Q5_1: 9,
	quant.Q2_K: 10, quant.Q3_K: 12, quant.Q4_K: 15, quant.Q5_K: 17, quant.Q6_K: 18, quant.IQ4_NL: 25,
	quant.IQ4_XS: 30, quant.BF16: 32, quant.MXFP4: 38,
}

// Recipes returns the names that Options.Quant takes.
func Recipes() []string {
	var names []string
	for _, r := range recipes {
		names = append(names, r.name)
	}
	for _, t := range quant.Types() {
		if _, ok := fileTypes[t]; ok {
			names = append(names, t.String())
		}
	}
	return names
}

func recipeOf(name string) (recipe, error) {
	for _, r := range recipes {
		if r.name == name {
			return r, nil
		}
	}
	if t, err := quant.Parse(name); err == nil {
		if ft, ok := fileTypes[t]; ok {
			return recipe{name: name, fileType: ft, rules: []rule{projF32}, rest: t}, nil
		}
	}
	return recipe{}, fmt.Errorf("unknown quantisation recipe %q; known: %v", name, Recipes())
}

// fallback replaces types of 256-value blocks in rows that are no multiple of 256
// (docs/spec/glm-dsa.md section 4.5).
var fallback = map[quant.Type]quant.Type{
	quant.Q2_K: quant.Q4_0, quant.Q3_K: quant.Q4_0, quant.Q4_K: quant.Q5_0, quant.Q5_K: quant.Q5_1,
	quant.Q6_K: quant.Q8_0, quant.IQ4_XS: quant.IQ4_NL,
}

// typeOf returns the type of s in a model with the given number of trunk layers.
func (r *recipe) typeOf(s *spec, layers int) quant.Type {
	t := r.rest
	for _, rl := range append(slices.Clone(always), r.rules...) {
		if ok, _ := path.Match(rl.roles, s.role); ok && (rl.layers == nil || s.layer >= 0 && rl.layers(s.layer, layers)) {
			t = rl.t
			break
		}
	}
	if info, _ := t.Info(); s.dims[0]%info.Elems == 0 {
		return t
	}
	if t, ok := fallback[t]; ok && s.dims[0]%32 == 0 {
		return t
	}
	return quant.F16
}
