package report

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// schema validates JSON against the part of JSON Schema draft 4 that the SARIF schema uses. A
// keyword that it does not know is a violation, so that nothing passes unchecked.
type schema struct{ root map[string]any }

// silent keywords state nothing about a document.
var silent = []string{"$schema", "id", "title", "description", "default", "definitions", "format"}

// check returns the violations of v against s; at is the place of v in the document.
func (sc *schema) check(s map[string]any, v any, at string) (bad []string) {
	fail := func(format string, args ...any) { bad = append(bad, at+": "+fmt.Sprintf(format, args...)) }
	if ref, ok := s["$ref"].(string); ok {
		return sc.check(sc.resolve(ref), v, at)
	}
	keys := make([]string, 0, len(s))
	for k := range s {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		switch arg := s[k]; k {
		case "type":
			names, many := arg.([]any)
			if !many {
				names = []any{arg}
			}
			if !slices.ContainsFunc(names, func(n any) bool { return hasType(v, n.(string)) }) {
				fail("is not of type %v", arg)
			}
		case "enum":
			if !slices.ContainsFunc(arg.([]any), func(e any) bool { return reflect.DeepEqual(e, v) }) {
				fail("%v is none of %v", v, arg)
			}
		case "pattern":
			if t, ok := v.(string); ok && !regexp.MustCompile(arg.(string)).MatchString(t) {
				fail("%q does not match %s", t, arg)
			}
		case "minimum", "maximum":
			if n, ok := v.(float64); ok && (k == "minimum" && n < arg.(float64) || k == "maximum" && n > arg.(float64)) {
				fail("%v is beyond the %s %v", n, k, arg)
			}
		case "anyOf", "oneOf":
			n := 0
			for _, alt := range arg.([]any) {
				if len(sc.check(alt.(map[string]any), v, at)) == 0 {
					n++
				}
			}
			if n == 0 || k == "oneOf" && n > 1 {
				fail("matches %d schemas of %s", n, k)
			}
		case "minItems", "uniqueItems", "items":
			if l, ok := v.([]any); ok {
				bad = append(bad, sc.list(k, arg, l, at)...)
			}
		case "required", "properties", "additionalProperties":
			if o, ok := v.(map[string]any); ok {
				bad = append(bad, sc.object(k, arg, s, o, at)...)
			}
		default:
			if !slices.Contains(silent, k) {
				fail("the validator does not know keyword %s", k)
			}
		}
	}
	return bad
}

func (sc *schema) list(k string, arg any, l []any, at string) (bad []string) {
	switch k {
	case "minItems":
		if float64(len(l)) < arg.(float64) {
			bad = append(bad, fmt.Sprintf("%s: has %d items, want %v", at, len(l), arg))
		}
	case "uniqueItems":
		for i := range l {
			for j := range l[:i] {
				if arg.(bool) && reflect.DeepEqual(l[i], l[j]) {
					bad = append(bad, fmt.Sprintf("%s: items %d and %d are equal", at, j, i))
				}
			}
		}
	case "items":
		for i := range l {
			bad = append(bad, sc.check(arg.(map[string]any), l[i], fmt.Sprintf("%s/%d", at, i))...)
		}
	}
	return bad
}

func (sc *schema) object(k string, arg any, s, o map[string]any, at string) (bad []string) {
	props, _ := s["properties"].(map[string]any)
	switch k {
	case "required":
		for _, r := range arg.([]any) {
			if _, ok := o[r.(string)]; !ok {
				bad = append(bad, fmt.Sprintf("%s: lacks %v", at, r))
			}
		}
	case "properties":
		for name, p := range props {
			if v, ok := o[name]; ok {
				bad = append(bad, sc.check(p.(map[string]any), v, at+"/"+name)...)
			}
		}
	case "additionalProperties":
		for name, v := range o {
			if _, ok := props[name]; ok {
				continue
			}
			if extra, ok := arg.(map[string]any); ok {
				bad = append(bad, sc.check(extra, v, at+"/"+name)...)
			} else if arg == false {
				bad = append(bad, fmt.Sprintf("%s: property %s is not allowed", at, name))
			}
		}
	}
	return bad
}

func (sc *schema) resolve(ref string) map[string]any {
	var at any = sc.root
	for _, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		at = at.(map[string]any)[part]
	}
	return at.(map[string]any)
}

func hasType(v any, want string) bool {
	switch v := v.(type) {
	case string:
		return want == "string"
	case bool:
		return want == "boolean"
	case float64:
		return want == "number" || want == "integer" && v == math.Trunc(v)
	case []any:
		return want == "array"
	case map[string]any:
		return want == "object"
	}
	return want == "null"
}

// validate returns the violations of a document against a schema.
func validate(schemaText, document []byte) ([]string, error) {
	var s map[string]any
	var d any
	if err := json.Unmarshal(schemaText, &s); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, err
	}
	return (&schema{s}).check(s, d, ""), nil
}
