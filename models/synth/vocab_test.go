package synth

import (
	"strings"
	"testing"
)

func TestVocabulariesAreWhole(t *testing.T) {
	for _, v := range []*vocabulary{&tinyVocab, &glmVocab, &deepseekVocab} {
		tokens, types, merges := v.build()
		if len(tokens) != v.size || len(types) != v.size || len(merges) != v.merges {
			t.Errorf("%s: %d tokens, %d types, %d merges; want %d, %d and %d", v.pre, len(tokens), len(types), len(merges), v.size, v.size, v.merges)
		}
		at := make(map[string]int, len(tokens))
		for i, s := range tokens {
			if j, dup := at[s]; dup {
				t.Fatalf("%s: token %q is both %d and %d", v.pre, s, j, i)
			}
			at[s] = i
		}
		seen := make(map[string]bool, len(merges))
		for i, m := range merges {
			left, right, ok := strings.Cut(m, " ")
			_, okL := at[left]
			_, okR := at[right]
			_, okJ := at[left+right]
			if !ok || !okL || !okR || !okJ || seen[m] {
				t.Fatalf("%s: merge %d %q does not join two tokens into a third, or is not the first of its kind", v.pre, i, m)
			}
			seen[m] = true
		}
		for key, s := range v.ids {
			if i, ok := at[s]; !ok || types[i] != tokenControl {
				t.Errorf("%s: %s token %q is not a control token", v.pre, key, s)
			}
		}
	}
	tokens, _, _ := glmVocab.build()
	for id, want := range map[int]string{154820: "<|endoftext|>", 154827: "<|user|>", 154829: "<|observation|>", 154841: "<think>", 154855: "<|video|>", 154879: "[PAD154879]"} {
		if got := tokens[id]; got != want {
			t.Errorf("token %d is %q, want %q", id, got, want)
		}
	}
}
