package models

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// evalText evaluates an expression as a param of a toy would.
func evalText(expr, typ string) (any, error) {
	m, err := Parse("e.dsl", `model "toy"
param n = key("width")
param few: int[] = key("few")
param names: text[] = key("/names")
def twice(x) = 2 * x
def hyp(a, b) = sqrt(a * a + b * b)
param v: `+typ+` = `+expr+`
entry e(ids: i32[T]) -> y: i32[T] { return ids }`)
	if err != nil {
		return nil, err
	}
	f := &fake{arch: "toy", keys: map[string]any{
		"toy.width": int64(8), "toy.context_length": int64(4), "toy.few": list[int64]{5, 6, 7},
		"names": list[string]{"a", "b"}, "toy.half": 0.5, "toy.on": true, "toy.name": "x",
	}}
	b, err := m.Bind(f, BindOptions{})
	if err != nil {
		return nil, err
	}
	v, _ := b.Param("v")
	return v, nil
}

func TestExpressions(t *testing.T) {
	for _, c := range []struct {
		expr, typ string
		want      any
	}{
		{"1 + 2 * 3", "int", int64(7)},
		{"(1 + 2) * 3", "int", int64(9)},
		{"10 - 4 - 3", "int", int64(3)},
		{"-n + 1", "int", int64(-7)},
		{"--n", "int", int64(8)},
		{"7 % 4", "int", int64(3)},
		{"8 / 2", "int", int64(4)},
		{"7 / 2", "float", 3.5},
		{"1e3", "float", 1000.0},
		{"6.103515625e-5", "float", math.Pow(2, -14)},
		{"n", "float", 8.0},
		{"1 / sqrt(16)", "float", 0.25},
		{"pow(2, 10)", "float", 1024.0},
		{"log(1)", "float", 0.0},
		{"min(3, 1, 2)", "int", int64(1)},
		{"max(3, n)", "int", int64(8)},
		{"len(few)", "int", int64(3)},
		{"few[2]", "int", int64(7)},
		{"len(names)", "int", int64(2)},
		{"names[1]", "text", "b"},
		{"uniform(n)", "int", int64(8)},
		{`key("half")`, "float", 0.5},
		{`key("on")`, "bool", true},
		{`key("name")`, "text", "x"},
		{`key("absent", 3)`, "int", int64(3)},
		{`key("absent", key("width"))`, "int", int64(8)},
		{`key("absent", none) == none`, "bool", true},
		{`few != none && few[0] == 5`, "bool", true},
		{"false && 1 / 0 == 1", "bool", false},
		{"true || 1 / 0 == 1", "bool", true},
		{"!(1 < 2)", "bool", false},
		{"1 <= 1 && 2 >= 3", "bool", false},
		{"1 == 1.0", "bool", true},
		{`"a" == "b"`, "bool", false},
		{"true != false", "bool", true},
		{"n > 5 ? 1 : 1 / 0", "int", int64(1)},
		{"n < 5 ? 1 : n < 9 ? 2 : 3", "int", int64(2)},
		{"n > 5 ? (n > 7 ? 4 : 5) : 6", "int", int64(4)},
		{`"w{n + 1}.{twice(n)}"`, "text", "w9.16"},
		{"twice(twice(3))", "int", int64(12)},
		{"hyp(3, 4)", "float", 5.0},
		{"none", "int", nil},
	} {
		got, err := evalText(c.expr, c.typ)
		if err != nil {
			t.Errorf("%s: %v", c.expr, err)
		} else if got != c.want {
			t.Errorf("%s: got %v (%T), want %v (%T)", c.expr, got, got, c.want, c.want)
		}
	}
}

