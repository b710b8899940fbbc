package ir

import "fmt"

// Kind says where a value comes from.
type Kind uint8

// Value kinds.
const (
	Result Kind = iota // of a node
	Input              // of the entry
	Weight             // a GGUF tensor
	State              // a cache
)

// Pos is a place in a DSL file.
type Pos struct {
	File      string
	Line, Col int
	Text      string // the line itself
}

func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

// Value is a tensor without an address.
type Value struct {
	ID    int // dense, in print order after Renumber
	Kind  Kind
	Name  string // tensor name, state name, input name, or the DSL's name for a result
	Type  Type
	Def   *Node // of a result
	Index int   // which result of Def
	Layer int   // of a state: its owner; -1 otherwise
	Shard int   // of a weight: 1 + the axis along which ranks share it, 0 = each has all of it
	Pos   Pos
}

// Use is an operand of a node: a value, or columns [Col, Col+Cols) of its innermost rows
// when Cols > 0.
type Use struct {
	Val       *Value
	Col, Cols int
}

// Type returns the type that the node sees.
func (u Use) Type() Type {
	if u.Cols > 0 {
		return u.Val.Type.WithLast(Fixed(u.Cols))
	}
	return u.Val.Type
}

// Node applies an op.
type Node struct {
	Op    *Op
	In    []Use // reads in declared order, then states to be written
	Out   []*Value
	Attrs Attrs
	Layer int    // of the loop it came from, -1 outside
	Label string // unique in the graph: a step's name
	Into  int    // input whose bytes the first result must take ("into"), or -1
	Dist  bool   // the first result is a partial sum over the ranks
	Pos   Pos
}

// InTypes returns the types of the inputs.
func (n *Node) InTypes() []Type {
	ts := make([]Type, len(n.In))
	for i, u := range n.In {
		ts[i] = u.Type()
	}
	return ts
}

// OutTypes returns the types of the results.
func (n *Node) OutTypes() []Type {
	ts := make([]Type, len(n.Out))
	for i, v := range n.Out {
		ts[i] = v.Type
	}
	return ts
}

// Graph is one entry of a model, in execution order.
type Graph struct {
	Name    string
	Args    []*Value // inputs, weights and states, in order of declaration
	Nodes   []*Node
	Results []*Value
}

// Add appends a node: it completes the attributes, runs the op's type rule and creates the
// results. The error does not name a place; the caller knows it.
func (g *Graph) Add(op *Op, in []Use, attrs Attrs, at Node) (*Node, error) {
	n := at
	n.Op, n.In = op, in
	if len(in) != op.Inputs() {
		return nil, fmt.Errorf("%s takes %d operands, %d given", op.Name, op.Inputs(), len(in))
	}
	var err error
	if n.Attrs, err = op.Complete(attrs); err != nil {
		return nil, err
	}
	types, err := op.ResultTypes(n.InTypes(), n.Attrs)
	if err != nil {
		return nil, err
	}
	node := &n
	for i, t := range types {
		v := &Value{Type: t, Def: node, Index: i, Layer: -1, Pos: at.Pos}
		if s := node.StateOf(i); s != nil {
			v.Name, v.Layer = s.Name, s.Layer
		}
		node.Out = append(node.Out, v)
	}
	g.Nodes = append(g.Nodes, node)
	return node, nil
}

// ResultTypes returns the types of all results, states included.
func (o *Op) ResultTypes(in []Type, a Attrs) ([]Type, error) {
	if len(in) != o.Inputs() {
		return nil, fmt.Errorf("%s takes %d operands, %d given", o.Name, o.Inputs(), len(in))
	}
	plain, err := o.Type(in, a)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	states := in[len(in)-o.writtenStates():]
	var out []Type
	for _, i := range o.OutputOperands() {
		if o.Operands[i].State {
			out, states = append(out, states[0]), states[1:]
			continue
		}
		if len(plain) == 0 {
			panic("BUG: type rule of " + o.Name + " gives too few results")
		}
		out, plain = append(out, plain[0]), plain[1:]
	}
	if len(plain) != 0 {
		panic("BUG: type rule of " + o.Name + " gives too many results")
	}
	return out, nil
}

func (o *Op) writtenStates() int {
	n := 0
	for _, p := range o.Operands {
		if p.Effect == Write && p.State {
			n++
		}
	}
	return n
}

// StateOf returns the input state whose bytes result i takes, or nil.
func (n *Node) StateOf(i int) *Value {
	outs := n.Op.OutputOperands()
	if !n.Op.Operands[outs[i]].State {
		return nil
	}
	k := 0
	for _, o := range outs[:i] {
		if n.Op.Operands[o].State {
			k++
		}
	}
	return n.In[len(n.In)-n.Op.writtenStates()+k].Val
}

// Storage follows state results to the declared state that owns the bytes.
func (v *Value) Storage() *Value {
	for v.Kind == Result {
		s := v.Def.StateOf(v.Index)
		if s == nil {
			return v
		}
		v = s
	}
	return v
}

// Renumber gives values dense ids in print order.
func (g *Graph) Renumber() {
	id := 0
	for _, v := range g.Args {
		v.ID = id
		id++
	}
	for _, n := range g.Nodes {
		for _, v := range n.Out {
			v.ID = id
			id++
		}
	}
}

// Users returns, for every value, the nodes that take it, in order.
func (g *Graph) Users() map[*Value][]*Node {
	users := make(map[*Value][]*Node)
	for _, n := range g.Nodes {
		for _, u := range n.In {
			if l := users[u.Val]; len(l) == 0 || l[len(l)-1] != n {
				users[u.Val] = append(l, n)
			}
		}
	}
	return users
}

// Clone returns a deep copy; ops are shared.
func (g *Graph) Clone() *Graph {
	c := &Graph{Name: g.Name}
	m := make(map[*Value]*Value)
	dup := func(v *Value) *Value {
		d := *v
		m[v] = &d
		return &d
	}
	for _, v := range g.Args {
		c.Args = append(c.Args, dup(v))
	}
	for _, n := range g.Nodes {
		d := *n
		d.In = make([]Use, len(n.In))
		for i, u := range n.In {
			d.In[i] = Use{m[u.Val], u.Col, u.Cols}
		}
		d.Out = make([]*Value, len(n.Out))
		for i, v := range n.Out {
			d.Out[i] = dup(v)
			d.Out[i].Def = &d
		}
		c.Nodes = append(c.Nodes, &d)
	}
	for _, v := range g.Results {
		c.Results = append(c.Results, m[v])
	}
	return c
}
