package models

import (
	"strconv"

	"dsac/ir"

	"github.com/alecthomas/participle/v2/lexer"
)

// State is a cache that outlives a step.
type State struct {
	Name  string // "latent" or "latent.3"
	Layer int    // index of its range, -1 without one
	Type  ir.Type
	Pos   ir.Pos
	order int
}

// stateTable is a state declaration with a range.
type stateTable struct {
	name string
	at   map[int64]*State
}

func (e *evaluator) stateAt(t stateTable, i int64, at lexer.Position) (any, *Error) {
	s, ok := t.at[i]
	if !ok {
		return nil, e.src.errorf(at, "there is no %s[%d]: its declaration leaves that index out", t.name, i)
	}
	return s, nil
}

// declareState adds the states of one declaration. kv is the element type of caches.
func (e *evaluator) declareState(d *stateNode, kv ir.DType, all *[]*State) *Error {
	make1 := func(name string, layer int) (*State, *Error) {
		dims := make([]ir.Dim, len(d.Type.Dims))
		for i, x := range d.Type.Dims {
			var err *Error
			if dims[i], err = e.extent(x); err != nil {
				return nil, err
			}
			if s := dims[i].Sym; s == ir.SymT || s == ir.SymR {
				return nil, e.src.errorf(x.Pos, "a state outlives a step, so %s cannot be its extent", s)
			}
		}
		s := &State{Name: name, Layer: layer, Type: ir.Of(kv, dims...), Pos: e.src.pos(d.Pos), order: len(*all)}
		*all = append(*all, s)
		return s, nil
	}
	if d.Range == nil {
		s, err := make1(d.Name, -1)
		if err != nil {
			return err
		}
		e.globals[d.Name] = s
		return nil
	}
	t := stateTable{name: d.Name, at: make(map[int64]*State)}
	e.globals[d.Name] = t
	return e.each(d.Range, func(i int64) *Error {
		s, err := make1(d.Name+"."+strconv.FormatInt(i, 10), int(i))
		t.at[i] = s
		return err
	})
}
