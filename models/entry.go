package models

import (
	"slices"

	"dsac/ir"

	"github.com/alecthomas/participle/v2/lexer"
)

// maxNodes bounds a graph; the full model has about 3,500 nodes.
const maxNodes = 200_000

// builder elaborates one entry: it runs the statements with loops unrolled and conditions
// decided, and adds a node for each op.
type builder struct {
	*evaluator
	g       *ir.Graph
	errs    errorList
	weights map[*Weight]*ir.Value
	states  map[*State]*ir.Value // the declared value
	now     map[*State]*ir.Value // the value after the last write
	tied    map[string]*ir.Value // by tensor name
	names   labels
	layer   int // of the outermost loop, -1 outside
	loops   int
}

// bindEntries builds the graphs of all entries and demands that every weight and state is used.
func (b *Bound) bindEntries(e *evaluator) error {
	var errs errorList
	touched := make(map[*State]bool)
	for _, d := range b.Model.file.Decls {
		if d.Entry == nil {
			continue
		}
		bb := &builder{evaluator: e, weights: make(map[*Weight]*ir.Value), states: make(map[*State]*ir.Value),
			now: make(map[*State]*ir.Value), tied: make(map[string]*ir.Value), layer: -1}
		e.locals, e.tensor = make(map[string]any), bb
		g := bb.entry(d.Entry)
		e.tensor = nil
		if len(bb.errs.list) > 0 {
			return bb.errs.err()
		}
		for s := range bb.states {
			touched[s] = true
		}
		b.graphs = append(b.graphs, g)
	}
	for _, w := range b.Weights {
		if !w.used {
			errs.add(&Error{Pos: w.Pos, Msg: "unused weight: no statement uses " + w.Name})
		}
	}
	for _, s := range b.States {
		if !touched[s] {
			errs.add(&Error{Pos: s.Pos, Msg: "unused state: no statement uses " + s.Name})
		}
	}
	return errs.err()
}

func (b *builder) entry(d *entryNode) *ir.Graph {
	b.g = &ir.Graph{Name: d.Name}
	for _, a := range d.Args {
		t, err := b.typ(a.Type)
		if err != nil {
			b.errs.add(err)
			return nil
		}
		v := &ir.Value{Kind: ir.Input, Name: a.Name, Type: t, Layer: -1, Pos: b.src.pos(a.Pos)}
		b.g.Args = append(b.g.Args, v)
		b.locals[a.Name] = ir.Use{Val: v}
	}
	if err := b.block(d.Body, d); err != nil {
		b.errs.add(err)
	}
	if len(b.errs.list) > 0 {
		return nil
	}
	if len(b.g.Results) == 0 {
		panic("BUG: entry " + d.Name + " of " + b.src.name + " was given up without an error")
	}
	b.addArgs()
	b.checkUsed()
	b.g.Renumber()
	return b.g
}

// addArgs lists the used weights and states in order of declaration, after the inputs.
func (b *builder) addArgs() {
	var ws []*Weight
	for w := range b.weights {
		ws = append(ws, w)
	}
	slices.SortFunc(ws, func(x, y *Weight) int { return x.order - y.order })
	seen := make(map[*ir.Value]bool)
	for _, w := range ws {
		if v := b.weights[w]; !seen[v] {
			seen[v] = true
			b.g.Args = append(b.g.Args, v)
		}
	}
	var ss []*State
	for s := range b.states {
		ss = append(ss, s)
	}
	slices.SortFunc(ss, func(x, y *State) int { return x.order - y.order })
	for _, s := range ss {
		b.g.Args = append(b.g.Args, b.states[s])
	}
}

// checkUsed reports nodes whose results nobody takes: dead work is a mistake in a description.
func (b *builder) checkUsed() {
	users := b.g.Users()
	for _, n := range b.g.Nodes {
		live := false
		for i, v := range n.Out {
			live = live || n.StateOf(i) != nil || len(users[v]) > 0 || slices.Contains(b.g.Results, v)
		}
		if !live {
			b.errs.add(&Error{Pos: n.Pos, Msg: "the result of " + n.Op.Name + " (" + n.Label + ") is never used"})
		}
	}
}

func (b *builder) typ(t *typeNode) (ir.Type, *Error) {
	var dims []ir.Dim
	for _, x := range t.Dims {
		d, err := b.extent(x)
		if err != nil {
			return ir.Type{}, err
		}
		dims = append(dims, d)
	}
	return ir.Of(ir.DType(t.DType), dims...), nil
}

// block runs statements. An error that only spoils a value is collected and poisons it, so that
// the rest is still checked; an error that decides what runs is returned.
func (b *builder) block(stmts []*stmtNode, d *entryNode) *Error {
	for _, s := range stmts {
		if err := b.step(s.Pos); err != nil {
			return err
		}
		if len(b.g.Nodes) > maxNodes {
			return b.src.errorf(s.Pos, "the graph of entry %s has more than %d nodes", d.Name, maxNodes)
		}
		if err := b.statement(s, d); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) statement(s *stmtNode, d *entryNode) *Error {
	switch {
	case s.For != nil:
		return b.loop(s.For, d)
	case s.If != nil:
		body, err := b.branch(s.If)
		if err != nil {
			return err
		}
		return b.block(body, d)
	case s.Return != nil:
		return b.result(s.Return, d)
	}
	b.assign(s.Assign)
	return nil
}

func (b *builder) loop(n *forNode, d *entryNode) *Error {
	b.loops++
	defer func() {
		if b.loops--; b.loops == 0 {
			b.layer = -1
		}
	}()
	return b.each(n.Range, func(i int64) *Error {
		if b.loops == 1 {
			b.layer = int(i)
		}
		return b.block(n.Body, d)
	})
}

func (b *builder) branch(n *ifNode) ([]*stmtNode, *Error) {
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

func (b *builder) result(x *exprNode, d *entryNode) *Error {
	want, err := b.typ(d.Type)
	if err != nil {
		return err
	}
	first := len(b.g.Nodes)
	v, err := b.expr(x)
	if err != nil {
		return err
	}
	use, err := b.use(v, "the result", x.Pos)
	if err != nil {
		return err
	}
	b.label(first, []string{d.Result}, []*ir.Value{use.Val})
	if use.Type() != want {
		return b.src.errorf(x.Pos, "entry %s returns %s, its declaration says %s", d.Name, use.Type(), want)
	}
	b.g.Results = append(b.g.Results, use.Val)
	return nil
}

func (b *builder) unassigned(name string, at lexer.Position) *Error {
	if b.layer >= 0 {
		return b.src.errorf(at, "%s is used in layer %d before anything assigns it", name, b.layer)
	}
	return b.src.errorf(at, "%s is used before anything assigns it", name)
}
