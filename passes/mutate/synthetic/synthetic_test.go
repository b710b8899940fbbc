package synthetic

import (
	"testing"

	"dsac/runtime/plan"
)

func TestTextIsAPlan(t *testing.T) {
	p, err := plan.Parse("synthetic", []byte(Text(Options{Layers: 3, Entries: 2})))
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Verify(p); err != nil {
		t.Error(err)
	}
}
