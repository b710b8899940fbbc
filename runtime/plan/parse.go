package plan

import (
	"fmt"
	"slices"
	"strings"
)

// Parse reads the text form: the notation of docs/spec/alias-faults.md, section 1, and what
// Print writes. The name stands in errors, which are of type *SyntaxError. The result is sound
// and canonical; whether it makes sense is for Verify and the lint.
func Parse(name string, text []byte) (*Plan, error) {
	ps := &parser{name: name, rest: string(text), b: NewBuilder(), entry: None,
		regions: map[string]int32{}, kernels: map[string]int32{}, entries: map[string]bool{},
		shared: map[string]int32{}}
	ps.p = ps.b.P
	for ps.err == nil && ps.next() {
		ps.directive()
	}
	ps.closeScope()
	ps.finish()
	if ps.err != nil {
		return nil, ps.err
	}
	if err := Sound(ps.p); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return Canonical(ps.p), nil
}

type parser struct {
	name string
	rest string // text not yet read
	line string
	ln   int
	err  *SyntaxError // the first one
	b    *Builder
	p    *Plan

	regions, kernels map[string]int32
	entries          map[string]bool
	entry            int32            // that owns the next buffers; None: shared
	shared           map[string]int32 // buffers by name
	scope            *scope           // open entry
	meta             []KV
	pads             int // buffers with pad=

	parents []ref // of= and inplace_of= to resolve when the scope closes
}

// scope is what an open entry knows.
type scope struct {
	bufs, labels map[string]int32
	expects      []ref
}

// ref is a name to be resolved later.
type ref struct {
	owner   int32 // buffer or operand
	inplace bool  // inplace_of= rather than of=
	name    string
	line    string // where it stands, for the error
	ln, col int
}

// directives lists the words that start a line.
var directives map[string]func(*parser, []field)

func init() { // breaks an initialisation cycle: the functions report the known words
	directives = map[string]func(*parser, []field){
		"plan": (*parser).planLine, "bucket": (*parser).bucketLine, "dyn": (*parser).dynLine,
		"region": (*parser).regionLine, "source": (*parser).sourceLine,
		"kernel": (*parser).kernelLine, "ptx": (*parser).blobLine, "cubin": (*parser).blobLine,
		"buf": (*parser).bufLine, "weight": (*parser).weightLine, "entry": (*parser).entryLine,
		"launch": (*parser).launchLine, "op": (*parser).opLine, "rec": (*parser).eventLine,
		"wait": (*parser).eventLine, "step": (*parser).stepLine,
	}
}

// next moves to the next line.
func (ps *parser) next() bool {
	if ps.rest == "" {
		return false
	}
	ps.line, ps.rest, _ = strings.Cut(ps.rest, "\n")
	ps.ln++
	return true
}

func (ps *parser) directive() {
	fs, bad := split(ps.line)
	if bad >= 0 {
		ps.fail(bad, "quote is not closed")
		return
	}
	if len(fs) == 0 {
		return
	}
	do, ok := directives[fs[0].s]
	if !ok {
		words := make([]string, 0, len(directives))
		for w := range directives {
			words = append(words, w)
		}
		slices.Sort(words)
		ps.fail(fs[0].col, "unknown word %q at the start of a line: want one of %s", fs[0].s, strings.Join(words, " "))
		return
	}
	do(ps, fs)
}

// fail keeps the first error; col is a 0-based offset in the current line.
func (ps *parser) fail(col int, format string, args ...any) {
	ps.failAt(ps.line, ps.ln, col, format, args...)
}

func (ps *parser) failAt(line string, ln, col int, format string, args ...any) {
	if ps.err == nil {
		ps.err = &SyntaxError{ps.name, ln, col + 1, fmt.Sprintf(format, args...), strings.TrimSuffix(line, "\r")}
	}
}

// nameField reads the second word of a line, which names the thing.
func (ps *parser) nameField(fs []field, class uint8, what string) string {
	if len(fs) < 2 {
		ps.fail(len(ps.line), "%s needs a name", what)
		return ""
	}
	c := ps.cursor(fs[1])
	s := c.name(class, "name of the "+what)
	c.end("the name")
	return s
}

// pairs calls do for each key=value after the first n words.
func (ps *parser) pairs(fs []field, n int, do func(key string, keyCol int, c *cursor) bool) {
	seen := map[string]bool{}
	for _, f := range fs[min(n, len(fs)):] {
		key, val, ok := keyValue(f)
		switch {
		case !ok:
			ps.fail(f.col, "%q: want key=value", f.s)
		case seen[key]:
			ps.fail(f.col, "%s= is given twice", key)
		default:
			c := ps.cursor(val)
			if !do(key, f.col, c) {
				ps.fail(f.col, "unknown key %q of a %s line", key, fs[0].s)
			}
			c.end(key + "=")
		}
		seen[key] = true
		if ps.err != nil {
			return
		}
	}
}

// sortAttrs sorts by key and adds the attributes to the pool.
func (ps *parser) sortAttrs(as []Attr) Span {
	if len(as) == 0 {
		return Span{}
	}
	slices.SortFunc(as, func(a, b Attr) int {
		return strings.Compare(ps.p.Strings[a.Key], ps.p.Strings[b.Key])
	})
	return ps.b.AddAttrs(as)
}
