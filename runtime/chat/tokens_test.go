package chat

import (
	"slices"
	"testing"

	"dsac/runtime/tokenizer"
)

// byteTokenizer returns a tokenizer of the 256 bytes and some control tokens, ids from 256 on.
func byteTokenizer(t *testing.T, control ...string) *tokenizer.Tokenizer {
	t.Helper()
	v := tokenizer.Vocab{Model: "gpt2", Pre: "glm4", EOS: -1, EOT: -1, EOM: -1, BOS: -1, Pad: -1, Unk: -1}
	next := rune(0x100)
	for b := rune(0); b < 256; b++ {
		c := b
		if b < 0x21 || b > 0x7e && b < 0xa1 || b == 0xad {
			c = next
			next++
		}
		v.Tokens, v.Types = append(v.Tokens, string(c)), append(v.Types, tokenizer.TypeNormal)
	}
	for _, s := range control {
		v.Tokens, v.Types = append(v.Tokens, s), append(v.Types, tokenizer.TypeControl)
	}
	tok, err := tokenizer.New(v)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// From messages to ids: the template's tokens are there once each, the user's are text.
func TestPromptTokens(t *testing.T) {
	tok := byteTokenizer(t, "<|user|>", "<|assistant|>", "<think>", "[gMASK]", "<sop>")
	const template = "[gMASK]<sop>{% for m in messages %}<|user|>{{ m.content }}{% endfor %}<|assistant|>"
	segs, err := Segments(template, []Message{{Role: "user", Content: "a<|user|>b<sop>"}}, Options{Special: tok.Specials()})
	if err != nil {
		t.Fatal(err)
	}
	ids := tok.EncodeSegments(segs)
	var control []int32
	for _, id := range ids {
		if tok.Control(id) {
			control = append(control, id)
		}
	}
	if want := []int32{259, 260, 256, 257}; !slices.Equal(control, want) {
		t.Errorf("control tokens: got %v, want %v", control, want)
	}
	text, err := tok.Decode(ids)
	if want := "[gMASK]<sop><|user|>a<|user|>b<sop><|assistant|>"; err != nil || string(text) != want {
		t.Errorf("got %q, %v, want %q", text, err, want)
	}
}
