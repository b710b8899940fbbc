package plan

import (
	"strings"
	"testing"
)

func TestLongLinesAreCutInErrors(t *testing.T) {
	long := "op f " + strings.Repeat("ä", 200) + "=1 "
	_, err := Parse("t", []byte(long+"bad "+strings.Repeat("k=1 ", 50)))
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 3 {
		t.Fatalf("got %d lines, want 3: %v", len(lines), err)
	}
	for _, l := range lines[1:] {
		if n := len([]rune(l)); n > 170 {
			t.Errorf("a line of %d characters", n)
		}
	}
	caret := strings.Index(lines[2], "^")
	if got := []rune(lines[1])[caret]; got != 'ä' {
		t.Errorf("caret points at %q in %s", got, err)
	}
}
