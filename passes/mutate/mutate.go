// Package mutate measures the lint: it breaks sound plans at random, asks the lint for a
// verdict, and lets the tag interpreter (package tags) judge whether the results changed. A
// mutant that changes results and is not reported is a missing rule. It may import passes/lint
// and passes/mutate/tags, which do not import each other.
package mutate

import (
	"math/rand/v2"
	"slices"

	"dsac/runtime/plan"
)

// Operator is one way to break a plan.
type Operator struct {
	Name  string
	Doc   string
	apply func(m *mutant) bool // false: no place for it in this entry
}

// mutant is a copy of a plan under the knife. Only one entry, and buffers and weights that it
// sees, change.
type mutant struct {
	*plan.Plan
	rng   *rand.Rand
	e     int
	entry *plan.Entry
}

// newMutant copies the sections that operators change.
func newMutant(p *plan.Plan, e int, rng *rand.Rand) *mutant {
	c := *p
	c.Strings = slices.Clone(p.Strings)
	c.Bufs = slices.Clone(p.Bufs)
	c.Entries = slices.Clone(p.Entries)
	c.Items = slices.Clone(p.Items)
	c.Steps = slices.Clone(p.Steps)
	c.Operands = slices.Clone(p.Operands)
	c.Expects = slices.Clone(p.Expects)
	c.Attrs = slices.Clone(p.Attrs)
	c.Weights = slices.Clone(p.Weights)
	return &mutant{Plan: &c, rng: rng, e: e, entry: &c.Entries[e]}
}

// site is an operand of a step of the entry.
type site struct {
	step    int32
	operand uint32
}

func (m *mutant) at(s site) *plan.Operand { return &m.Operands[s.operand] }
func (m *mutant) buf(s site) *plan.Buf    { return &m.Bufs[m.Operands[s.operand].Buf] }

func (m *mutant) kind(b int32) plan.RegionKind { return m.Regions[m.Bufs[b].Region].Kind }

// pick returns a random element; ok is false when there is none.
func pick[T any](m *mutant, list []T) (v T, ok bool) {
	if len(list) == 0 {
		return v, false
	}
	return list[m.rng.IntN(len(list))], true
}

// sites returns the operands for which keep holds.
func (m *mutant) sites(keep func(o *plan.Operand, b *plan.Buf, k plan.RegionKind) bool) []site {
	var out []site
	for s := m.entry.Steps.Off; s < m.entry.Steps.Off+m.entry.Steps.Len; s++ {
		sp := m.Steps[s].Operands
		for i := sp.Off; i < sp.Off+sp.Len; i++ {
			o := &m.Operands[i]
			if keep(o, &m.Bufs[o.Buf], m.kind(o.Buf)) {
				out = append(out, site{int32(s), i})
			}
		}
	}
	return out
}

// buffers returns the buffers of the entry, or shared ones, for which keep holds.
func (m *mutant) buffers(keep func(b *plan.Buf, k plan.RegionKind) bool) []int32 {
	var out []int32
	for i := range m.Bufs {
		b := &m.Bufs[i]
		if (b.Entry == plan.None || int(b.Entry) == m.e) && keep(b, m.kind(int32(i))) {
			out = append(out, int32(i))
		}
	}
	return out
}

// Filters that many operators share.
func tempRead(o *plan.Operand, b *plan.Buf, k plan.RegionKind) bool {
	return o.Effect == plan.R && k == plan.Arena
}
func tempWrite(o *plan.Operand, b *plan.Buf, k plan.RegionKind) bool {
	return o.Effect == plan.W && k == plan.Arena
}
func weightRead(o *plan.Operand, b *plan.Buf, k plan.RegionKind) bool {
	return o.Effect == plan.R && k == plan.Const
}
func cacheRead(o *plan.Operand, b *plan.Buf, k plan.RegionKind) bool {
	return o.Effect == plan.R && k == plan.State && b.Layer != plan.None
}
func cacheWrite(o *plan.Operand, b *plan.Buf, k plan.RegionKind) bool {
	return o.Effect == plan.W && k == plan.State && b.Layer != plan.None
}
func temp(b *plan.Buf, k plan.RegionKind) bool { return k == plan.Arena && b.Role != plan.Scratch }

// items returns the indices of the entry's items for which keep holds.
func (m *mutant) items(keep func(it *plan.Item) bool) []int {
	var out []int
	for i := range m.EntryItems(m.entry) {
		if it := &m.Items[int(m.entry.Items.Off)+i]; keep(it) {
			out = append(out, i)
		}
	}
	return out
}

func isStep(it *plan.Item) bool { return it.Kind == plan.DoStep }

// setItems gives the entry a new execution order.
func (m *mutant) setItems(items []plan.Item) {
	m.entry.Items = plan.Span{Off: uint32(len(m.Items)), Len: uint32(len(items))}
	m.Items = append(m.Items, items...)
}

// ownItems returns a copy of the entry's order to edit.
func (m *mutant) ownItems() []plan.Item { return slices.Clone(m.EntryItems(m.entry)) }

func (m *mutant) str(s string) plan.Str {
	if i := slices.Index(m.Strings, s); i >= 0 {
		return plan.Str(i)
	}
	m.Strings = append(m.Strings, s)
	return plan.Str(len(m.Strings) - 1)
}

// hasAttr says whether a step has an attribute.
func (m *mutant) hasAttr(s int32, key string) bool {
	_, ok := m.FindAttr(m.Steps[s].Attrs, key)
	return ok
}

// setAttr replaces the text of an attribute that is there.
func (m *mutant) setAttr(s int32, key, val string) {
	sp := m.Steps[s].Attrs
	for i := sp.Off; i < sp.Off+sp.Len; i++ {
		if m.Strings[m.Attrs[i].Key] == key {
			m.Attrs[i].Kind, m.Attrs[i].Val = plan.Text, uint64(m.str(val))
		}
	}
}
