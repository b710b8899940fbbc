package models

import (
	"testing"

	"dsac/ir"
	"dsac/runtime/gguf"
	"dsac/runtime/quant"
	"dsac/runtime/ref"
)

// interpreter runs a graph node by node with the reference implementations, every value in
// memory of its own: the slowest and most obvious device.
type interpreter struct {
	t    *testing.T
	file *gguf.File
	dims ir.Bind
	mem  map[*ir.Value][]byte
	work ref.Work
}

// logits runs one step of all ids from position 0 and returns the logits of every row.
func (in *interpreter) logits(g *ir.Graph, ids []int32) []float32 {
	in.mem = make(map[*ir.Value][]byte)
	for _, n := range g.Nodes {
		in.node(n, ids)
	}
	res := g.Results[0]
	return in.arg(res.Type, ir.Use{Val: res}, ids).F32
}

func (in *interpreter) node(n *ir.Node, ids []int32) {
	in.t.Helper()
	row, ok := ref.Lookup(n.Op.Name)
	if !ok {
		in.t.Fatalf("op %s has no reference", n.Op.Name)
	}
	reads, states := n.In, n.In
	for _, p := range n.Op.Operands {
		if p.Effect == ir.Read {
			states = states[1:]
		}
	}
	outs := n.Out
	call := ref.Call{N: in.dims.T, Len: in.dims.T, Hi: in.dims.T, Work: &in.work, Attrs: attrsOf(n.Attrs)}
	for _, p := range n.Op.Operands {
		switch p.Effect {
		case ir.Read:
			call.Args = append(call.Args, in.arg(reads[0].Val.Type, reads[0], ids))
			reads = reads[1:]
		case ir.Write:
			use := ir.Use{Val: outs[0]}
			outs = outs[1:]
			if p.State {
				use, states = states[0], states[1:]
			}
			call.Args = append(call.Args, in.arg(use.Val.Type, use, ids))
		case ir.Scratch:
			t := n.Op.Scratch(n.InTypes(), n.Attrs, in.dims)[0]
			call.Args = append(call.Args, in.newArg(t, 0, 0, make([]byte, 4*in.dims.Elems(t))))
		default:
			in.t.Fatalf("op %s updates %s in place", n.Op.Name, p.Name)
		}
	}
	for _, k := range row.Flat {
		a, err := call.Args[k].Flat()
		if err != nil {
			in.t.Fatal(err)
		}
		call.Args[k] = a
	}
	row.Run(&call)
	if in.work.Err != nil {
		in.t.Fatalf("%s: %v", n, in.work.Err)
	}
}

// arg binds a value to its memory: the file's for a weight, that of the declared state for a
// state, otherwise memory made on first use.
func (in *interpreter) arg(t ir.Type, u ir.Use, ids []int32) ref.Arg {
	v := u.Val.Storage()
	mem := in.mem[v]
	switch {
	case v.Kind == ir.Weight:
		var err error
		if mem, err = in.file.Data(in.file.Tensor(v.Name)); err != nil {
			in.t.Fatal(err)
		}
	case mem == nil:
		mem = make([]byte, 4*in.dims.Elems(t))
		in.mem[v] = mem
	}
	a := in.newArg(t, u.Col, u.Cols, mem)
	if v.Kind == ir.Input {
		copy(a.I32, ids)
	}
	return a
}

func (in *interpreter) newArg(t ir.Type, col, cols int, mem []byte) ref.Arg {
	typ, err := quant.Parse(string(t.DType))
	if err != nil {
		in.t.Fatal(err)
	}
	var shape []int
	for _, d := range t.Shape() {
		shape = append(shape, in.dims.Extent(d))
	}
	a, err := ref.NewArg(typ, shape, col, cols, mem)
	if err != nil {
		in.t.Fatal(err)
	}
	return a
}

func attrsOf(attrs ir.Attrs) ref.Attrs {
	out := ref.Attrs{Ints: map[string]int64{}, Floats: map[string]float64{}, Texts: map[string]string{}}
	for _, a := range attrs {
		switch v := a.Val.(type) {
		case int64:
			out.Ints[a.Name] = v
		case float64:
			out.Floats[a.Name] = v
		case string:
			out.Texts[a.Name] = v
		}
	}
	return out
}
