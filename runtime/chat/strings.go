package chat

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/nikolalohinski/gonja/v2/builtins"
	"github.com/nikolalohinski/gonja/v2/exec"
)

// engineStrings are the string methods that are taken from the engine as they are.
var engineStrings = strings.Fields(`capitalize casefold format isalnum isalpha isascii isdecimal isdigit islower
	isnumeric isspace istitle isupper ljust lower partition rjust rpartition splitlines swapcase title upper zfill`)

// ownStrings are those whose defaults or arguments the engine has otherwise than Python:
// name, how many arguments it needs and takes, and what it does.
var ownStrings = []struct {
	name     string
	min, max int
	call     func(s string, args []*exec.Value) (any, error)
}{
	{"split", 0, 2, split},
	{"rsplit", 1, 2, rsplit},
	{"strip", 0, 1, func(s string, a []*exec.Value) (any, error) { return strings.Trim(s, cutset(a)), nil }},
	{"lstrip", 0, 1, func(s string, a []*exec.Value) (any, error) { return strings.TrimLeft(s, cutset(a)), nil }},
	{"rstrip", 0, 1, func(s string, a []*exec.Value) (any, error) { return strings.TrimRight(s, cutset(a)), nil }},
	{"startswith", 1, 1, func(s string, a []*exec.Value) (any, error) { return anyOf(a[0], s, strings.HasPrefix), nil }},
	{"endswith", 1, 1, func(s string, a []*exec.Value) (any, error) { return anyOf(a[0], s, strings.HasSuffix), nil }},
	{"removeprefix", 1, 1, func(s string, a []*exec.Value) (any, error) { return strings.TrimPrefix(s, a[0].String()), nil }},
	{"removesuffix", 1, 1, func(s string, a []*exec.Value) (any, error) { return strings.TrimSuffix(s, a[0].String()), nil }},
	{"find", 1, 1, func(s string, a []*exec.Value) (any, error) { return place(s, strings.Index(s, a[0].String())), nil }},
	{"rfind", 1, 1, func(s string, a []*exec.Value) (any, error) {
		return place(s, strings.LastIndex(s, a[0].String())), nil
	}},
	{"count", 1, 1, func(s string, a []*exec.Value) (any, error) { return strings.Count(s, a[0].String()), nil }},
	{"replace", 2, 3, func(s string, a []*exec.Value) (any, error) {
		n := -1
		if len(a) == 3 {
			n = a[2].Integer()
		}
		return strings.Replace(s, a[0].String(), a[1].String(), n), nil
	}},
	{"join", 1, 1, func(s string, a []*exec.Value) (any, error) {
		var parts []string
		a[0].Iterate(func(_, _ int, item, _ *exec.Value) bool {
			parts = append(parts, item.String())
			return true
		}, func() {})
		return strings.Join(parts, s), nil
	}},
}

// pySpace is what strip() takes without an argument.
const pySpace = whitespaceSet + "\x1c\x1d\x1e\x1f\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

func cutset(args []*exec.Value) string {
	if len(args) == 0 || args[0].IsNil() {
		return pySpace
	}
	return args[0].String()
}

// anyOf reports whether test holds for the string v or for one of the list v.
func anyOf(v *exec.Value, s string, test func(s, part string) bool) bool {
	if !v.IsList() {
		return test(s, v.String())
	}
	for i := range v.Len() {
		if test(s, v.Index(i).String()) {
			return true
		}
	}
	return false
}

// place turns a byte index into one of characters.
func place(s string, i int) int {
	if i < 0 {
		return -1
	}
	return utf8.RuneCountInString(s[:i])
}

func split(s string, args []*exec.Value) (any, error) {
	if len(args) == 0 || args[0].IsNil() {
		if len(args) == 2 {
			return nil, fmt.Errorf("split with a number needs a separator")
		}
		return listOf(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(pySpace, r) })), nil
	}
	sep, limit := args[0].String(), -1
	if len(args) == 2 {
		limit = args[1].Integer()
	}
	if sep == "" {
		return nil, fmt.Errorf("split at an empty separator")
	}
	if limit < 0 {
		return listOf(strings.Split(s, sep)), nil
	}
	return listOf(strings.SplitN(s, sep, limit+1)), nil
}

// rsplit keeps all but the last pieces together.
func rsplit(s string, args []*exec.Value) (any, error) {
	l, err := split(s, args[:1])
	parts, ok := l.(list)
	if err != nil || !ok || len(args) == 1 || args[1].Integer() < 0 || len(parts) <= args[1].Integer()+1 {
		return l, err
	}
	joined := len(parts) - args[1].Integer()
	var head []string
	for _, p := range parts[:joined] {
		head = append(head, p.(string))
	}
	return append(list{strings.Join(head, args[0].String())}, parts[joined:]...), nil
}

func listOf(s []string) list {
	l := make(list, len(s))
	for i := range s {
		l[i] = s[i]
	}
	return l
}

// stringMethods returns the methods of strings in templates.
func stringMethods() *exec.MethodSet[string] {
	set := map[string]exec.Method[string]{}
	for _, name := range engineStrings {
		if f, ok := builtins.Methods.Str.Get(name); ok {
			set[name] = f
		}
	}
	for _, m := range ownStrings {
		set[m.name] = func(self string, _ *exec.Value, args *exec.VarArgs) (any, error) {
			if n := len(args.Args); n < m.min || n > m.max || len(args.KwArgs) > 0 {
				return nil, fmt.Errorf("%s takes %d to %d arguments, got %d", m.name, m.min, m.max, n+len(args.KwArgs))
			}
			return m.call(self, args.Args)
		}
	}
	return exec.NewMethodSet(set)
}
