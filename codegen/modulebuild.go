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

// Parts cuts the module, so that several compilers can work at once and a cache can tell what
// has changed: kernels in order, a part is closed when it has reached size bytes; 0: never.
func (m *Module) Parts(size int) ([]Part, error) {
	if m.err != nil {
		return nil, m.err
	}
	if len(m.kernels) == 0 {
		return nil, errors.New("module has no kernels")
	}
	var parts []Part
	first, bytes := 0, 0
	for i := range m.kernels {
		bytes += len(m.kernels[i].text)
		if i == len(m.kernels)-1 || size > 0 && bytes >= size {
			parts = append(parts, Part{m.Names[first : i+1], m.print(m.kernels[first:i+1], bytes)})
			first, bytes = i+1, 0
		}
	}
	return parts, nil
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
