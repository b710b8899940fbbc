package tokenizer

import "fmt"

// Token types of tokenizer.ggml.token_type.
const (
	TypeNormal  = 1
	TypeUnknown = 2
	TypeControl = 3 // structure; matched in text only where the caller says so
	TypeUser    = 4 // added token that is matched in any text
	TypeUnused  = 5 // padding row of the output head
	TypeByte    = 6
)

// Vocab is what a GGUF file says about its tokenizer (keys tokenizer.ggml.*).
type Vocab struct {
	Model  string   // .model
	Pre    string   // .pre
	Tokens []string // .tokens, in the printable byte alphabet
	Types  []int32  // .token_type, one per token; empty: all normal
	Merges []string // .merges, "left right", best first

	// .eos_token_id and so on; -1 when the key is absent.
	EOS, EOT, EOM, BOS, Pad, Unk int32
}

// typeOf returns the type of token i.
func (v *Vocab) typeOf(i int) int32 {
	if len(v.Types) == 0 {
		return TypeNormal
	}
	return v.Types[i]
}

// check reports what does not fit together in v, the contents of tokens and merges aside.
func (v *Vocab) check() error {
	if len(v.Tokens) == 0 {
		return fmt.Errorf("vocabulary: no tokens (tokenizer.ggml.tokens)")
	}
	if len(v.Tokens) > maxTokens {
		return fmt.Errorf("vocabulary: %d tokens, at most %d are supported", len(v.Tokens), maxTokens)
	}
	if len(v.Types) != 0 && len(v.Types) != len(v.Tokens) {
		return fmt.Errorf("vocabulary: %d tokens but %d token types", len(v.Tokens), len(v.Types))
	}
	for _, k := range []struct {
		name string
		id   int32
	}{{"eos", v.EOS}, {"eot", v.EOT}, {"eom", v.EOM}, {"bos", v.BOS}, {"padding", v.Pad}, {"unknown", v.Unk}} {
		if k.id < -1 || int(k.id) >= len(v.Tokens) {
			return fmt.Errorf("vocabulary: %s token id %d is outside the %d tokens", k.name, k.id, len(v.Tokens))
		}
	}
	return nil
}
