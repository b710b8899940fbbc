package tokenizer

import (
	"strings"
	"testing"
)

func TestBadVocabulary(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(v *Vocab)
		want string
	}{
		{"model", func(v *Vocab) { v.Model = "llama" }, `tokenizer model "llama" is not known`},
		{"no tokens", func(v *Vocab) { v.Tokens = nil }, "no tokens"},
		{"types", func(v *Vocab) { v.Types = []int32{1} }, "257 tokens but 1 token types"},
		{"eos", func(v *Vocab) { v.EOS = 257 }, "eos token id 257 is outside the 257 tokens"},
		{"pad", func(v *Vocab) { v.Pad = -2 }, "padding token id -2"},
		{"missing byte", func(v *Vocab) { v.Tokens[0] = "zz" }, "no token for byte 0x21"},
		{"repeated token", func(v *Vocab) { v.Tokens = append(v.Tokens, "ab") }, `tokens 256 and 257 are both "ab"`},
		{"merge without space", func(v *Vocab) { v.Merges = []string{"ab"} }, `merge 0: "ab" is not two tokens`},
		{"merge of three", func(v *Vocab) { v.Merges = []string{"a b c"} }, `merge 0: "a b c" is not two tokens`},
		{"merge starts with space", func(v *Vocab) { v.Merges = []string{" b"} }, `merge 0: " b" is not two tokens`},
		{"merge of no token", func(v *Vocab) { v.Merges = []string{"a b", "x y"} }, `merge 1: "x y": its parts`},
		{"repeated added token", func(v *Vocab) {
			v.Tokens = append(v.Tokens, "<x>", "<x>")
			v.Types = make([]int32, len(v.Tokens))
			for i := range v.Types {
				v.Types[i] = TypeNormal
			}
			v.Types[257], v.Types[258] = TypeControl, TypeUser
		}, `added tokens 257 and 258 are both "<x>"`},
	} {
		v := byteVocab("a b")
		c.edit(&v)
		_, err := New(v)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

// The alphabet maps 256 characters to 256 bytes, one to one, and printable ASCII to itself.
func TestAlphabet(t *testing.T) {
	seen := map[int16]rune{}
	for r, b := range spelled {
		if b < 0 {
			continue
		}
		if old, twice := seen[b]; twice {
			t.Errorf("byte %#02x is both %q and %q", b, old, rune(r))
		}
		seen[b] = rune(r)
	}
	if len(seen) != 256 {
		t.Errorf("got %d bytes, want 256", len(seen))
	}
	for want, spell := range map[string]string{" ": "Ġ", "\n": "Ċ", "\t": "ĉ", "\xad": "Ń", "\x00": "Ā", "~": "~", "é": "Ã©"} {
		if got := string(appendBytes(nil, spell)); got != want {
			t.Errorf("%q: got %q, want %q", spell, got, want)
		}
	}
}

// A token that is not in the alphabet decodes to its own text.
func TestForeignCharacterInToken(t *testing.T) {
	v := byteVocab()
	v.Tokens = append(v.Tokens, "日x", "a b")
	tok := mustNew(t, v)
	for id, want := range map[int32]string{256: "日x", 257: "a b"} {
		if got, err := tok.Token(id); err != nil || got != want {
			t.Errorf("token %d: got %q, %v, want %q", id, got, err, want)
		}
	}
}
