// Package tokenizer turns text into token ids and back: byte-level BPE with the vocabulary,
// merges and token types of a GGUF file (docs/spec/glm-dsa.md, sections 4.3 and 6.1-6.3).
// It must import nothing but the standard library.
//
// The way of a text: added tokens are cut out (special.go), what lies between is split into
// words by the pre-tokenizer the file names (split.go), and each word is merged into tokens
// (bpe.go). Bytes that are not UTF-8 survive: decoding what was encoded gives the same bytes.
package tokenizer

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// Tokenizer is immutable; any number of goroutines may use one.
type Tokenizer struct {
	text     []string         // token id -> the bytes it stands for
	types    []int32          // token id -> Type*
	words    map[string]int32 // bytes -> id of the normal token that stands for them
	byteID   [256]int32       // byte -> id of the token for that single byte
	merges   mergeTable       // pair of ids -> rank and merged id
	pre      preTokenizer     // how text falls into words
	user     specials         // added tokens that are matched in any text
	all      specials         // those and the control tokens
	stop     []int32          // ascending
	unused   []int32          // ascending
	specials map[string]int32 // text of an added token -> id
}

// New checks v and builds a tokenizer from it. The strings of v are kept, not copied.
func New(v Vocab) (*Tokenizer, error) {
	if v.Model != "gpt2" {
		return nil, fmt.Errorf("tokenizer model %q is not known: this build reads \"gpt2\" (byte-level BPE)", v.Model)
	}
	pre, err := findPre(v.Pre)
	if err != nil {
		return nil, err
	}
	if err := v.check(); err != nil {
		return nil, err
	}
	t := &Tokenizer{
		text:     make([]string, len(v.Tokens)),
		types:    v.Types,
		words:    make(map[string]int32, len(v.Tokens)),
		pre:      pre,
		specials: make(map[string]int32),
	}
	if err := t.addTokens(v); err != nil {
		return nil, err
	}
	if t.merges, err = newMergeTable(v.Merges, t.words, t.text); err != nil {
		return nil, err
	}
	t.stop = stopSet(v.EOS, v.EOT, v.EOM)
	return t, nil
}

// addTokens fills everything that depends on one token at a time.
func (t *Tokenizer) addTokens(v Vocab) error {
	var user, control []special
	dec := newAlphabetDecoder(v.Tokens)
	for i, s := range v.Tokens {
		id := int32(i)
		switch typ := v.typeOf(i); typ {
		case TypeNormal, TypeByte:
			t.text[i] = dec.decode(s)
			if old, twice := t.words[t.text[i]]; twice {
				return fmt.Errorf("vocabulary: tokens %d and %d are both %q", old, id, s)
			}
			t.words[t.text[i]] = id
		case TypeControl, TypeUser:
			t.text[i] = s
			if s == "" {
				continue
			}
			if old, twice := t.specials[s]; twice {
				return fmt.Errorf("vocabulary: added tokens %d and %d are both %q", old, id, s)
			}
			t.specials[s] = id
			if typ == TypeUser {
				user = append(user, special{s, id})
			} else {
				control = append(control, special{s, id})
			}
		default:
			t.text[i] = s
			if typ == TypeUnused {
				t.unused = append(t.unused, id)
			}
		}
	}
	for b := range t.byteID {
		id, ok := t.words[string([]byte{byte(b)})]
		if !ok {
			return fmt.Errorf("vocabulary: no token for byte 0x%02x: a byte-level vocabulary has all 256", b)
		}
		t.byteID[b] = id
	}
	t.user = newSpecials(user)
	t.all = newSpecials(append(control, user...))
	return nil
}

// Size returns the number of token ids, unused rows included.
func (t *Tokenizer) Size() int { return len(t.text) }

// Special returns the id of the added token (control or user-defined) with this exact text.
func (t *Tokenizer) Special(text string) (id int32, ok bool) {
	id, ok = t.specials[text]
	return id, ok
}

// Specials returns the texts of all added tokens, sorted.
func (t *Tokenizer) Specials() []string {
	s := make([]string, 0, len(t.specials))
	for text := range t.specials {
		s = append(s, text)
	}
	slices.Sort(s)
	return s
}

// Stop reports whether generation ends at this token (section 6.3: eos, eot or eom).
func (t *Tokenizer) Stop(id int32) bool { return slices.Contains(t.stop, id) }

// StopIDs returns the ids that end generation, ascending; the caller must not change them.
func (t *Tokenizer) StopIDs() []int32 { return t.stop }

// Unused returns the ids of vocabulary rows that no text encodes to and that sampling must
// mask (type 5; spec section 2.1), ascending; the caller must not change them.
func (t *Tokenizer) Unused() []int32 { return t.unused }

// Control reports whether id is a control token: structure, not text to show.
func (t *Tokenizer) Control(id int32) bool {
	return id >= 0 && int(id) < len(t.types) && t.types[id] == TypeControl
}

// stopSet returns the distinct ids that are present, ascending.
func stopSet(ids ...int32) []int32 {
	ids = slices.DeleteFunc(ids, func(id int32) bool { return id < 0 })
	slices.Sort(ids)
	return slices.Compact(ids)
}

// runeAt decodes the first rune of s, with a fast path for ASCII. s must not be empty.
func runeAt(s string) (rune, int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	return utf8.DecodeRuneInString(s)
}
