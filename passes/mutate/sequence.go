package mutate

import (
	"slices"

	"dsac/runtime/plan"
)

// Operators that change which steps run, when, on which stream and after which event.
var orderOperators = []Operator{
	{"drop-step", "leave out a step", func(m *mutant) bool { return m.drop(isStep) }},
	{"drop-step-silent", "leave out a step and every expectation of it", dropSilent},
	{"drop-append", "leave out an append", func(m *mutant) bool { return m.drop(m.appends) }},
	{"drop-last", "leave out the last step", dropLast},
	{"duplicate-step", "run a step twice", duplicate},
	{"swap-steps", "exchange two neighbours", swapNeighbours},
	{"step-earlier", "run a step earlier", func(m *mutant) bool { return m.shiftStep(-1) }},
	{"step-later", "run a step later", func(m *mutant) bool { return m.shiftStep(1) }},
	{"append-after-read", "append after the attention has read", appendLast},
	{"advance-early", "advance the control buffer before the end", advanceEarly},
	{"drop-wait", "leave out a wait", func(m *mutant) bool { return m.drop(func(it *plan.Item) bool { return it.Kind == plan.Wait }) }},
	{"drop-record", "leave out a record", func(m *mutant) bool { return m.drop(func(it *plan.Item) bool { return it.Kind == plan.Record }) }},
	{"wait-late", "wait one op later", func(m *mutant) bool { return m.moveItem(plan.Wait, 1) }},
	{"record-early", "record one op earlier", func(m *mutant) bool { return m.moveItem(plan.Record, -1) }},
	{"wait-wrong-event", "wait for another event", wrongEvent},
	{"other-stream", "run a step on another stream", otherStream},
	{"early-launch", "launch a step before its predecessor has finished", earlyLaunch},
	{"early-launch-stream", "the same on a side stream", earlyLaunchSide},
}

func (m *mutant) drop(keep func(it *plan.Item) bool) bool {
	i, ok := pick(m, m.items(keep))
	if ok {
		m.setItems(slices.Delete(m.ownItems(), i, i+1))
	}
	return ok
}

func (m *mutant) appends(it *plan.Item) bool {
	if it.Kind != plan.DoStep {
		return false
	}
	for _, o := range m.Ops(&m.Steps[it.Index]) {
		if cacheWrite(&o, &m.Bufs[o.Buf], m.kind(o.Buf)) {
			return true
		}
	}
	return false
}

func dropSilent(m *mutant) bool {
	i, ok := pick(m, m.items(isStep))
	if !ok {
		return false
	}
	items := m.ownItems()
	gone := items[i].Index
	m.setItems(slices.Delete(items, i, i+1))
	for _, s := range m.sites(func(o *plan.Operand, _ *plan.Buf, _ plan.RegionKind) bool { return o.Expect.Len > 0 }) {
		if slices.Contains(m.Expected(m.at(s)), gone) {
			m.at(s).Expect = plan.Span{}
		}
	}
	return true
}

func dropLast(m *mutant) bool {
	steps := m.items(isStep)
	if len(steps) == 0 {
		return false
	}
	i := steps[len(steps)-1]
	m.setItems(slices.Delete(m.ownItems(), i, i+1))
	return true
}

func duplicate(m *mutant) bool {
	i, ok := pick(m, m.items(isStep))
	if ok {
		items := m.ownItems()
		m.setItems(slices.Insert(items, i, items[i]))
	}
	return ok
}

func swapNeighbours(m *mutant) bool {
	i, ok := pick(m, m.items(isStep))
	items := m.ownItems()
	if ok = ok && i+1 < len(items) && items[i+1].Kind == plan.DoStep; ok {
		items[i], items[i+1] = items[i+1], items[i]
		m.setItems(items)
	}
	return ok
}

// relocate moves item i to place j.
func (m *mutant) relocate(i, j int) {
	items := m.ownItems()
	it := items[i]
	items = slices.Delete(items, i, i+1)
	m.setItems(slices.Insert(items, j, it))
}

func (m *mutant) shiftStep(dir int) bool {
	i, ok := pick(m, m.items(isStep))
	j := i + dir*(1+m.rng.IntN(8))
	if ok = ok && j >= 0 && j < int(m.entry.Items.Len); ok {
		m.relocate(i, j)
	}
	return ok
}

func appendLast(m *mutant) bool {
	i, ok := pick(m, m.items(m.appends))
	if ok {
		m.relocate(i, min(i+12, int(m.entry.Items.Len)-1))
	}
	return ok
}

func advanceEarly(m *mutant) bool {
	writes := func(it *plan.Item) bool {
		return isStep(it) && slices.ContainsFunc(m.Ops(&m.Steps[it.Index]), func(o plan.Operand) bool {
			return o.Effect == plan.RW && m.Bufs[o.Buf].Role == plan.Control
		})
	}
	i, ok := pick(m, m.items(writes))
	if ok = ok && i > 0; ok {
		m.relocate(i, m.rng.IntN(i))
	}
	return ok
}

func (m *mutant) moveItem(kind plan.ItemKind, dir int) bool {
	i, ok := pick(m, m.items(func(it *plan.Item) bool { return it.Kind == kind }))
	if !ok {
		return false
	}
	items := m.ownItems()
	j := i + dir
	for j >= 0 && j < len(items) && items[j].Kind != plan.DoStep {
		j += dir
	}
	if j < 0 || j >= len(items) {
		return false
	}
	m.relocate(i, j)
	return true
}

func wrongEvent(m *mutant) bool {
	i, ok := pick(m, m.items(func(it *plan.Item) bool { return it.Kind == plan.Wait }))
	j, ok2 := pick(m, m.items(func(it *plan.Item) bool { return it.Kind == plan.Record }))
	items := m.ownItems()
	if ok = ok && ok2 && items[i].Name != items[j].Name; ok {
		items[i].Name = items[j].Name
		m.setItems(items)
	}
	return ok
}

func otherStream(m *mutant) bool {
	i, ok := pick(m, m.items(isStep))
	if !ok {
		return false
	}
	s := &m.Steps[m.ownItems()[i].Index]
	if s.Stream == 0 {
		s.Stream = m.str("side")
	} else {
		s.Stream = 0
	}
	return true
}

func earlyLaunch(m *mutant) bool {
	i, ok := pick(m, m.items(isStep))
	if ok {
		m.startEarly(i)
	}
	return ok
}

// startEarly launches the step of an item early, without a wait for the grid.
func (m *mutant) startEarly(item int) {
	s := &m.Steps[m.ownItems()[item].Index]
	s.Flags = s.Flags&^plan.GW | plan.PDL
}

func earlyLaunchSide(m *mutant) bool {
	i, ok := pick(m, m.items(func(it *plan.Item) bool { return isStep(it) && m.Steps[it.Index].Stream != 0 }))
	if ok {
		m.startEarly(i)
	}
	return ok
}
