package models

import (
	"dsac/ir"
	"dsac/ir/ops"

	"github.com/alecthomas/participle/v2/lexer"
)

// apply adds a node for a call of an op that writes no state.
func (b *builder) apply(c *callNode) (any, *Error) {
	op := ops.Find(c.Name)
	vs, err := b.node(op, c, nil)
	if err != nil {
		return nil, err
	}
	if len(vs) == 1 {
		return ir.Use{Val: vs[0]}, nil
	}
	return results(vs), nil
}

// results are the values of an op that has several; only `a, b = op(...)` takes them.
type results []*ir.Value

// node evaluates operands and attributes and adds the node. state is what `<-` writes.
func (b *builder) node(op *ir.Op, c *callNode, state *ir.Value) ([]*ir.Value, *Error) {
	var in []ir.Use
	var attrs ir.Attrs
	for _, a := range c.Args {
		v, err := b.expr(a.Value)
		if err != nil {
			return nil, err
		}
		if a.Name != "" {
			attr, err := b.attr(v, a)
			if err != nil {
				return nil, err
			}
			attrs = append(attrs, attr)
			continue
		}
		use, err := b.operand(v, op, len(in), a.Pos)
		if err != nil {
			return nil, err
		}
		in = append(in, use)
	}
	if state != nil {
		in = append(in, ir.Use{Val: state})
	}
	n, err := b.g.Add(op, in, attrs, ir.Node{Layer: b.layer, Into: -1, Pos: b.site(c.Pos)})
	if err != nil {
		return nil, b.src.errorf(c.Pos, "%s", err)
	}
	return n.Out, nil
}

// operand turns a value into input i of an op: a state where the op takes one, and no state
// elsewhere.
func (b *builder) operand(v any, op *ir.Op, i int, at lexer.Position) (ir.Use, *Error) {
	p := op.Operands[op.InputOperands()[i]]
	what := "operand " + p.Name + " of " + op.Name
	use, err := b.use(v, what, at)
	if err != nil {
		return use, err
	}
	if state := use.Val.Storage().Kind == ir.State; state != p.State {
		if state {
			return use, b.src.errorf(at, "%s cannot be a state", what)
		}
		return use, b.src.errorf(at, "%s must be a state", what)
	}
	return use, nil
}

func (b *builder) attr(v any, a *callArgNode) (ir.Attr, *Error) {
	switch x := v.(type) {
	case int64, float64, string:
		return ir.Attr{Name: a.Name, Val: x}, nil
	case bool:
		if x {
			return ir.Attr{Name: a.Name, Val: int64(1)}, nil
		}
		return ir.Attr{Name: a.Name, Val: int64(0)}, nil
	case poison:
		return ir.Attr{}, poisoned
	}
	return ir.Attr{}, b.src.errorf(a.Pos, "attribute %s must be a number or a string, not %s", a.Name, kindOf(v))
}

// use turns a value of the language into an operand.
func (b *builder) use(v any, what string, at lexer.Position) (ir.Use, *Error) {
	switch x := v.(type) {
	case ir.Use:
		return x, nil
	case *Weight:
		return ir.Use{Val: b.weight(x)}, nil
	case *State:
		return ir.Use{Val: b.state(x)}, nil
	case absent:
		return ir.Use{}, b.src.errorf(at, "%s is %s, which the file does not have; ask has(...) first", what, x.name)
	case results:
		return ir.Use{}, b.src.errorf(at, "%s has %d results; assign them first: a, b = ...", what, len(x))
	case poison:
		return ir.Use{}, poisoned
	}
	return ir.Use{}, b.src.errorf(at, "%s must be a tensor, not %s", what, kindOf(v))
}

// weight returns the value of a weight in this graph. Weights of one tensor share a value.
func (b *builder) weight(w *Weight) *ir.Value {
	w.used = true
	if v := b.weights[w]; v != nil {
		return v
	}
	v := b.tied[w.Tensor]
	if v == nil {
		v = &ir.Value{Kind: ir.Weight, Name: w.Tensor, Type: w.IRType(), Layer: -1, Shard: w.Shard, Pos: w.Pos}
		b.tied[w.Tensor] = v
	}
	b.weights[w] = v
	return v
}

// state returns a state's value after the writes so far.
func (b *builder) state(s *State) *ir.Value {
	if v := b.now[s]; v != nil {
		return v
	}
	v := &ir.Value{Kind: ir.State, Name: s.Name, Type: s.Type, Layer: s.Layer, Pos: s.Pos}
	b.states[s], b.now[s] = v, v
	return v
}

// columns adds a slice of the innermost dimension.
func (b *builder) columns(v any, from, to int64, at lexer.Position) (any, *Error) {
	use, err := b.use(v, "what columns are taken from", at)
	if err != nil {
		return nil, err
	}
	if to < 0 {
		to = int64(use.Type().Last().K)
	}
	attrs := ir.Attrs{{Name: "off", Val: from}, {Name: "cols", Val: to - from}}
	n, gerr := b.g.Add(ops.Slice, []ir.Use{use}, attrs, ir.Node{Layer: b.layer, Into: -1, Pos: b.site(at)})
	if gerr != nil {
		return nil, b.src.errorf(at, "%s", gerr)
	}
	return ir.Use{Val: n.Out[0]}, nil
}

// site is the place of a node: in the entry, also for nodes that a def adds.
func (b *builder) site(at lexer.Position) ir.Pos {
	if len(b.calls) > 0 {
		at = b.calls[0].Pos
	}
	return b.src.pos(at)
}
