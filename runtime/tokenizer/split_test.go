package tokenizer

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
	"pgregory.net/rapid"
)

// white is \s of the original engine; written out, since regexp2 means another set by it.
const white = `\t-\r \x85\xA0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000`

// oracles holds the patterns each pre-tokenizer stands for, applied one inside the other.
var oracles = map[string][]*regexp2.Regexp{
	"glm4": compile(
		`'(?:[sS\u017F]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^W\p{L}\p{N}]+[\r\n]*|[W]*[\r\n]+|[W]+(?![^W])|[W]+`),
	"deepseek-v3": compile(
		`\p{N}{1,3}`,
		`[\u4E00-\u9FA5\u3040-\u309F\u30A0-\u30FF]+`,
		"[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"+`|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|[W]*[\r\n]+|[W]+(?![^W])|[W]+`),
}

func compile(patterns ...string) (list []*regexp2.Regexp) {
	for _, p := range patterns {
		list = append(list, regexp2.MustCompile(strings.ReplaceAll(p, "W", white), regexp2.None))
	}
	return list
}

// oracleWords splits pieces by each pattern in turn; what a pattern leaves out stays a piece.
func oracleWords(t testing.TB, patterns []*regexp2.Regexp, text string) []string {
	pieces := []string{text}
	for _, re := range patterns {
		var finer []string
		for _, piece := range pieces {
			chars, pos := []rune(piece), 0
			m, err := re.FindRunesMatch(chars)
			for ; m != nil && err == nil; m, err = re.FindNextMatch(m) {
				finer = append(finer, string(chars[pos:m.Index]), string(chars[m.Index:m.Index+m.Length]))
				pos = m.Index + m.Length
			}
			if err != nil {
				t.Fatal(err)
			}
			finer = append(finer, string(chars[pos:]))
		}
		pieces = slices.DeleteFunc(finer, func(s string) bool { return s == "" })
	}
	return pieces
}

// words splits text with a pre-tokenizer.
func words(t testing.TB, pre, text string) (list []string) {
	p, err := findPre(pre)
	if err != nil {
		t.Fatal(err)
	}
	for len(text) > 0 {
		n := p.next(text)
		if n < 1 || n > len(text) {
			t.Fatalf("%s: word of %d bytes at %q", pre, n, text)
		}
		list = append(list, text[:n])
		text = text[n:]
	}
	return list
}

func checkWords(t testing.TB, pre, text string) {
	t.Helper()
	if got, want := words(t, pre, text), oracleWords(t, oracles[pre], text); !slices.Equal(got, want) {
		t.Fatalf("%s, %q:\n got %q\nwant %q", pre, text, got, want)
	}
}

// splitCases are texts at which hand-written splitters go wrong.
var splitCases = []string{
	"", " ", "  ", "   x", "a  b", "a \n b", "\n\n  \n x", " \r\n\r\n", "x\t\ty", "\u00a0x", "\u00a0\u00a0x", "\u3000\u3000", "\u2028a",
	"'s", "'S't", "'ll'LL", "'l", "'re'rE", "'r", "''s", "'\u017f", "'\u017fx", "'x", "'dx", "'Dx", "'mx", "'tx", "'vex", "'llx", "'vx", "it's", "'", "' s", " 's", "\n's",
	"123456", "1a23", " 12", "\u0665\u0666\u0667\u0668", "\u2167\u2168\u00bd\u00be",
	"!!!\n\n x", " !?\r\n", "  !", "\u00a0!", "\n!", "!a", "#a\u00e9", "_x", "-1", "\u00e9'x", "$5", "\u20ac5", "a\u0301b", "\u0301\u0301", " \u0301x", "\n\u0301x", "\u0301!",
	"日本語のテキスト、カタ・カナ", "カ・タ1カ", "\u3040\u3041\u3097", " 日", "!日", "日\n\n日", "한국어 텍스트", "a日b",
	"\u200b", "\u200b\u200ba", "\x00\x00", "\x00a", "\x00\x00 a", "\x00!", "\x1f\n", "\u3040a", "\u3040\u3040", "\u3097\u3098カ", "\U000e0001\U000e0001x", "\U0001f469\u200d\U0001f467 x",
	"  12", "a  12", "   日", "\t 日", " \n12", "\U00020000\U00020001", "\U0001d7ce\U0001d7cf",
}

func TestSplitAgainstPattern(t *testing.T) {
	for pre := range oracles {
		for _, text := range splitCases {
			checkWords(t, pre, text)
		}
	}
}

// oddRunes draws from the characters that patterns tell apart.
var oddRunes = []rune("aZ s'tTlLrReEvVmMdDſé1٣½Ⅷ  \t\r\n\v\u0085\u00a0\u3000!-_$€^'\"\u0301\u0903日龥\u9fa6カー・\u3040゛한\u200b\x00\ufffd\ue000\U00020000\U0001f600\U0001d7ce")

func TestSplitAgainstPatternRandom(t *testing.T) {
	text := rapid.Custom(func(r *rapid.T) string {
		return rapid.StringOfN(rapid.SampledFrom(oddRunes), 0, 24, -1).Draw(r, "text")
	})
	for pre := range oracles {
		t.Run(pre, rapid.MakeCheck(func(r *rapid.T) { checkWordsRapid(r, pre, text.Draw(r, "text")) }))
	}
}

func checkWordsRapid(r *rapid.T, pre, text string) {
	p, _ := findPre(pre)
	var got []string
	for rest := text; len(rest) > 0; {
		n := p.next(rest)
		got = append(got, rest[:n])
		rest = rest[n:]
	}
	var want []string
	want = append(want, oracleWords(nil, oracles[pre], text)...)
	if !slices.Equal(got, want) {
		r.Fatalf("%q:\n got %q\nwant %q", text, got, want)
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range splitCases {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for pre := range oracles {
			if joined := strings.Join(words(t, pre, s), ""); joined != s {
				t.Fatalf("%s: words of %q join to %q", pre, s, joined)
			}
			if utf8.ValidString(s) && len(s) < 1000 {
				checkWords(t, pre, s)
			}
		}
	})
}

// Every character, alone and before a letter, a digit and a sign, splits as the pattern says.
func TestSplitEveryCharacter(t *testing.T) {
	step := rune(1)
	if testing.Short() {
		step = 37
	}
	for r := rune(0); r < 0x3200; r += step {
		for _, tail := range []string{"", "x", "1", "!"} {
			for pre := range oracles {
				checkWords(t, pre, " "+string(r)+tail)
			}
		}
	}
}

func TestUnknownPreTokenizer(t *testing.T) {
	_, err := New(Vocab{Model: "gpt2", Pre: "llama-bpe"})
	want := `pre-tokenizer "llama-bpe" (tokenizer.ggml.pre) is not known: this build has glm4, chatglm-bpe, deepseek-v3`
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
