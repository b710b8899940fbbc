package chat

import "testing"

func TestSplitReply(t *testing.T) {
	for _, c := range []struct {
		text               string
		open               bool
		reasoning, content string
	}{
		{"hello\n", false, "", "hello"},
		{"why\n</think>\n\nso", true, "why", "so"},
		{"why</think>so", false, "why", "so"},
		{"<think>why</think>so", false, "why", "so"},
		{"\n<think>why</think>so", true, "why", "so"},
		{"<think></think>so", false, "", "so"},
		{"cut off whi", true, "cut off whi", ""},
		{"<think>cut off", false, "cut off", ""},
		{"a</think>b</think>c", true, "a", "b</think>c"},
		{"", true, "", ""},
	} {
		if r, a := SplitReply(c.text, c.open); r != c.reasoning || a != c.content {
			t.Errorf("%q, %v: got %q and %q, want %q and %q", c.text, c.open, r, a, c.reasoning, c.content)
		}
	}
}
