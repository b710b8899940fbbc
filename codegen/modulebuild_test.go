package codegen_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dsac/codegen"
)

// A part holds its own kernels and what they refer to, nothing of the others; together the
// parts are the module.
func TestParts(t *testing.T) {
	m := codegen.NewModule(target(t, "sm_90"))
	m.Kernel("plain", []string{"a"}, 32, func(k *codegen.K) { k.Arg(0).StF32s(k.F32(1)) })
	m.Kernel("root", []string{"a"}, 64, func(k *codegen.K) { k.Arg(0).StF32s(k.Arg(0).LdF32().Sqrt()) })
	m.Kernel("shared", []string{"a"}, 32, func(k *codegen.K) {
		s := k.Shared("tile", 16)
		s.StF32s(k.F32(2))
		k.Arg(0).StF32s(s.LdF32())
	})
	if got := m.Kernel("again", []string{"a"}, 32, func(k *codegen.K) { k.Arg(0).StF32s(k.F32(1)) }); got != "plain" {
		t.Errorf("the kernel that is there already is %s, want plain", got)
	}
	whole, err := m.Build()
	if err != nil {
		t.Fatal(err)
	}
	parts, err := m.Parts(1)
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]string{"plain": "", "root": "@llvm.sqrt.f32", "shared": "@shared_tile ="}
	var names []string
	for _, p := range parts {
		names = append(names, p.Kernels...)
		for kernel, word := range own {
			mine := slices.Contains(p.Kernels, kernel)
			if strings.Contains(p.Text, "@"+kernel+"(") != mine || word != "" && strings.Contains(p.Text, word) != mine {
				t.Errorf("part %v and kernel %s:\n%s", p.Kernels, kernel, p.Text)
			}
		}
		if n := strings.Count(p.Text, `!"maxntidx"`); n != 1 {
			t.Errorf("part %v has launch bounds of %d kernels, want 1", p.Kernels, n)
		}
		for _, line := range strings.Split(p.Text, "\n") {
			if !strings.HasPrefix(line, "!") && !strings.Contains(whole, line) {
				t.Errorf("part %v has a line that the module has not: %s", p.Kernels, line)
			}
		}
	}
	if want := []string{"plain", "root", "shared"}; !slices.Equal(names, want) || len(parts) != 3 {
		t.Errorf("got %d parts with kernels %v, want 3 with %v", len(parts), names, want)
	}
	if one, err := m.Parts(1 << 20); err != nil || len(one) != 1 || one[0].Text != whole {
		t.Errorf("a small module is cut into %d parts, %v", len(one), err)
	}
}

// Parts that are cut while the module grows are those of the whole module.
func TestCutWhileTheModuleGrows(t *testing.T) {
	m := codegen.NewModule(target(t, "sm_90"))
	if _, ok, err := m.Rest(); ok || err != nil {
		t.Errorf("a rest of nothing: %v", err)
	}
	const size = 1500
	var got []codegen.Part
	for i := range 9 {
		m.Kernel(fmt.Sprintf("k%d", i), []string{"a"}, 32, func(k *codegen.K) {
			for j := range 1 + i%4 {
				k.Arg(0).At(4 * j).StF32s(k.Arg(0).LdF32().Add(float64(i)))
			}
		})
		if p, ok := m.Cut(size); ok {
			got = append(got, p)
		}
	}
	if p, ok, err := m.Rest(); ok {
		got = append(got, p)
	} else if err != nil {
		t.Fatal(err)
	}
	if _, ok, _ := m.Rest(); ok {
		t.Error("the rest is there twice")
	}
	want, err := m.Parts(size)
	if err != nil || len(want) < 2 || len(want) > 8 {
		t.Fatalf("%d parts, %v: want some of several kernels", len(want), err)
	}
	for i := range want {
		if i >= len(got) || !slices.Equal(got[i].Kernels, want[i].Kernels) || got[i].Text != want[i].Text {
			t.Fatalf("part %d of %d differs from that of the whole module", i, len(got))
		}
	}
}
