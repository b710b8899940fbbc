package chat

import (
	"fmt"
	"slices"

	"github.com/nikolalohinski/gonja/v2/builtins"
	"github.com/nikolalohinski/gonja/v2/exec"
)

// What templates expect of Python and the engine does otherwise: dictionaries keep their
// order, x[-1] works on a list of one, split() without an argument splits at whitespace, and
// the reverse filter reverses instead of sorting.

// list is a sequence whose negative indices count from the end.
type list []any

// GetItem implements exec.ItemGetter.
func (l list) GetItem(key any) (*exec.Value, bool) {
	i, ok := key.(int)
	if i < 0 {
		i += len(l)
	}
	if !ok || i < 0 || i >= len(l) {
		return exec.AsValue(nil), false
	}
	return exec.ToValue(l[i]), true
}

// pairs returns the members of a mapping in order (by key where it has none).
func pairs(v *exec.Value) []*exec.Pair {
	switch d := v.Interface().(type) {
	case *exec.Dict:
		return slices.Clone(d.Pairs)
	case exec.Dict:
		return slices.Clone(d.Pairs)
	}
	var out []*exec.Pair
	for _, k := range v.Keys() {
		item, _ := v.GetItem(k.String())
		out = append(out, &exec.Pair{Key: k, Value: item})
	}
	return out
}

func keysOf(v *exec.Value) list {
	l := list{}
	for _, p := range pairs(v) {
		l = append(l, p.Key.Interface())
	}
	return l
}

func valuesOf(v *exec.Value) list {
	l := list{}
	for _, p := range pairs(v) {
		l = append(l, p.Value.Interface())
	}
	return l
}

func itemsOf(v *exec.Value) list {
	l := list{}
	for _, p := range pairs(v) {
		l = append(l, list{p.Key.Interface(), p.Value.Interface()})
	}
	return l
}

// dictMethod makes a method without arguments of f.
func dictMethod(f func(*exec.Value) list) exec.Method[map[string]any] {
	return func(_ map[string]any, self *exec.Value, args *exec.VarArgs) (any, error) {
		if err := args.Take(); err != nil {
			return nil, exec.ErrInvalidCall(err)
		}
		return f(self), nil
	}
}

// getMethod is dict.get(key, default).
func getMethod(_ map[string]any, self *exec.Value, args *exec.VarArgs) (any, error) {
	if n := len(args.Args); n < 1 || n > 2 || len(args.KwArgs) > 0 {
		return nil, fmt.Errorf("get() takes a key and perhaps a default")
	}
	for _, p := range pairs(self) {
		if p.Key.EqualValueTo(args.Args[0]) {
			return p.Value.Interface(), nil
		}
	}
	if len(args.Args) == 2 {
		return args.Args[1].Interface(), nil
	}
	return nil, nil
}

// methods returns the methods of values in templates.
func methods() exec.Methods {
	m := builtins.Methods
	m.Str = stringMethods()
	m.Dict = exec.NewMethodSet(map[string]exec.Method[map[string]any]{
		"items": dictMethod(itemsOf), "keys": dictMethod(keysOf), "values": dictMethod(valuesOf), "get": getMethod,
	})
	return m
}

// filters returns the filters of templates.
func filters() *exec.FilterSet {
	f := exec.NewFilterSet(map[string]exec.FilterFunction{}).Update(builtins.Filters)
	for name, fn := range map[string]exec.FilterFunction{
		"tojson": toJSON,
		"items": func(_ *exec.Evaluator, in *exec.Value, _ *exec.VarArgs) *exec.Value {
			if in.IsError() {
				return in
			}
			if !in.IsDict() {
				return exec.AsValue(fmt.Errorf("items needs a mapping, got %s", in))
			}
			return exec.AsValue(itemsOf(in))
		},
		"reverse": reverseFilter,
	} {
		if err := f.Replace(name, fn); err != nil {
			panic("BUG: " + err.Error())
		}
	}
	return f
}

func reverseFilter(_ *exec.Evaluator, in *exec.Value, _ *exec.VarArgs) *exec.Value {
	switch {
	case in.IsError():
		return in
	case in.IsString():
		r := []rune(in.String())
		slices.Reverse(r)
		return exec.AsValue(string(r))
	case !in.IsList():
		return exec.AsValue(fmt.Errorf("reverse needs a list or a string, got %s", in))
	}
	l := make(list, in.Len())
	for i := range l {
		l[len(l)-1-i] = in.Index(i).Interface()
	}
	return exec.AsValue(l)
}