func TestBadExpressions(t *testing.T) {
	for _, c := range []struct{ expr, typ, want string }{
		{"1 + true", "int", "+ wants numbers, got an integer and true or false"},
		{"7.5 % 2", "int", "% wants integers, got a number and an integer"},
		{"sqrt(0 - 1)", "float", "sqrt: the result is not a number"},
		{"1 < true", "bool", "< wants numbers, got an integer and true or false"},
		{`1 == "a"`, "bool", "== cannot compare an integer with a string"},
		{"!1", "bool", "a condition must be true or false, not an integer"},
		{"few[3]", "int", "index 3 is outside the list of 3 elements"},
		{"n[0]", "int", "an integer has no elements to index"},
		{"n.x", "int", "an integer has no member x"},
		{"few[0:1]", "int", "columns can be taken inside an entry only"},
		{"few[]", "int", "[] wants an index"},
		{"few[0.5]", "int", "an index must be an integer, not a number"},
		{"7 / 2", "int", "param v is 3.5, want an integer"},
		{"few", "int", "param v is a list, want an integer"},
		{"few", "text[]", "param v: element 0 is 5, want text"},
		{"n", "int[]", "param v is 8, want a list, each element an integer"},
		{"uniform(few)", "int", "uniform: the list is not uniform: element 0 is 5, element 1 is 6"},
		{"len(n)", "int", "len: wants a list, got an integer"},
		{"key(n)", "int", "key wants the name of a key, not an integer"},
		{"has(n)", "bool", "has wants a weight, not an integer"},
		{"9007199254740993", "int", "param v is 9.007199254740992e+15, want an integer"},
		{"9007199254740992 + 1", "int", "the result is too large for an integer"},
		{"1e999", "float", "1e999 is too large for a number"},
		{"matmul(n, n)", "int", "op matmul can be called inside an entry only"},
		{"twice(1, 2)", "int", "twice takes 1 arguments, 2 given"},
		{"twice", "int", "twice is a def; call it: twice(...)"},
		{"min()", "int", "min takes 1 to 8 arguments, 0 given"},
		{"sqrt(x=1)", "int", "function sqrt has no attribute x"},
		{"T", "int", "param v is a symbolic extent, want an integer"},
	} {
		_, err := evalText(c.expr, c.typ)
		if err == nil {
			t.Errorf("%s: no error, want %q", c.expr, c.want)
			continue
		}
		if got := messages(err); got != c.want {
			t.Errorf("%s: got %q, want %q", c.expr, got, c.want)
		}
	}
}

// matches against the obvious definition, over all short texts of a small alphabet.
func TestMatches(t *testing.T) {
	texts := []string{""}
	for i := 0; i < len(texts) && len(texts) < 400; i++ {
		for _, c := range "ab." {
			texts = append(texts, texts[i]+string(c))
		}
	}
	for _, p := range []string{"", "*", "a*", "*a", "a*b", "*a*", "a*b*a", "**", "ab", "*.", "a**b", "*ab*b"} {
		for _, s := range texts {
			if got, want := matches(p, s), slowMatch(p, s); got != want {
				t.Errorf("matches(%q, %q): got %v, want %v", p, s, got, want)
			}
		}
	}
}

func slowMatch(p, s string) bool {
	if p == "" {
		return s == ""
	}
	if p[0] != '*' {
		return s != "" && p[0] == s[0] && slowMatch(p[1:], s[1:])
	}
	for i := range len(s) + 1 {
		if slowMatch(p[1:], s[i:]) {
			return true
		}
	}
	return false
}

func TestCaretStandsUnderTheColumn(t *testing.T) {
	_, err := Parse("c.dsl", "model \"toy\"\n\tparam grün = @\n")
	fails(t, err, "c.dsl:2:10: syntax error: 'ü' means nothing here\n\t\tparam grün = @\n\t\t        ^")
	_, err = Parse("c.dsl", "")
	fails(t, err, `c.dsl:1:1: syntax error: unexpected end of file`)
}

func TestManyErrorsAreCut(t *testing.T) {
	var b strings.Builder
	b.WriteString("model \"toy\"\n")
	for i := range 14 {
		fmt.Fprintf(&b, "param p%d = q%d\n", i, i)
	}
	b.WriteString("entry e(ids: i32[T]) -> y: i32[T] { return ids }")
	_, err := Parse("m.dsl", b.String())
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if got, want := lines[len(lines)-1], "and 4 more errors"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLikeErrorsOfOnePlaceAreCounted(t *testing.T) {
	f := small.header()
	for l := range 5 {
		f.drop(fmt.Sprintf("blk.%d.attn_norm.weight", l))
	}
	m, err := Builtin("glm-dsa")
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Bind(f, BindOptions{})
	if got, want := messages(err), `the file has no tensor "blk.0.attn_norm.weight", which blk[0].attn_norm needs
the file has no tensor "blk.1.attn_norm.weight", which blk[1].attn_norm needs
the file has no tensor "blk.2.attn_norm.weight", which blk[2].attn_norm needs (and 2 more like it)`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
