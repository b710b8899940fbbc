package models

import (
	"fmt"
	"strconv"
	"strings"

	"dsac/ir"
	"dsac/runtime/quant"

	"github.com/alecthomas/participle/v2/lexer"
)

// Weight is a tensor of the file that a description uses.
type Weight struct {
	Name   string // in the description: "blk[3].attn_norm"
	Tensor string // in the file; two weights may name one tensor (tied embeddings)
	Type   quant.Type
	Dims   []int // outermost first
	Shard  int   // 1 + the dimension that ranks may share, 0: none
	Pos    ir.Pos
	order  int
	used   bool
}

// IRType returns the type of the weight's value in a graph.
func (w *Weight) IRType() ir.Type {
	dims := make([]ir.Dim, len(w.Dims))
	for i, d := range w.Dims {
		dims[i] = ir.Fixed(d)
	}
	return ir.Of(ir.DType(w.Type.String()), dims...)
}

// absent is a weight declared with ? that the file does not have.
type absent struct{ name string }

// group is a weight declaration with a range: a record of weights per index.
type group struct {
	name string
	at   map[int64]record
}

// record holds the weights of one index: *Weight, absent or poison by name.
type record struct {
	group string
	index int64
	items map[string]any
}

func (e *evaluator) groupAt(g group, i int64, at lexer.Position) (any, *Error) {
	r, ok := g.at[i]
	if !ok {
		return nil, e.src.errorf(at, "%s[%d] is not declared", g.name, i)
	}
	return r, nil
}

func (e *evaluator) member(v any, t *tailNode) (any, *Error) {
	r, ok := v.(record)
	if !ok {
		return nil, e.src.errorf(t.Pos, "%s has no member %s", kindOf(v), t.Member)
	}
	w, ok := r.items[t.Member]
	if !ok {
		return nil, e.src.errorf(t.Pos, "%s[%d] has no weight %s: its declaration lies under a condition that is false here", r.group, r.index, t.Member)
	}
	return w, nil
}

// binder of weights: looks declared tensors up in the file.
type weightBinder struct {
	*evaluator
	tensors map[string]Tensor
	claimed map[string]bool
	weights []*Weight
	errs    *errorList
}

func (b *weightBinder) declare(d *weightNode) {
	if d.Range == nil {
		b.globals[d.Name] = b.bind(d.Name, d.Name, d.Opt, d.One, d.Pos)
		return
	}
	g := group{name: d.Name, at: make(map[int64]record)}
	err := b.each(d.Range, func(i int64) *Error {
		r := record{group: d.Name, index: i, items: make(map[string]any)}
		g.at[i] = r
		return b.items(r, d.Items)
	})
	if err != nil {
		b.errs.add(err)
		b.globals[d.Name] = poison{}
		return
	}
	b.globals[d.Name] = g
}

// items declares the weights of one index.
func (b *weightBinder) items(r record, items []*witemNode) *Error {
	for _, it := range items {
		if it.If == nil {
			name := r.group + "[" + strconv.FormatInt(r.index, 10) + "]." + it.Name
			r.items[it.Name] = b.bind(it.Name, name, it.Opt, it.Tensor, it.Pos)
			continue
		}
		branch, err := b.branch(it.If)
		if err != nil {
			return err
		}
		if err := b.items(r, branch); err != nil {
			return err
		}
	}
	return nil
}

func (b *weightBinder) branch(n *wifNode) ([]*witemNode, *Error) {
	ok, err := b.holds(n.Cond)
	if err != nil || ok {
		return n.Then, err
	}
	for _, elif := range n.Elifs {
		ok, err := b.holds(elif.Cond)
		if err != nil || ok {
			return elif.Then, err
		}
	}
	return n.Else, nil
}

// bind finds the tensor of a weight and checks it. It returns *Weight, absent or poison.
func (b *weightBinder) bind(short, name string, opt bool, d *tensorNode, at lexer.Position) any {
	var names []string
	for _, n := range d.Names {
		s, err := b.fill(n)
		if err != nil {
			b.errs.add(err)
			return poison{}
		}
		names = append(names, s)
		if t, ok := b.tensors[s]; ok {
			return b.check(&Weight{Name: name, Tensor: s, Type: t.Type, Dims: t.Dims, Pos: b.src.pos(at), order: len(b.weights)}, d, n)
		}
	}
	if opt {
		return absent{name}
	}
	b.errs.each(b.src.errorf(d.Names[0].Pos, "the file has no tensor %s, which %s needs", quoted(names), name))
	return poison{}
}

func quoted(names []string) string {
	for i, n := range names {
		names[i] = strconv.Quote(n)
	}
	return strings.Join(names, " or ")
}

// check compares a tensor with the declared shape and demands a type that can be decoded.
func (b *weightBinder) check(w *Weight, d *tensorNode, name *textNode) any {
	b.claimed[w.Tensor] = true
	want := make([]int, len(d.Shape))
	for i, x := range d.Shape {
		n, err := b.integer(x, "a dimension")
		if err != nil {
			b.errs.add(err)
			return poison{}
		}
		want[i] = int(n)
	}
	if !sameShape(w.Dims, want) {
		b.errs.each(b.src.errorf(d.Pos, "tensor %q is %s in the file, want %s", w.Tensor, shapeText(w.Dims), shapeText(want)))
		return poison{}
	}
	if !w.Type.Decodable() {
		e := b.src.errorf(name.Pos, "tensor %q has the type %s, which cannot be decoded yet", w.Tensor, w.Type)
		e.Err = fmt.Errorf("%s: %w", w.Type, quant.ErrUnsupported)
		b.errs.each(e)
		return poison{}
	}
	w.Dims = want
	if d.Shard != nil {
		n, err := strconv.Atoi(*d.Shard)
		if err != nil || n >= len(want) {
			b.errs.each(b.src.errorf(d.Pos, "shard %s: tensor %q has dimensions 0 to %d", *d.Shard, w.Tensor, len(want)-1))
			return poison{}
		}
		w.Shard = n + 1
	}
	b.weights = append(b.weights, w)
	return w
}

// sameShape ignores outer dimensions of 1, which files may leave out.
func sameShape(a, b []int) bool {
	a, b = dropOnes(a), dropOnes(b)
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func dropOnes(d []int) []int {
	for len(d) > 1 && d[0] == 1 {
		d = d[1:]
	}
	return d
}

func shapeText(dims []int) string {
	parts := make([]string, len(dims))
	for i, d := range dims {
		parts[i] = strconv.Itoa(d)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
