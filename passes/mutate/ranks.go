package mutate

import (
	"slices"

	"dsac/runtime/plan"
)

// Operators on collectives and accumulation.
var rankOperators = []Operator{
	{"drop-collective", "leave out an all-reduce", func(m *mutant) bool { return m.drop(m.collective) }},
	{"bypass-collective", "let the readers of an all-reduce take its input, as if nobody had planned it", bypass},
	{"duplicate-collective", "all-reduce twice", duplicateCollective},
	{"wrong-group", "reduce over another group", wrongGroup},
	{"collective-late", "reduce after the next op has read", collectiveLate},
	{"accumulate-overwrites", "overwrite where the plan added up", func(m *mutant) bool { return m.effect(plan.Acc, plan.W) }},
	{"overwrite-accumulates", "add up where the plan overwrote", func(m *mutant) bool { return m.effect(plan.W, plan.Acc) }},
	{"drop-fill", "leave out a zero fill", func(m *mutant) bool {
		return m.drop(func(it *plan.Item) bool { return isStep(it) && m.Steps[it.Index].Flags&plan.Init != 0 })
	}},
}

func (m *mutant) collective(it *plan.Item) bool {
	return isStep(it) && m.hasAttr(it.Index, "coll")
}

// bypass leaves out a collective and binds everyone who expects it to what it reads, with the
// expectation that belongs to it: only the distribution of the value gives it away.
func bypass(m *mutant) bool {
	i, ok := pick(m, m.items(m.collective))
	if !ok {
		return false
	}
	items := m.ownItems()
	gone := items[i].Index
	in := m.Ops(&m.Steps[gone])[0]
	for _, s := range m.sites(func(o *plan.Operand, _ *plan.Buf, _ plan.RegionKind) bool {
		return o.Effect == plan.R || o.Effect == plan.RW
	}) {
		if o := m.at(s); s.step != gone && slices.Contains(m.Expected(o), gone) {
			o.Buf, o.Expect = in.Buf, in.Expect
		}
	}
	m.setItems(slices.Delete(items, i, i+1))
	return true
}

func duplicateCollective(m *mutant) bool {
	i, ok := pick(m, m.items(m.collective))
	if ok {
		items := m.ownItems()
		m.setItems(slices.Insert(items, i, items[i]))
	}
	return ok
}

func wrongGroup(m *mutant) bool {
	i, ok := pick(m, m.items(m.collective))
	if ok {
		m.setAttr(m.ownItems()[i].Index, "coll", "ar:ep")
	}
	return ok
}

func collectiveLate(m *mutant) bool {
	i, ok := pick(m, m.items(m.collective))
	if ok = ok && i+2 < int(m.entry.Items.Len); ok {
		m.relocate(i, i+2)
	}
	return ok
}

// effect turns one effect into the other. The operands of a step stay in the order of effects
// only by chance: the lint does not rely on it.
func (m *mutant) effect(from, to plan.Effect) bool {
	s, ok := pick(m, m.sites(func(o *plan.Operand, _ *plan.Buf, k plan.RegionKind) bool { return o.Effect == from && k == plan.Arena }))
	if ok {
		m.at(s).Effect = to
	}
	return ok
}
