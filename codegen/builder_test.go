package codegen_test

import (
	"strings"
	"testing"

	"dsac/codegen"
)

// build makes a module of one kernel with two operands.
func build(t *testing.T, emit func(k *codegen.K)) (string, error) {
	t.Helper()
	m := codegen.NewModule(target(t, "sm_90"))
	m.Kernel("k", []string{"a", "b"}, 32, emit)
	return m.Build()
}

func TestErrorsNameTheLine(t *testing.T) {
	for _, c := range []struct {
		name string
		emit func(k *codegen.K)
		want string
	}{
		{"wrong type", func(k *codegen.K) { k.Lane().Add("one") }, "string where an I32 or an integer is wanted"},
		{"wrong width", func(k *codegen.K) { k.I64(1).Add(k.Lane()) }, "codegen.I32 where an I64 or an integer is wanted"},
		{"float for an int", func(k *codegen.K) { k.Lane().Mul(1.5) }, "float64 where an I32"},
		{"int for a float", func(k *codegen.K) { k.F32(1).Mul(k.Lane()) }, "codegen.I32 where an F32"},
		{"operand", func(k *codegen.K) { k.Arg(2) }, "operand 2 of 2"},
		{"constant", func(k *codegen.K) { k.I32(1 << 40) }, "constant 1099511627776 does not fit 32 bits"},
		{"index", func(k *codegen.K) { k.Arg(0).At(k.F32(0)) }, "codegen.F32 where an I32, an I64 or an integer is wanted"},
		{"vector", func(k *codegen.K) { k.Arg(0).LdF32s(3) }, "loads are of 1, 2 or 4 elements, not 3"},
		{"shared", func(k *codegen.K) { k.Shared("a", 40000); k.Shared("b", 20000) }, "60000 bytes of static shared memory, at most 49152"},
		{"copy", func(k *codegen.K) { k.CopyAsync(k.Arg(0), k.Arg(1), 16) }, "asynchronous copies are of 4, 8 or 16 bytes from global to shared memory"},
		{"scope", func(k *codegen.K) {
			var inner *codegen.Var[codegen.I32]
			k.For(0, 4, 1, func(i codegen.I32) { inner = codegen.Let(i) })
			inner.Get()
		}, "variable used outside the body that made it"},
		{"panic", func(k *codegen.K) { var p codegen.Ptr; p.LdF32() }, "nil pointer"},
		{"first", func(k *codegen.K) { k.Arg(7); k.Lane().Add("one") }, "operand 7"},
	} {
		_, err := build(t, c.emit)
		if err == nil || !strings.HasPrefix(err.Error(), "builder_test.go:") || !strings.Contains(err.Error(), "kernel k: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want builder_test.go:LINE: kernel k: %s", c.name, err, c.want)
		}
	}
}

func TestModuleRefuses(t *testing.T) {
	g := target(t, "sm_90")
	if _, err := codegen.NewModule(g).Build(); err == nil || err.Error() != "module has no kernels" {
		t.Errorf("got %v", err)
	}
	m := codegen.NewModule(g)
	for range 2 {
		m.Kernel("twice", nil, 32, func(*codegen.K) {})
	}
	if _, err := m.Build(); err == nil || err.Error() != "two kernels are named twice" {
		t.Errorf("got %v", err)
	}
	if _, err := codegen.FindTarget("sm_1"); err == nil {
		t.Error("target sm_1 was found")
	}
}

// Phis are made for what a branch changes, and for nothing else.
func TestPhis(t *testing.T) {
	for _, c := range []struct {
		name string
		emit func(k *codegen.K) codegen.I32
		phis int
		br   int // conditional branches
	}{
		{"straight", func(k *codegen.K) codegen.I32 { v := codegen.Let(k.Lane()); v.Set(v.Get().Add(1)); return v.Get() }, 0, 0},
		{"loop that changes nothing", func(k *codegen.K) codegen.I32 {
			v := codegen.Let(k.Lane())
			k.For(0, k.Lane(), 1, func(i codegen.I32) { k.Arg(1).Elem(i, 4).StI32(v.Get()) })
			return v.Get()
		}, 1, 2},
		{"counted loop", func(k *codegen.K) codegen.I32 {
			v := codegen.Let(k.Lane())
			k.For(0, 8, 1, func(i codegen.I32) { v.Set(v.Get().Add(i)) })
			return v.Get()
		}, 2, 1},
		{"nested loops", func(k *codegen.K) codegen.I32 {
			v, w := codegen.Let(k.Lane()), codegen.Let(k.I32(3))
			k.For(0, 8, 1, func(i codegen.I32) {
				k.For(0, 8, 1, func(j codegen.I32) { v.Set(v.Get().Add(i).Xor(j)) })
			})
			return v.Get().Add(w.Get())
		}, 4, 2},
		{"empty loop", func(k *codegen.K) codegen.I32 {
			v := codegen.Let(k.Lane())
			k.For(3, 3, 1, func(i codegen.I32) { v.Set(i) })
			return v.Get()
		}, 0, 0},
		{"unused result", func(k *codegen.K) codegen.I32 {
			v := codegen.Let(k.I32(0))
			k.If(k.Lane().Lt(4), func() { v.Set(k.Lane()) })
			return k.Lane()
		}, 0, 1},
		{"both arms", func(k *codegen.K) codegen.I32 {
			v := codegen.Let(k.I32(0))
			k.IfElse(k.Lane().Lt(4), func() { v.Set(k.Lane()) }, func() { v.Set(k.Warp()) })
			return v.Get()
		}, 1, 1},
		{"known condition", func(k *codegen.K) codegen.I32 {
			v := codegen.Let(k.I32(0))
			k.IfElse(k.I32(3).Lt(4), func() { v.Set(k.Lane()) }, func() { v.Set(k.Warp()) })
			return v.Get()
		}, 0, 0},
	} {
		text, err := build(t, func(k *codegen.K) { k.Arg(0).StI32(c.emit(k)) })
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if phis, br := strings.Count(text, " phi "), strings.Count(text, "br i1"); phis != c.phis || br != c.br {
			t.Errorf("%s: %d phis and %d branches, want %d and %d in\n%s", c.name, phis, br, c.phis, c.br, text)
		}
	}
}

// What is known while building is not computed by the kernel.
func TestConstantsFold(t *testing.T) {
	text, err := build(t, func(k *codegen.K) {
		x := k.I32(6).Mul(7).Add(0).Sub(2).UDiv(4).Shr(1).Xor(0)
		y := k.Lane().Add(k.I32(0)).Mul(1).Shl(0)
		k.Arg(0).At(k.I32(0)).Elem(k.I32(2), 4).StI32(x)
		k.Arg(1).StI32(codegen.Select(k.I32(1).Eq(1), y, k.Warp()))
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"store i32 5,", "i64 8"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, op := range []string{" mul ", " add ", " sub ", " udiv ", " select ", " icmp "} {
		if strings.Contains(text, op) {
			t.Errorf("%q in\n%s", op, text)
		}
	}
}

// The same kernels give the same text.
func TestBuildIsDeterministic(t *testing.T) {
	once := func() string {
		m := codegen.NewModule(target(t, "sm_120"))
		for i, p := range probes {
			m.Kernel("p"+strings.Repeat("x", i), []string{"in", "out"}, 32, func(k *codegen.K) {
				k.Arg(1).StI32(p.emit(k, k.Arg(0).LdI32()))
			})
		}
		text, err := m.Build()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	first, second := once(), once()
	if first != second {
		t.Error("two builds differ")
	}
}
