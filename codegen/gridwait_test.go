package codegen_test

import (
	"strings"
	"testing"

	"dsac/codegen"
)

func TestGridWaitIsInEveryKernel(t *testing.T) {
	plain := func(k *codegen.K) { k.Arg(1).StI32(k.Arg(0).LdI32()) }
	ahead := func(k *codegen.K) {
		x := k.Arg(0).ReadOnly().LdI32()
		k.GridWait()
		k.Arg(1).StI32(x)
	}
	early := func(k *codegen.K) {
		k.GridLaunch()
		ahead(k)
	}
	held := func(k *codegen.K) {
		k.GridHold()
		ahead(k)
	}
	leaves := func(k *codegen.K) {
		k.ReturnIf(k.Thread().Ge(16))
		ahead(k)
	}
	const wait, launch, load = "griddepcontrol.wait", "griddepcontrol.launch_dependents", "load i32"
	for _, c := range []struct {
		name, target string
		emit         func(k *codegen.K)
		want         []string // in this order, and no more of them
		not          []string
	}{
		{"first of all", "sm_90", plain, []string{wait, launch, load}, nil},
		{"where the kernel says", "sm_120", ahead, []string{load, wait, launch}, nil},
		{"dependents start where the kernel says", "sm_90", early, []string{launch, load, wait}, nil},
		{"dependents start at the end", "sm_90", held, []string{load, wait}, []string{launch}},
		{"threads leave before it", "sm_90", leaves, []string{"return.2:", wait, "ret void", load, wait, launch, "ret void"}, nil},
		{"not where the target has none", "sm_80", plain, []string{load}, []string{wait, launch}},
		{"not even when asked to", "sm_80", early, []string{load}, []string{wait, launch}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := codegen.NewModule(target(t, c.target))
			m.Kernel("k", []string{"in", "out"}, 32, c.emit)
			text, err := m.Build()
			if err != nil {
				t.Fatal(err)
			}
			rest := text[strings.Index(text, "define "):]
			for _, w := range c.want {
				_, after, ok := strings.Cut(rest, w)
				if !ok || strings.Count(text, w) != strings.Count(strings.Join(c.want, "\n"), w) {
					t.Fatalf("want %q, no more and in this order, in\n%s", c.want, text)
				}
				rest = after
			}
			for _, w := range c.not {
				if strings.Contains(text, w) {
					t.Errorf("%s in\n%s", w, text)
				}
			}
		})
	}
}
