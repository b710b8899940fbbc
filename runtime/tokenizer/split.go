package tokenizer

import (
	"fmt"
	"slices"
	"strings"
)

// preTokenizer splits text into words; tokens never cross a word's edge.
type preTokenizer struct {
	name      string
	next      func(text string) int // length of the first word of a non-empty text, at least 1
	wholeWord bool                  // a word that is itself a token is not merged (ignore_merges)
}

// preTokenizers lists what tokenizer.ggml.pre may say.
var preTokenizers = []preTokenizer{
	{"glm4", nextGLM4, true},
	{"chatglm-bpe", nextGLM4, true},
	{"deepseek-v3", nextDeepSeek3, false},
}

// findPre returns the pre-tokenizer called name. An unknown one is an error, since a near
// miss gives token ids that look right and are not.
func findPre(name string) (preTokenizer, error) {
	i := slices.IndexFunc(preTokenizers, func(p preTokenizer) bool { return p.name == name })
	if i >= 0 {
		return preTokenizers[i], nil
	}
	var known []string
	for _, p := range preTokenizers {
		known = append(known, p.name)
	}
	return preTokenizer{}, fmt.Errorf("pre-tokenizer %q (tokenizer.ggml.pre) is not known: this build has %s", name, strings.Join(known, ", "))
}

// run returns where the characters of text from byte i on stop being in any of the classes.
func run(text string, i int, in class) int {
	for i < len(text) {
		r, n := runeAt(text[i:])
		if classOf(r)&in == 0 {
			break
		}
		i += n
	}
	return i
}

// spaceWord returns the length of the first word of a text that starts with whitespace, when
// no earlier alternative took it; end is where its whitespace ends, atEnd that nothing follows.
// The patterns are \s*[\r\n]+ then \s+(?!\S) then \s+: up to the last line end if there is
// one, else all but the last space, which belongs to the word that follows.
func spaceWord(text string, end int, atEnd bool) int {
	if nl := strings.LastIndexAny(text[:end], "\r\n"); nl >= 0 {
		return nl + 1
	}
	if atEnd {
		return end
	}
	last := lastRuneStart(text[:end])
	if last > 0 {
		return last
	}
	return end
}

// lastRuneStart returns where the last character of s starts.
func lastRuneStart(s string) int {
	i := len(s) - 1
	for i > 0 && s[i]&0xc0 == 0x80 {
		i--
	}
	return i
}
