package ptx

import (
	"strings"
	"testing"
)

func TestEntriesAloneKeepTheirLines(t *testing.T) {
	text := `.version 8.0
.target sm_80
.shared .b8 tile[64];
	// .globl a // no .entry here
.visible .entry a(
	.param .u64 a_param_0
)
{
	ret;
}
.entry b (.param .u64 b_param_0)
{
	exit;
}
`
	s := Cut(text)
	whole := strings.Split(text, "\n")
	for name, own := range map[string]string{"a": "\tret;", "b": "\texit;"} {
		lines := strings.Split(s.Only(name), "\n")
		for i, l := range lines {
			if l != "" && l != whole[i] {
				t.Errorf("entry %s: line %d is %q, in the whole text %q", name, i+1, l, whole[i])
			}
		}
		got := s.Only(name)
		if !strings.Contains(got, own) || !strings.Contains(got, "tile[64]") {
			t.Errorf("entry %s:\n%s", name, got)
		}
		if strings.Contains(got, "ret;") == strings.Contains(got, "exit;") {
			t.Errorf("entry %s comes with the other:\n%s", name, got)
		}
	}
	got, ok := s.Alone("b")
	if head, entry := text[:strings.Index(text, ".visible .entry a")], text[strings.Index(text, ".entry b"):]; !ok || got != head+entry {
		t.Errorf("entry b alone: %v\n%s", ok, got)
	}
	if got, ok := s.Alone("c"); ok {
		t.Errorf("an entry that is not there alone: %s", got)
	}
	if s.Only("c") != text {
		t.Errorf("an entry that is not there: want the whole text, so that the parser says so")
	}
}
