package tokenizer

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// fullSize returns a vocabulary of the size of GLM-5's: 154,820 tokens, 36 added ones, 24
// unused rows, 321,649 merges. Tokens are random, merges the ways to make them of others.
func fullSize() Vocab {
	v := byteVocab()
	rng := rand.New(rand.NewPCG(1, 2))
	known := map[string]bool{}
	for _, s := range v.Tokens {
		known[s] = true
	}
	letters := []string{"Ġ", "e", "t", "a", "o", "i", "n", "s", "r", "h", "l", "d", "c", "u", "m", "æ", "Ĺ", "¥"}
	pool := append([]string(nil), letters...)
	seen := map[string]bool{}
	for len(v.Tokens) < 154_820 || len(v.Merges) < 321_649 {
		l, r := pool[rng.IntN(len(pool))], pool[rng.IntN(len(pool))]
		both, line := l+r, l+" "+r
		if len(both) > 16 || seen[line] || !known[both] && len(v.Tokens) == 154_820 {
			if len(v.Tokens) == 154_820 { // another way to make a token that exists
				both = v.Tokens[256+rng.IntN(len(v.Tokens)-256)]
				cut := 1 + rng.IntN(len(both)-1)
				if l, r = both[:cut], both[cut:]; known[l] && known[r] && !seen[l+" "+r] {
					seen[l+" "+r] = true
					v.Merges = append(v.Merges, l+" "+r)
				} else if len(v.Merges) < 321_649 {
					line = fmt.Sprintf("%s %s", letters[rng.IntN(len(letters))], letters[rng.IntN(len(letters))])
					if known[strings.Replace(line, " ", "", 1)] {
						v.Merges = append(v.Merges, line)
					}
				}
			}
			continue
		}
		seen[line] = true
		if len(v.Merges) < 321_649 {
			v.Merges = append(v.Merges, line)
		}
		if !known[both] {
			known[both] = true
			v.Tokens = append(v.Tokens, both)
			if len(both) < 10 {
				pool = append(pool, both)
			}
		}
	}
	for range v.Tokens {
		v.Types = append(v.Types, TypeNormal)
	}
	for i := range 60 {
		typ := int32(TypeControl)
		if i >= 36 {
			typ = TypeUnused
		}
		v.Tokens, v.Types = append(v.Tokens, fmt.Sprintf("<|added %d|>", i)), append(v.Types, typ)
	}
	v.Pre = "glm4"
	return v
}

func BenchmarkNew(b *testing.B) {
	v := fullSize()
	b.ResetTimer()
	for b.Loop() {
		if _, err := New(v); err != nil {
			b.Fatal(err)
		}
	}
}

// benchTexts are kinds of text whose speed matters.
var benchTexts = []struct{ name, text string }{
	{"english", strings.Repeat("The quick brown fox, as it's called, jumps over 1234 lazy dogs. Another sentence follows it.\n\n", 2000)},
	{"chinese", strings.Repeat("我想在这个城市里找到一个好的工作，可是天气很冷。日本語のテキストもあります。\n", 2000)},
	{"code", strings.Repeat("func (t *Tokenizer) Size() int {\n\treturn len(t.text) // <|x|> number of ids\n}\n\n", 2000)},
	{"one word", strings.Repeat("ab", 50_000)},
	{"spaces", strings.Repeat(" ", 100_000)},
	{"marks", strings.Repeat("<", 100_000)},
}

func BenchmarkEncode(b *testing.B) {
	for _, vocab := range []struct {
		name string
		tok  *Tokenizer
	}{{"tiny", tiny(b)}, {"full", mustNew(b, fullSize())}} {
		for _, c := range benchTexts {
			b.Run(vocab.name+"/"+c.name, func(b *testing.B) {
				b.SetBytes(int64(len(c.text)))
				for b.Loop() {
					vocab.tok.Encode(c.text, true)
				}
			})
		}
	}
}
