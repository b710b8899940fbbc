package models

import (
	"strings"
	"testing"
)

// A model given in place of its description once filled the terminal with its bytes.
func TestErrorsShowNoBinaryLines(t *testing.T) {
	for _, tc := range []struct{ name, text string }{
		{"large", strings.Repeat("x", maxSource+1)},
		{"binary", "GGUF\x03\x00\x00\x00"},
		{"not_utf8", "model \"a\xff\""},
		{"long_line", "model " + strings.Repeat("+", maxShown)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Parse("m.dsl", tc.text)
			if err == nil {
				t.Fatal("no error")
			}
			if got := err.Error(); strings.Contains(got, "\n") {
				t.Errorf("the message shows the line: %q", got)
			}
		})
	}
}
