package models

import (
	"strings"
	"testing"
	"time"
)

// FuzzDSL feeds texts through all of the front end: no panic, no endless work, and errors that
// can be shown.
func FuzzDSL(f *testing.F) {
	f.Add(toy)
	f.Add(toyUsing)
	for _, name := range builtinFiles {
		text, err := builtin.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	files := map[string]*fake{"toy": toyFile(), "glm-dsa": small.header(), "deepseek32": smallDeepSeek.header()}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse("fuzz.dsl", text)
		if err == nil {
			file := files[m.Arch]
			if file == nil {
				file = &fake{arch: m.Arch, keys: map[string]any{m.Arch + ".context_length": int64(8)}}
			}
			_, err = m.Bind(file, BindOptions{})
		}
		if err != nil && err.Error() == "" {
			t.Error("an error without text")
		}
	})
}

// Texts that would exhaust stack, memory or time without the limits.
func TestHostileTexts(t *testing.T) {
	head, tail := `model "toy"`+"\n", "\nentry step(ids: i32[T]) -> y: f32[R, 1] { return ids }"
	for _, c := range []struct{ name, text, want string }{
		{"deep brackets", head + "param a = " + strings.Repeat("(", 100000), "brackets nest deeper than 64"},
		{"deep blocks", head + "entry e(a: i32[T]) -> b: f32[R] {" + strings.Repeat("if a {", 1000), "brackets nest deeper than 64"},
		{"large text", head + strings.Repeat(" ", maxSource), "bytes, at most"},
		{"many signs", head + "param a = " + strings.Repeat("-", 20000) + "1" + tail, "entry step returns"},
		{"many conditions", head + "param a = " + strings.Repeat("false ? 1 : ", 4000) + "1" + tail, "entry step returns"},
		{"long range", head + "param a[i in 0..1000000000000] = i" + tail, "has more than 4096 values"},
		{"nested loops", head + "entry e(ids: i32[T]) -> y: f32[R] {" + "for i in 0..4096 { for j in 0..4096 { for k in 0..4096 { x = 1 } } } return ids }",
			"steps to evaluate"},
		{"doubling defs", head + "def d0(x) = x + x\n" + doubling(40) + "param a = d40(1)" + tail, "steps to evaluate"},
		{"growing number", head + "param a = " + strings.Repeat("9007199254740992 * ", 3) + "2" + tail, "too large for an integer"},
		{"too many nodes", head + "entry e(x: f32[T, 4]) -> y: f32[T, 4] { for i in 0..4096 { for j in 0..4096 { x = sigmoid(x) } } return x }", "more than 200000 nodes"},
		{"self reference", head + "def d(x) = d(x)" + tail, "unknown op d"},
		{"own param", head + "param a = a" + tail, "undefined name a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			_, err := bindToy(c.text, &fake{arch: "toy", keys: map[string]any{"toy.context_length": int64(8)}})
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("took %v", d)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %.300v, want an error with %q", err, c.want)
			}
		})
	}
}

// doubling makes defs d1..dn that each call the one before twice.
func doubling(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		p := show(int64(i - 1))
		b.WriteString("def d" + show(int64(i)) + "(x) = d" + p + "(x) + d" + p + "(x)\n")
	}
	return b.String()
}
