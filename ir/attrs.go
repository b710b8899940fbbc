package ir

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Attr is one attribute of a node: an int64, a float64 or a string.
type Attr struct {
	Name string
	Val  any
}

// Attrs are sorted by name.
type Attrs []Attr

// With returns the attributes with one more or one replaced.
func (a Attrs) With(name string, val any) Attrs {
	out := make(Attrs, 0, len(a)+1)
	for _, x := range a {
		if x.Name != name {
			out = append(out, x)
		}
	}
	out = append(out, Attr{name, val})
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// Find returns an attribute's value, or nil.
func (a Attrs) Find(name string) any {
	for _, x := range a {
		if x.Name == name {
			return x.Val
		}
	}
	return nil
}

// Int returns an integer attribute; it must be there.
func (a Attrs) Int(name string) int {
	v, ok := a.Find(name).(int64)
	if !ok {
		panic(fmt.Sprintf("BUG: no integer attribute %q in %v", name, a))
	}
	return int(v)
}

// Text returns a text attribute, or "".
func (a Attrs) Text(name string) string {
	v, _ := a.Find(name).(string)
	return v
}

func (a Attrs) String() string {
	if len(a) == 0 {
		return ""
	}
	parts := make([]string, len(a))
	for i, x := range a {
		parts[i] = x.Name + ": " + attrText(x.Val)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// attrText prints a value so that its kind can be read back.
func attrText(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		s := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(s, ".eInN") {
			s += ".0"
		}
		return s
	case string:
		return strconv.Quote(v)
	}
	panic(fmt.Sprintf("BUG: attribute value %T", v))
}

func parseAttr(s string) (any, error) {
	if strings.HasPrefix(s, `"`) {
		return strconv.Unquote(s)
	}
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i, nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, fmt.Errorf("attribute value %q: want a number or a quoted text", s)
	}
	return f, nil
}

// Complete checks the attributes against the op's declaration and fills in defaults.
func (o *Op) Complete(a Attrs) (Attrs, error) {
	for _, x := range a {
		if o.attr(x.Name) == nil {
			return nil, fmt.Errorf("%s has no attribute %q", o.Name, x.Name)
		}
	}
	out := make(Attrs, 0, len(o.Attrs))
	for _, spec := range o.Attrs {
		v := a.Find(spec.Name)
		if v == nil {
			v = spec.Default
		}
		if v == nil {
			return nil, fmt.Errorf("%s needs the attribute %q (%s)", o.Name, spec.Name, spec.Doc)
		}
		v, err := spec.convert(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.Name, err)
		}
		out = append(out, Attr{spec.Name, v})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out, nil
}

func (o *Op) attr(name string) *AttrSpec {
	for i := range o.Attrs {
		if o.Attrs[i].Name == name {
			return &o.Attrs[i]
		}
	}
	return nil
}

func (s *AttrSpec) convert(v any) (any, error) {
	switch v := v.(type) {
	case int64:
		switch s.Kind {
		case IntAttr:
			return v, nil
		case FloatAttr:
			return float64(v), nil
		}
	case float64:
		if s.Kind == FloatAttr {
			return v, nil
		}
	case string:
		if s.Kind == TextAttr {
			return v, nil
		}
	}
	return nil, fmt.Errorf("attribute %q is %v, want %s", s.Name, v, [...]string{"an integer", "a number", "a text"}[s.Kind])
}
