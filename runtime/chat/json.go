package chat

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nikolalohinski/gonja/v2/exec"
)

// toJSON is the tojson filter as the Hugging Face runner has it: json.dumps with its spacing,
// in insertion order, characters as they are unless ensure_ascii is given.
func toJSON(_ *exec.Evaluator, in *exec.Value, params *exec.VarArgs) *exec.Value {
	if in.IsError() {
		return in
	}
	w := jsonWriter{item: ", ", key: ": "}
	if len(params.Args) > 1 {
		return exec.AsValue(fmt.Errorf("tojson takes one positional argument, indent; got %d", len(params.Args)))
	}
	set := func(name string, v *exec.Value) error {
		switch name {
		case "indent":
			if !v.IsNil() {
				w.indent, w.lines, w.item = strings.Repeat(" ", max(0, min(v.Integer(), 64))), true, ","
			}
		case "ensure_ascii":
			w.ascii = v.IsTrue()
		case "sort_keys":
			w.sorted = v.IsTrue()
		case "separators":
			if !v.IsNil() && v.Len() == 2 {
				w.item, w.key = v.Index(0).String(), v.Index(1).String()
			}
		default:
			return fmt.Errorf("tojson does not know the argument %q: it has indent, ensure_ascii, sort_keys, separators", name)
		}
		return nil
	}
	for _, v := range params.Args {
		if err := set("indent", v); err != nil {
			return exec.AsValue(err)
		}
	}
	for _, name := range []string{"indent", "ensure_ascii", "sort_keys", "separators"} {
		if v, ok := params.KwArgs[name]; ok {
			if err := set(name, v); err != nil {
				return exec.AsValue(err)
			}
		}
	}
	for name := range params.KwArgs {
		if !strings.Contains(" indent ensure_ascii sort_keys separators ", " "+name+" ") {
			return exec.AsValue(set(name, nil))
		}
	}
	if err := w.value(in, 0); err != nil {
		return exec.AsValue(err)
	}
	return exec.AsSafeValue(w.b.String())
}

// jsonWriter writes values of the engine.
type jsonWriter struct {
	b             strings.Builder
	item, key     string // what separates items, and a key from its value
	indent        string
	lines         bool // each item on its own line
	ascii, sorted bool
}

func (w *jsonWriter) value(v *exec.Value, depth int) error {
	switch {
	case depth > 2*maxDepth:
		return fmt.Errorf("tojson: nested more than %d deep", 2*maxDepth)
	case v.IsNil():
		w.b.WriteString("null")
	case v.IsBool():
		w.b.WriteString(strconv.FormatBool(v.Bool()))
	case v.IsInteger():
		w.b.WriteString(strconv.Itoa(v.Integer()))
	case v.IsFloat():
		w.b.WriteString(pyFloat(v.Float()))
	case v.IsString():
		w.str(v.String())
	case v.IsDict():
		members := pairs(v)
		if w.sorted {
			sort.SliceStable(members, func(i, j int) bool { return members[i].Key.String() < members[j].Key.String() })
		}
		return w.group('{', '}', len(members), depth, func(i int) error {
			w.str(members[i].Key.String())
			w.b.WriteString(w.key)
			return w.value(members[i].Value, depth+1)
		})
	case v.IsList():
		return w.group('[', ']', v.Len(), depth, func(i int) error { return w.value(v.Index(i), depth+1) })
	default:
		return fmt.Errorf("tojson: a value of type %T has no JSON form", v.Interface())
	}
	return nil
}

// group writes n items between brackets.
func (w *jsonWriter) group(open, end byte, n, depth int, item func(i int) error) error {
	w.b.WriteByte(open)
	for i := range n {
		if i > 0 {
			w.b.WriteString(w.item)
		}
		w.line(depth + 1)
		if err := item(i); err != nil {
			return err
		}
	}
	if n > 0 {
		w.line(depth)
	}
	w.b.WriteByte(end)
	return nil
}

func (w *jsonWriter) line(depth int) {
	if w.lines {
		w.b.WriteByte('\n')
		w.b.WriteString(strings.Repeat(w.indent, depth))
	}
}

// jsonEscapes are the characters with a short escape.
var jsonEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\b': `\b`, '\f': `\f`}

func (w *jsonWriter) str(s string) {
	w.b.WriteByte('"')
	for i, r := range s {
		esc, short := jsonEscapes[r]
		switch {
		case short:
			w.b.WriteString(esc)
		case r < 0x20:
			fmt.Fprintf(&w.b, `\u%04x`, r)
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd"):
			w.b.WriteByte(s[i]) // not UTF-8: passed on as it is
		case r < 0x7f || !w.ascii || r >= 0x10f000: // a guard's mark is never spelled out
			w.b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&w.b, `\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		default:
			fmt.Fprintf(&w.b, `\u%04x`, r)
		}
	}
	w.b.WriteByte('"')
}

// pyFloat formats f as Python's repr does: shortest digits, always with a point or exponent.
func pyFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
