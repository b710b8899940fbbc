package ir_test

import (
	"strings"
	"testing"

	"dsac/ir"
	"dsac/ir/ops"
)

const small = `graph step {
	arg %0 = input "ids" : i32[T]
	arg %1 = weight "token_embd.weight" : q4_k[1024x256]
	arg %2 = weight "norm" : f32[192]
	arg %3 = state "latent.0" layer 0 : kv[Cx192]
	%4 = embed %0, %1 : f32[Tx256] @ "x" at "m.dsl" 3 5 "x = embed(ids, \"embd\")"
	%5 = rmsnorm %4{0:192}, %2 {eps: 1e-05} : f32[Tx192] @ "l0.a" layer 0
	%6 = append %5, %3 : kv[Cx192] @ "l0.latent" layer 0
	%7 = add %4, %4 : f32[Tx256] @ "x2" into 0
	return %7
}
`

func TestPrintParse(t *testing.T) {
	g, err := ir.Parse(small, ops.Find)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(g); err != nil {
		t.Fatal(err)
	}
	if got := g.Text(); got != small {
		t.Errorf("got:\n%s\nwant:\n%s", got, small)
	}
	if got := g.Clone().Text(); got != small {
		t.Errorf("clone differs:\n%s", got)
	}
}

func TestVerifyFinds(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"label twice", `"x2"`, `"x"`, "used twice"},
		{"columns outside", "%4{0:192}", "%4{128:320}", "columns {128:320}"},
		{"into without contract", "%6 = append", "%6 = append", ""},
		{"read of an old state", "%7 = add %4, %4 : f32[Tx256] @ \"x2\" into 0", "%7 = append %5, %3 : kv[Cx192] @ \"y\"", "old version of state latent.0"},
		{"state where none belongs", "append %5, %3", "append %5, %5", "its op gives f32"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := ir.Parse(strings.Replace(small, c.old, c.new, 1), ops.Find)
			if err == nil {
				err = ir.Verify(g)
			}
			switch {
			case c.want == "" && err != nil:
				t.Fatal(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add(small)
	f.Fuzz(func(t *testing.T, text string) {
		g, err := ir.Parse(text, ops.Find)
		if err != nil || ir.Verify(g) != nil {
			return
		}
		again, err := ir.Parse(g.Text(), ops.Find)
		if err != nil {
			t.Fatalf("%v in what Print wrote:\n%s", err, g.Text())
		}
		if again.Text() != g.Text() {
			t.Fatalf("print and parse differ:\n%s\n%s", g.Text(), again.Text())
		}
	})
}
