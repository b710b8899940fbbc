package tokenizer

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// withSpecials returns a tokenizer with control and user-defined tokens.
func withSpecials(t testing.TB, control, user []string) *Tokenizer {
	v := byteVocab("a b")
	for range v.Tokens {
		v.Types = append(v.Types, TypeNormal)
	}
	for _, s := range control {
		v.Tokens, v.Types = append(v.Tokens, s), append(v.Types, TypeControl)
	}
	for _, s := range user {
		v.Tokens, v.Types = append(v.Tokens, s), append(v.Types, TypeUser)
	}
	v.Tokens, v.Types = append(v.Tokens, "[PAD0]", "[PAD1]"), append(v.Types, TypeUnused, TypeUnused)
	return mustNew(t, v)
}

// texts returns what each token stands for.
func texts(t testing.TB, tok *Tokenizer, ids []int32) (list []string) {
	for _, id := range ids {
		s, err := tok.Token(id)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

func TestSpecialTokens(t *testing.T) {
	tok := withSpecials(t, []string{"<|x|>", "<|x|>>", "<s>"}, []string{"<think>", "/no"})
	for _, c := range []struct {
		name, text string
		parse      bool
		want       []string
	}{
		{"control parsed", "ab<|x|>ab", true, []string{"ab", "<|x|>", "ab"}},
		{"control as text", "<s>", false, []string{"<", "s", ">"}},
		{"user-defined always", "ab<think>/no", false, []string{"ab", "<think>", "/no"}},
		{"longest first", "<|x|>>", true, []string{"<|x|>>"}},
		{"longest that fits", "<|x|>a", true, []string{"<|x|>", "a"}},
		{"unfinished", "<|x|", true, []string{"<", "|", "x", "|"}},
		{"unused row is not matched", "[PAD0]", true, []string{"[", "P", "A", "D", "0", "]"}},
		{"neighbours", "<s><s>", true, []string{"<s>", "<s>"}},
		{"doubled start", "<<s>", true, []string{"<", "<s>"}},
	} {
		if got := texts(t, tok, tok.Encode(c.text, c.parse)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if got, want := tok.Unused(), []int32{262, 263}; !slices.Equal(got, want) {
		t.Errorf("unused: got %v, want %v", got, want)
	}
}

// Matching agrees with trying every token at every place.
func TestSpecialMatchAgainstSearch(t *testing.T) {
	word := rapid.StringOfN(rapid.RuneFrom([]rune("ab<")), 1, 4, -1)
	rapid.Check(t, func(r *rapid.T) {
		list := rapid.SliceOfNDistinct(word, 0, 8, rapid.ID).Draw(r, "tokens")
		var sp []special
		for i, s := range list {
			sp = append(sp, special{s, int32(i)})
		}
		set := newSpecials(sp)
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab<c")), 0, 12, -1).Draw(r, "text")
		wantAt, want := 0, ""
		for i := 0; i < len(text) && want == ""; i++ {
			for _, s := range list {
				if strings.HasPrefix(text[i:], s) && len(s) > len(want) {
					wantAt, want = i, s
				}
			}
		}
		at, id, n := set.next(text)
		if n != len(want) || n > 0 && (at != wantAt || list[id] != want) {
			r.Fatalf("%q in %q: got %d bytes at %d, want %q at %d", list, text, n, at, want, wantAt)
		}
	})
}

func TestSegments(t *testing.T) {
	tok := withSpecials(t, []string{"<|x|>"}, []string{"<think>"})
	for _, c := range []struct {
		name string
		segs []Segment
		want []string
	}{
		{"nothing", nil, nil},
		{"structure", []Segment{{"<|x|>ab", true}}, []string{"<|x|>", "ab"}},
		{"typed by a user", []Segment{{"<|x|>", true}, {"<|x|>", false}}, []string{"<|x|>", "<", "|", "x", "|", ">"}},
		{"user-defined typed by a user", []Segment{{"<think>", false}}, []string{"<", "t", "h", "i", "n", "k", ">"}},
		{"not across an edge", []Segment{{"<|", true}, {"x|>", true}}, []string{"<", "|", "x", "|", ">"}},
		{"words cross edges", []Segment{{"a", true}, {"b", false}, {"ab", true}}, []string{"ab", "ab"}},
	} {
		if got := texts(t, tok, tok.EncodeSegments(c.segs)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// One parsed segment is Encode with parseSpecial, and cuts in plain text change nothing.
func TestSegmentsAreEncode(t *testing.T) {
	tok := tiny(t)
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom(oddRunes)).Draw(r, "text")
		cut := rapid.IntRange(0, len(text)).Draw(r, "cut")
		want := tok.Encode(text, true)
		if got := tok.EncodeSegments([]Segment{{text, true}}); !slices.Equal(got, want) {
			r.Fatalf("%q: got %v, want %v", text, got, want)
		}
		if got := tok.EncodeSegments([]Segment{{text[:cut], true}, {text[cut:], false}}); !slices.Equal(got, want) {
			r.Fatalf("%q cut at %d: got %v, want %v", text, cut, got, want)
		}
	})
}

// Any bytes survive, whatever is matched in them.
func FuzzRoundTrip(f *testing.F) {
	tok := tiny(f)
	f.Add("\xff\xfe<|user|>\xe6\x97", true)
	f.Add("日本\x80語 \xf0\x9f", false)
	f.Fuzz(func(t *testing.T, text string, parse bool) {
		ids := tok.Encode(text, parse)
		if got, err := tok.Decode(ids); err != nil || string(got) != text {
			t.Fatalf("got %q, %v, want %q", got, err, text)
		}
		var streamed strings.Builder
		s := tok.Stream()
		for _, id := range ids {
			part, err := s.Push(id)
			if err != nil {
				t.Fatal(err)
			}
			streamed.WriteString(part)
		}
		streamed.WriteString(s.Flush())
		if streamed.String() != text {
			t.Fatalf("streamed %q, want %q", streamed.String(), text)
		}
	})
}

func TestRoundTripRandomBytes(t *testing.T) {
	tok := tiny(t)
	rapid.Check(t, func(r *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(r, "bytes"))
		if got, err := tok.Decode(tok.Encode(text, true)); err != nil || string(got) != text {
			r.Fatalf("got %q, %v, want %q", got, err, text)
		}
	})
}
