package models

import (
	"strings"

	"dsac/ir/ops"

	"github.com/alecthomas/participle/v2/lexer"
)

// What a declared name stands for.
type nameKind string

const (
	aParam  nameKind = "a param"
	aTable  nameKind = "a param with a range"
	aWeight nameKind = "a weight"
	aGroup  nameKind = "a group of weights"
	aState  nameKind = "a state"
	aStates nameKind = "a state with a range"
	aDef    nameKind = "a def"
)

// resolver checks all names of a description before any file is seen, and splits its strings.
// It collects every error.
type resolver struct {
	src       *source
	errs      errorList
	names     map[string]nameKind
	members   map[string]map[string]bool // of groups
	locals    map[string]int             // loop variables and variables of an entry: how many declarations are open
	inEntry   bool
	defs      map[string]*defNode
	entryDefs map[string]bool // defs that an entry alone can call
	entryOnly bool            // the def being resolved uses ops, weights or states
}

func resolve(m *Model) error {
	r := &resolver{src: m.src, names: make(map[string]nameKind), members: make(map[string]map[string]bool), locals: make(map[string]int),
		defs: make(map[string]*defNode), entryDefs: make(map[string]bool)}
	entries := make(map[string]bool)
	for _, d := range m.file.Decls {
		switch {
		case d.Param != nil:
			r.param(d.Param)
		case d.Check != nil:
			r.inRange(d.Check.For, func() {
				r.expr(d.Check.Cond)
				r.text(d.Check.Msg)
			})
		case d.Def != nil:
			r.def(d.Def)
		case d.Weight != nil:
			r.weight(d.Weight)
		case d.Ignore != nil:
			r.inRange(d.Ignore.For, func() { r.text(d.Ignore.Name) })
		case d.State != nil:
			r.state(d.State)
		}
	}
	// Entries see every declaration, wherever it stands.
	for _, d := range m.file.Decls {
		if d.Entry == nil {
			continue
		}
		if entries[d.Entry.Name] {
			r.errorf(d.Entry.Pos, "entry %s is declared twice", d.Entry.Name)
		}
		entries[d.Entry.Name] = true
		r.entry(d.Entry)
	}
	if len(entries) == 0 {
		r.errorf(m.file.Arch.Pos, "the model has no entry")
	}
	m.defs = r.defs
	return r.errs.err()
}

func (r *resolver) errorf(at lexer.Position, format string, args ...any) {
	r.errs.add(r.src.errorf(at, format, args...))
}

// declare adds a global name; it must be free.
func (r *resolver) declare(name string, k nameKind, at lexer.Position) {
	if r.free(name, at) {
		r.names[name] = k
	}
}

// free reports whether a name may be declared.
func (r *resolver) free(name string, at lexer.Position) bool {
	old, taken := r.names[name]
	_, sym := symbols[name]
	switch {
	case taken:
		r.errorf(at, "%s is already %s", name, old)
	case sym:
		r.errorf(at, "%s is the name of a symbolic extent; T, R and C cannot be declared", name)
	case findFunction(name) != nil || ops.Find(name) != nil:
		r.errorf(at, "%s is the name of a function or an op", name)
	default:
		return true
	}
	return false
}

// inRange resolves body with the variable of a range, which may be nil.
func (r *resolver) inRange(n *rangeNode, body func()) {
	if n == nil {
		body()
		return
	}
	r.expr(n.From)
	r.expr(n.To)
	r.free(n.Var, n.Pos)
	r.locals[n.Var]++
	if n.If != nil {
		r.expr(n.If)
	}
	body()
	if r.locals[n.Var]--; r.locals[n.Var] == 0 {
		delete(r.locals, n.Var)
	}
}

func (r *resolver) param(d *paramNode) {
	if d.Type != nil && !knownParamType(d.Type.Name) {
		r.errorf(d.Type.Pos, "unknown type %s; a param is int, float, bool or text, or a list such as bool[]", d.Type.Name)
	}
	r.inRange(d.Range, func() { r.expr(d.Value) })
	kind := aParam
	if d.Range != nil {
		kind = aTable
	}
	r.declare(d.Name, kind, d.Pos)
}

func (r *resolver) weight(d *weightNode) {
	if d.Range == nil {
		r.tensor(d.One)
		r.declare(d.Name, aWeight, d.Pos)
		return
	}
	if d.Opt {
		r.errorf(d.Pos, "a group cannot be optional; mark the weights inside with ?")
	}
	members := make(map[string]bool)
	r.inRange(d.Range, func() { r.items(d.Items, members) })
	r.members[d.Name] = members
	r.declare(d.Name, aGroup, d.Pos)
}

// items resolves the weights of a group. Branches of a condition may declare the same name.
func (r *resolver) items(items []*witemNode, members map[string]bool) {
	here := make(map[string]bool)
	for _, it := range items {
		if it.If == nil {
			if here[it.Name] {
				r.errorf(it.Pos, "%s is declared twice", it.Name)
			}
			here[it.Name], members[it.Name] = true, true
			r.tensor(it.Tensor)
			continue
		}
		r.expr(it.If.Cond)
		r.items(it.If.Then, members)
		for _, e := range it.If.Elifs {
			r.expr(e.Cond)
			r.items(e.Then, members)
		}
		r.items(it.If.Else, members)
	}
}

// maxRank is how many dimensions a GGUF tensor can have.
const maxRank = 4

func (r *resolver) tensor(d *tensorNode) {
	if len(d.Shape) > maxRank {
		r.errorf(d.Pos, "%d dimensions, at most %d", len(d.Shape), maxRank)
	}
	for _, x := range d.Shape {
		r.expr(x)
	}
	for _, n := range d.Names {
		r.text(n)
	}
}

func (r *resolver) state(d *stateNode) {
	if d.Type.DType != "kv" {
		r.errorf(d.Type.Pos, "a state has the element type kv (chosen when compiling), not %s", d.Type.DType)
	}
	if len(d.Type.Dims) != 2 {
		r.errorf(d.Type.Pos, "a state has two dimensions, rows and row length: kv[C, n]")
	}
	kind := aState
	if d.Range != nil {
		kind = aStates
	}
	r.inRange(d.Range, func() {
		for _, x := range d.Type.Dims {
			r.expr(x)
		}
	})
	r.declare(d.Name, kind, d.Pos)
}

// text splits a string and resolves its expressions.
func (r *resolver) text(t *textNode) {
	if err := r.src.split(t); err != nil {
		r.errs.add(err)
		return
	}
	for _, p := range t.pieces {
		if p.expr != nil {
			r.expr(p.expr)
		}
	}
}

func attrNames(specs []string) string {
	if len(specs) == 0 {
		return "it has none"
	}
	return "it has " + strings.Join(specs, ", ")
}
