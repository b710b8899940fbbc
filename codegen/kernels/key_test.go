package kernels

import (
	"slices"
	"testing"

	"dsac/codegen"
)

// Nothing but its key decides on the text of a kernel, and nothing but their keys and their
// order on that of a module.
func TestKernelsDependOnTheirKeysAlone(t *testing.T) {
	g, err := codegen.FindTarget("sm_120")
	if err != nil {
		t.Fatal(err)
	}
	build := func(list []codegen.Spec) string {
		m := codegen.NewModule(g)
		for i := range list {
			list[i].Target = g
			if _, err := (Batch{{&list[i]}}).Add(m); err != nil {
				t.Fatal(err)
			}
		}
		text, err := m.Build()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	whole, texts := build(samples()), make(map[string]string)
	for _, s := range samples() {
		s.Target = g
		texts[s.Key()] = build([]codegen.Spec{s})
	}
	if build(samples()) != whole {
		t.Error("the same specs in the same order make another module")
	}
	again := samples()
	slices.Reverse(again)
	for _, s := range again {
		s.Target = g
		if build([]codegen.Spec{s}) != texts[s.Key()] {
			t.Errorf("another kernel for %s", s.Key())
		}
	}
}
