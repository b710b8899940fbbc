package ir

import (
	"errors"
	"fmt"
)

// Verify checks the structure of a graph. It reports all violations.
//
// Checked: values are defined before use and once; result types are what the op's rule gives;
// attributes are complete; labels are unique and not empty; column selections lie inside the
// value, on operands that allow them; a state is read and written only through its newest
// version; "into" names an input that the op's alias contract allows for its first result;
// results are defined.
//
// Not checked: that values are used, that in-place requests are safe (pass destinations),
// anything about addresses (passes/arena, passes/lint).
func Verify(g *Graph) error {
	v := verifier{defined: make(map[*Value]bool), newest: make(map[*Value]*Value), labels: make(map[string]bool)}
	for _, a := range g.Args {
		if a.Kind == Result {
			v.errorf("argument %s is a result", a.Name)
		}
		if v.defined[a] {
			v.errorf("argument %s is listed twice", a.Name)
		}
		v.defined[a] = true
		if a.Kind == State {
			v.newest[a] = a
		}
	}
	for _, n := range g.Nodes {
		v.node(n)
	}
	for _, r := range g.Results {
		if !v.defined[r] {
			v.errorf("result %s of the graph is not defined", r.Type)
		}
	}
	return errors.Join(v.errs...)
}

type verifier struct {
	defined map[*Value]bool
	newest  map[*Value]*Value // declared state -> its newest version
	labels  map[string]bool
	errs    []error
}

func (v *verifier) errorf(format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf(format, args...))
}

func (v *verifier) node(n *Node) {
	if n.Label == "" || v.labels[n.Label] {
		v.errorf("%s: label %q is empty or used twice", n.Op.Name, n.Label)
	}
	v.labels[n.Label] = true
	inputs := n.Op.InputOperands()
	if len(n.In) != len(inputs) {
		v.errorf("%s takes %d operands, has %d", n, len(inputs), len(n.In))
		return
	}
	for i, u := range n.In {
		v.use(n, u, &n.Op.Operands[inputs[i]])
	}
	if a, err := n.Op.Complete(n.Attrs); err != nil {
		v.errorf("%s: %w", n, err)
	} else if len(a) != len(n.Attrs) {
		v.errorf("%s: attributes are not complete", n)
	} else {
		v.types(n)
	}
	if n.Into >= 0 && n.Op.Contract(0, n.Into) == NoAlias {
		v.errorf("%s: result 0 may not take the bytes of operand %d", n, n.Into)
	}
	for i, o := range n.Out {
		if v.defined[o] || o.Def != n || o.Index != i || o.Kind != Result {
			v.errorf("%s: result %d is defined twice or not by this node", n, i)
		}
		v.defined[o] = true
		if n.StateOf(i) != nil {
			v.newest[o.Storage()] = o
		}
	}
}

func (v *verifier) use(n *Node, u Use, p *Operand) {
	if !v.defined[u.Val] {
		v.errorf("%s: operand %s is used before it is defined", n, p.Name)
		return
	}
	if s := u.Val.Storage(); s.Kind == State {
		if !p.State {
			v.errorf("%s: operand %s takes a state", n, p.Name)
		} else if v.newest[s] != u.Val {
			v.errorf("%s: operand %s is an old version of state %s", n, p.Name, s.Name)
		}
	} else if p.State {
		v.errorf("%s: operand %s must be a state", n, p.Name)
	}
	if u.Cols == 0 {
		return
	}
	if last := u.Val.Type.Last(); !p.Columns || last.Sym != NoSym || u.Col < 0 || u.Col+u.Cols > int(last.K) || p.Flat && u.Val.Type.Rank > 2 {
		v.errorf("%s: columns {%d:%d} of operand %s %s are not allowed", n, u.Col, u.Col+u.Cols, p.Name, u.Val.Type)
	}
}

func (v *verifier) types(n *Node) {
	want, err := n.Op.ResultTypes(n.InTypes(), n.Attrs)
	if err != nil {
		v.errorf("%s: %w", n, err)
		return
	}
	if len(want) != len(n.Out) {
		v.errorf("%s has %d results, its op gives %d", n, len(n.Out), len(want))
		return
	}
	for i, t := range want {
		if n.Out[i].Type != t {
			v.errorf("%s: result %d is %s, its op gives %s", n, i, n.Out[i].Type, t)
		}
	}
}

// Contract returns the alias contract of result out and input in of a node of this op.
func (o *Op) Contract(out, in int) Contract {
	ins, outs := o.InputOperands(), o.OutputOperands()
	if out >= len(outs) || in >= len(ins) {
		return NoAlias
	}
	for _, a := range o.Alias {
		if a.Out == o.Operands[outs[out]].Name && a.In == o.Operands[ins[in]].Name {
			return a.By
		}
	}
	return NoAlias
}
