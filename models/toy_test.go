package models

import (
	"strings"
	"testing"

	"dsac/ir"
	"dsac/runtime/quant"
)

// toy is a complete description of two layers; the tests of errors change one line of it.
const toy = `model "toy"
param D = key("width")
param L = key("layers")
param full[l in 0..L]: bool = l == 0
check D > 0 : "width is {D}"
weight embd: [16, D] = "embd"
weight blk[l in 0..L] {
	norm: [D] = "n.{l}"
	up: [D, D] = "u.{l}"
	bias?: [D] = "b.{l}"
}
ignore "extra.*"
state kept[l in 0..L]: kv[C, D]
entry step(ids: i32[T]) -> logits: f32[R, 16] {
	x = embed(ids, embd)
	for l in 0..L {
		n = rmsnorm(x, blk[l].norm, eps=1e-5)
		kept[l] <- append(n)
		if full[l] {
			sel = index_topk(matmul(n, blk[l].up, heads=2), matmul(n, blk[l].up)[0:2], kept[l], k=4, scale=1)
		}
		y = matmul(n, blk[l].up)
		x = add(x, y) into x
	}
	return matmul(take_rows(x), embd)
}
`

// toyUsing is toy without the list that nothing reads.
var toyUsing = strings.Replace(toy, `			sel = index_topk(matmul(n, blk[l].up, heads=2), matmul(n, blk[l].up)[0:2], kept[l], k=4, scale=1)
`, "", 1)

func toyFile() *fake {
	f := &fake{arch: "toy", keys: map[string]any{"toy.width": int64(8), "toy.layers": int64(2), "toy.context_length": int64(64)}}
	f.add(quant.F16, []int{16, 8}, "embd")
	for l := range 2 {
		f.add(quant.F32, []int{8}, "n.%d", l)
		f.add(quant.Q8_0, []int{8, 8}, "u.%d", l)
	}
	f.add(quant.F32, []int{3}, "extra.%d", 7)
	return f
}

// bindToy parses and binds a text to the toy's file.
func bindToy(text string, f *fake) (*Bound, error) {
	m, err := Parse("toy.dsl", text)
	if err != nil {
		return nil, err
	}
	return m.Bind(f, BindOptions{})
}

func TestToyGraph(t *testing.T) {
	b, err := bindToy(toyUsing, toyFile())
	if err != nil {
		t.Fatal(err)
	}
	g, err := b.Graph("step")
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(g); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range g.Nodes {
		got = append(got, n.Label+" "+n.Op.Name+" "+n.Out[0].Type.String())
	}
	want := []string{
		"x embed f32[Tx8]",
		"l0.n rmsnorm f32[Tx8]", "l0.kept append f32[Cx8]", "l0.y matmul f32[Tx8]", "l0.x add f32[Tx8]",
		"l1.n rmsnorm f32[Tx8]", "l1.kept append f32[Cx8]", "l1.y matmul f32[Tx8]", "l1.x add f32[Tx8]",
		"logits.take_rows take_rows f32[Rx8]", "logits matmul f32[Rx16]",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, n := range g.Nodes {
		if want := map[bool]int{true: 0, false: -1}[n.Op.Name == "add"]; n.Into != want {
			t.Errorf("%s: into %d, want %d", n.Label, n.Into, want)
		}
	}
	if got, want := g.Nodes[1].Pos.String(), "toy.dsl:17:7"; got != want {
		t.Errorf("position of l0.n: got %s, want %s", got, want)
	}
}

// The graph that is handed out is a copy: what a pass does to it is not seen by the next.
func TestGraphIsACopy(t *testing.T) {
	b, err := bindToy(toyUsing, toyFile())
	if err != nil {
		t.Fatal(err)
	}
	g, _ := b.Graph("step")
	before := g.Text()
	g.Nodes = g.Nodes[:1]
	g.Args[0].Name = "changed"
	again, _ := b.Graph("step")
	if again.Text() != before {
		t.Error("a change of one copy shows in the next")
	}
}

func TestElaborationIsDeterministic(t *testing.T) {
	var first string
	for i := range 3 {
		b := mustBind(t, small.header(), BindOptions{})
		g, _ := b.Graph("step")
		if text := g.Text(); i == 0 {
			first = text
		} else if text != first {
			t.Fatal("two elaborations differ")
		}
	}
}
