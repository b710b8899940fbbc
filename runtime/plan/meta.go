package plan

import "strconv"

// Keys of Plan.Meta.
const (
	MetaArch    = "arch"    // DSL model name, e.g. glm-dsa
	MetaModel   = "model"   // general.name of the GGUF
	MetaTarget  = "target"  // host, sm_120, ...
	MetaCtx     = "ctx"     // rows of the caches
	MetaChunk   = "chunk"   // largest prefill
	MetaTP      = "tp"      // ranks
	MetaKV      = "kv"      // cache type: f32, f16, bf16
	MetaVocab   = "vocab"   // rows of the logits
	MetaLogits  = "logits"  // last, all
	MetaVersion = "version" // dsac that compiled it
)

// Str returns the string of s.
func (p *Plan) Str(s Str) string { return p.Strings[s] }

// MetaValue returns a fact about the plan, or "".
func (p *Plan) MetaValue(key string) string {
	for _, kv := range p.Meta {
		if p.Strings[kv.Key] == key {
			return p.Strings[kv.Val]
		}
	}
	return ""
}

// MetaInt returns a fact that is a number, or 0.
func (p *Plan) MetaInt(key string) int {
	n, err := strconv.Atoi(p.MetaValue(key))
	if err != nil {
		return 0
	}
	return n
}
