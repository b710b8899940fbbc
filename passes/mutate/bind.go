package mutate

import (
	"slices"
	"strings"

	"dsac/passes/lint"
	"dsac/runtime/plan"
)

// Bind returns a copy of p in which every step names the weights and inputs that it takes, and
// its outputs if it has several (takes=, gives=), and every input says how many rows the host
// fills (valid=): what a front end knows and an expected definition cannot say. What a plan
// says already it keeps.
func Bind(p *plan.Plan) *plan.Plan {
	m := newMutant(p, 0, nil)
	for i := range m.Steps {
		s := &m.Steps[i]
		var takes, gives []string
		for _, o := range m.Ops(s) {
			b := &m.Bufs[o.Buf]
			name := m.Strings[b.Name]
			if m.kind(o.Buf) == plan.In && o.Effect == plan.R && o.Hi.Sym == plan.SymN && !b.HasValid {
				b.HasValid, b.Valid = true, o.Hi
			}
			switch {
			case o.Effect == plan.R && lint.Ambiguous(m.Plan, &o):
				takes = append(takes, name)
			case o.Effect == plan.W:
				gives = append(gives, name)
			}
		}
		if len(gives) < 2 {
			gives = nil
		}
		m.setNames(int32(i), "takes", takes)
		m.setNames(int32(i), "gives", gives)
	}
	return m.Plan
}

// setNames adds an attribute in the order of keys.
func (m *mutant) setNames(s int32, key string, names []string) {
	if names == nil || m.hasAttr(s, key) {
		return
	}
	as := slices.Clone(m.AttrList(m.Steps[s].Attrs))
	at, _ := slices.BinarySearchFunc(as, key, func(a plan.Attr, k string) int { return strings.Compare(m.Strings[a.Key], k) })
	as = slices.Insert(as, at, plan.Attr{Key: m.intern(key), Kind: plan.Text, Val: uint64(m.intern(strings.Join(names, ",")))})
	m.Steps[s].Attrs = plan.Span{Off: uint32(len(m.Attrs)), Len: uint32(len(as))}
	m.Attrs = append(m.Attrs, as...)
}

// intern is str with an index, for many strings.
func (m *mutant) intern(s string) plan.Str {
	if m.strs == nil {
		m.strs = make(map[string]plan.Str, len(m.Strings))
		for i, t := range m.Strings {
			m.strs[t] = plan.Str(i)
		}
	}
	i, ok := m.strs[s]
	if !ok {
		i = plan.Str(len(m.Strings))
		m.Strings = append(m.Strings, s)
		m.strs[s] = i
	}
	return i
}
