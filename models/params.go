package models

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// paramTypes are the types that a param can have; any of them may be a list with [].
var paramTypes = []string{"int", "float", "bool", "text"}

// param evaluates a declaration to a value or a table.
func (e *evaluator) param(d *paramNode) (any, *Error) {
	if d.Range == nil {
		v, err := e.expr(d.Value)
		if err != nil {
			return nil, err
		}
		return e.convert(v, d)
	}
	var t table
	first := true
	err := e.each(d.Range, func(i int64) *Error {
		if first {
			t.from, first = i, false
		}
		if i != t.from+int64(len(t.vals)) {
			return e.src.errorf(d.Range.Pos, "the range of a param cannot leave out values")
		}
		v, err := e.expr(d.Value)
		if err == nil {
			v, err = e.convert(v, d)
		}
		t.vals = append(t.vals, v)
		return err
	})
	return t, err
}

// convert demands the declared type; none passes as any.
func (e *evaluator) convert(v any, d *paramNode) (any, *Error) {
	name, list, at := "int", false, d.Value.Pos
	if d.Type != nil {
		name, list, at = d.Type.Name, d.Type.Array, d.Type.Pos
	}
	switch x := v.(type) {
	case poison:
		return nil, poisoned
	case nil:
		return nil, nil
	case Array:
		if list {
			return x, e.elements(x, name, d, at)
		}
	default:
		if w, ok := scalar(x, name); ok && !list {
			return w, nil
		}
	}
	want := map[string]string{"int": "an integer", "float": "a number", "bool": "true or false", "text": "a string"}[name]
	if list {
		want = "a list, each element " + want
	}
	return nil, e.src.errorf(at, "param %s is %s, want %s", d.Name, describe(v), want)
}

func (e *evaluator) elements(a Array, name string, d *paramNode, at lexer.Position) *Error {
	for i := range a.Len() {
		if _, ok := scalar(a.At(i), name); !ok {
			return e.src.errorf(at, "param %s: element %d is %s, want %s", d.Name, i, describe(a.At(i)), name)
		}
	}
	return nil
}

// describe says kind and value.
func describe(v any) string {
	switch v.(type) {
	case int64, float64:
		return show(v)
	case bool:
		return show(v)
	case string:
		return "the string \"" + show(v) + "\""
	}
	return kindOf(v)
}

func scalar(v any, name string) (any, bool) {
	switch name {
	case "int":
		i, ok := v.(int64)
		return i, ok
	case "float":
		f, ok := asFloat(v)
		return f, ok
	case "bool":
		b, ok := v.(bool)
		return b, ok
	}
	s, ok := v.(string)
	return s, ok
}

func knownParamType(name string) bool { return slices.Contains(paramTypes, name) }
