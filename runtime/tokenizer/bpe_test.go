package tokenizer

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// slowMerge is the definition: merge the leftmost pair of lowest rank until none merges.
func slowMerge(merges map[[2]string]int, word string) []string {
	var parts []string
	for i := range len(word) {
		parts = append(parts, word[i:i+1])
	}
	for {
		best := -1
		for i := range len(parts) - 1 {
			r, ok := merges[[2]string{parts[i], parts[i+1]}]
			if ok && (best < 0 || r < merges[[2]string{parts[best], parts[best+1]}]) {
				best = i
			}
		}
		if best < 0 {
			return parts
		}
		parts = slices.Replace(parts, best, best+2, parts[best]+parts[best+1])
	}
}

// byteVocab returns a vocabulary of the 256 bytes and what merges make of them.
func byteVocab(merges ...string) Vocab {
	v := Vocab{Model: "gpt2", Pre: "deepseek-v3", EOS: -1, EOT: -1, EOM: -1, BOS: -1, Pad: -1, Unk: -1}
	for r, b := range spelled {
		if b >= 0 {
			v.Tokens = append(v.Tokens, string(rune(r)))
		}
	}
	for _, m := range merges {
		if s := strings.Replace(m, " ", "", 1); !slices.Contains(v.Tokens, s) {
			v.Tokens = append(v.Tokens, s)
		}
		v.Merges = append(v.Merges, m)
	}
	return v
}

func mustNew(t testing.TB, v Vocab) *Tokenizer {
	t.Helper()
	tok, err := New(v)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// Short and long words merge as the definition says, for random merges over few letters.
func TestMergeAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		parts := []string{"a", "b", "c"}
		ranks := map[[2]string]int{}
		var lines []string
		for range rapid.IntRange(1, 25).Draw(r, "merges") {
			p := [2]string{rapid.SampledFrom(parts).Draw(r, "left"), rapid.SampledFrom(parts).Draw(r, "right")}
			if _, twice := ranks[p]; twice || len(p[0])+len(p[1]) > 40 {
				continue
			}
			ranks[p] = len(lines)
			lines = append(lines, p[0]+" "+p[1])
			parts = append(parts, p[0]+p[1])
		}
		tok := mustNew(t, byteVocab(lines...))
		word := rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 2, 120, -1).Draw(r, "word")
		b := bpe{t: tok}
		got := map[string][]int32{"long": b.appendLong(nil, word)}
		if len(word) <= scanLimit {
			got["short"] = b.appendShort(nil, word)
		}
		want := slowMerge(ranks, word)
		for how, ids := range got {
			var have []string
			for _, id := range ids {
				have = append(have, tok.text[id])
			}
			if !slices.Equal(have, want) {
				r.Fatalf("%s %q with %v:\n got %q\nwant %q", how, word, lines, have, want)
			}
		}
	})
}

// A word of 100 KB takes time in proportion; quadratic merging would take minutes.
func TestLongWordIsNotQuadratic(t *testing.T) {
	tok := tiny(t)
	word := strings.Repeat("a", 100_000)
	ids := tok.Encode(word, true)
	if got, want := len(ids), len(word)/32; got != want { // the vocabulary has a run of 32
		t.Errorf("got %d tokens for 100,000 letters, want %d", got, want)
	}
	if got, _ := tok.Decode(ids); string(got) != word {
		t.Errorf("decode gave %d bytes, want %d", len(got), len(word))
	}
}

// ignore_merges: a word that is a token is taken whole even where merging cannot reach it.
func TestWholeWordTokens(t *testing.T) {
	v := byteVocab("b c", "a b", "ab c")
	for _, c := range []struct {
		pre  string
		want []string
	}{{"deepseek-v3", []string{"a", "bc"}}, {"glm4", []string{"abc"}}} {
		v.Pre = c.pre
		tok := mustNew(t, v)
		var got []string
		for _, id := range tok.Encode("abc", false) {
			got = append(got, tok.text[id])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.pre, got, c.want)
		}
	}
}

func TestFirstOfTwoEqualMergesCounts(t *testing.T) {
	tok := mustNew(t, byteVocab("a b", "b c", "a b"))
	if got, want := len(tok.Encode("abc", false)), 2; got != want {
		t.Fatalf("got %d tokens, want %d", got, want)
	}
	if first, _ := tok.Token(tok.Encode("abc", false)[0]); first != "ab" {
		t.Errorf("got %q first, want \"ab\"", first)
	}
}
