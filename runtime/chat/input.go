package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
)

// object is a JSON object in the order of its text; templates print tools and arguments in it.
type object []member

type member struct {
	key   string
	value any // nil, bool, int, float64, string, []any or object
}

// input is what a conversation gives to a template, as trees of the types above.
type input struct {
	messages []any
	tools    []any
}

// maxDepth bounds the nesting of tools and arguments.
const maxDepth = 64

func inputOf(msgs []Message, tools []any) (in input, err error) {
	for i, m := range msgs {
		o := object{{"role", m.Role}, {"content", m.Content}}
		if m.Reasoning != "" {
			o = append(o, member{"reasoning_content", m.Reasoning})
		}
		var calls []any
		for _, c := range m.ToolCalls {
			args, err := treeOf(c.Arguments, 0)
			if _, ok := args.(object); err == nil && !ok {
				err = fmt.Errorf("want a JSON object")
			}
			if err != nil {
				return in, fmt.Errorf("message %d: arguments of tool call %q: %w", i, c.Name, err)
			}
			calls = append(calls, object{{"type", "function"}, {"function", object{{"name", c.Name}, {"arguments", args}}}})
		}
		if calls != nil {
			o = append(o, member{"tool_calls", calls})
		}
		in.messages = append(in.messages, o)
	}
	for i, t := range tools {
		tree, err := treeOf(t, 0)
		if err != nil {
			return in, fmt.Errorf("tool %d: %w", i, err)
		}
		in.tools = append(in.tools, tree)
	}
	return in, nil
}

// treeOf turns a Go value into a tree.
func treeOf(v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested more than %d deep", maxDepth)
	}
	if raw, ok := v.(json.RawMessage); ok {
		return parseJSON(raw)
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Invalid:
		return nil, nil
	case reflect.Bool:
		return r.Bool(), nil
	case reflect.String:
		return r.String(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return int(r.Int()), nil
	case reflect.Float32, reflect.Float64:
		return r.Float(), nil
	case reflect.Slice, reflect.Array:
		list := []any{}
		for i := range r.Len() {
			item, err := treeOf(r.Index(i).Interface(), depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		return list, nil
	case reflect.Map:
		if r.Type().Key().Kind() != reflect.String {
			break
		}
		o := object{}
		for it := r.MapRange(); it.Next(); {
			item, err := treeOf(it.Value().Interface(), depth+1)
			if err != nil {
				return nil, err
			}
			o = append(o, member{it.Key().String(), item})
		}
		sort.Slice(o, func(i, j int) bool { return o[i].key < o[j].key })
		return o, nil
	}
	return nil, fmt.Errorf("a %T cannot be given to a template: use JSON types", v)
}

// parseJSON reads one JSON value and keeps the order of objects.
func parseJSON(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := readJSON(d, 0)
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if d.More() {
		return nil, fmt.Errorf("not JSON: something follows the value at byte %d", d.InputOffset())
	}
	return v, nil
}

func readJSON(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested more than %d deep", maxDepth)
	}
	tok, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := tok.(type) {
	case json.Number:
		return number(t)
	case json.Delim:
		if t == '[' {
			list := []any{}
			for d.More() {
				item, err := readJSON(d, depth+1)
				if err != nil {
					return nil, err
				}
				list = append(list, item)
			}
			_, err := d.Token()
			return list, err
		}
		o := object{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			item, err := readJSON(d, depth+1)
			if err != nil {
				return nil, err
			}
			o = append(o, member{key.(string), item})
		}
		_, err := d.Token()
		return o, err
	}
	return tok, nil // nil, bool or string
}

// number keeps whole numbers whole, as Python's reader does.
func number(n json.Number) (any, error) {
	if !strings.ContainsAny(n.String(), ".eE") {
		if i, err := n.Int64(); err == nil {
			return int(i), nil
		}
	}
	return n.Float64()
}

// strings returns every string of the input, keys included.
func (in input) strings() (list []string) {
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			list = append(list, v)
		case []any:
			for _, item := range v {
				walk(item)
			}
		case object:
			for _, m := range v {
				list = append(list, m.key)
				walk(m.value)
			}
		}
	}
	walk(in.messages)
	walk(in.tools)
	return list
}
