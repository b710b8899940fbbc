package codegen

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Part is the LLVM IR of some kernels of a module, complete in itself.
type Part struct {
	Kernels []string
	Text    string
}

// Build returns the module as LLVM IR text, or the first error that a kernel made.
func (m *Module) Build() (string, error) {
	parts, err := m.Parts(0)
	if err != nil {
		return "", err
	}
	return parts[0].Text, nil
}

// Parts cuts the whole module as Cut does; 0: not at all.
func (m *Module) Parts(size int) ([]Part, error) {
	if m.err != nil {
		return nil, m.err
	}
	if len(m.kernels) == 0 {
		return nil, errors.New("module has no kernels")
	}
	var parts []Part
	for first := 0; first < len(m.kernels); {
		end, _ := m.reach(first, size)
		parts = append(parts, m.part(first, end))
		first = end
	}
	return parts, nil
}

// Cut returns the kernels since the last cut as a part, so that several compilers can work while
// the module is made, and a cache can tell what has changed; ok is false as long as they are not
// size bytes. Whoever cuts after each kernel gets the Parts, but for what is left at the end.
func (m *Module) Cut(size int) (p Part, ok bool) {
	end, ok := m.reach(m.cut, size)
	if m.err != nil || !ok {
		return Part{}, false
	}
	p = m.part(m.cut, end)
	m.cut = end
	return p, true
}

// Rest returns the kernels since the last cut, if there are any, or the first error that a
// kernel made.
func (m *Module) Rest() (p Part, ok bool, err error) {
	if m.err != nil || m.cut == len(m.kernels) {
		return Part{}, false, m.err
	}
	p = m.part(m.cut, len(m.kernels))
	m.cut = len(m.kernels)
	return p, true, nil
}

// reach returns the end of the part from kernel first on: where it has size bytes, or that of
// the module; 0: without limit.
func (m *Module) reach(first, size int) (end int, full bool) {
	bytes := 0
	for i := first; i < len(m.kernels); i++ {
		if bytes += len(m.kernels[i].text); size > 0 && bytes >= size {
			return i + 1, true
		}
	}
	return len(m.kernels), false
}

func (m *Module) part(first, end int) Part {
	bytes := 0
	for i := first; i < end; i++ {
		bytes += len(m.kernels[i].text)
	}
	return Part{m.Names[first:end], m.print(m.kernels[first:end], bytes)}
}

// print writes kernels with all that they refer to.
func (m *Module) print(kernels []kernelText, bytes int) string {
	used := map[string]bool{}
	for i := range kernels {
		for _, name := range kernels[i].uses {
			used[name] = true
		}
	}
	var b strings.Builder
	b.Grow(bytes + bytes/8)
	fmt.Fprintf(&b, "target datalayout = %q\ntarget triple = %q\n", DataLayout, Triple)
	for _, g := range m.globals {
		if used[g.Name()] {
			fmt.Fprintf(&b, "\n%s\n", g.LLString())
		}
	}
	for _, f := range m.intrinsics {
		if used[f.Name()] {
			fmt.Fprintf(&b, "\n%s\n", f.LLString())
		}
	}
	var nodes []string
	if m.empty != nil {
		nodes = append(nodes, m.empty.LLString()) // number 0, as the kernels say
	}
	var notes []string
	for i := range kernels {
		fmt.Fprintf(&b, "\n%s\n", kernels[i].text)
		for _, n := range kernels[i].notes {
			notes = append(notes, fmt.Sprintf("!%d", len(nodes)))
			nodes = append(nodes, n)
		}
	}
	fmt.Fprintf(&b, "\n!nvvm.annotations = !{%s}\n\n", strings.Join(notes, ", "))
	for i, n := range nodes {
		fmt.Fprintf(&b, "!%d = %s\n", i, n)
	}
	return b.String()
}

// references lists the global names in a text, each once, sorted.
func references(text string) []string {
	var names []string
	for {
		_, rest, found := strings.Cut(text, "@")
		if !found {
			break
		}
		end := strings.IndexFunc(rest, func(r rune) bool {
			return r != '_' && r != '.' && r != '$' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
		})
		if end < 0 {
			end = len(rest)
		}
		names, text = append(names, rest[:end]), rest[end:]
	}
	slices.Sort(names)
	return slices.Compact(names)
}
