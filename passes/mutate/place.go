package mutate

import "dsac/runtime/plan"

// Operators that move, shrink or shorten buffers.
var placeOperators = []Operator{
	{"offset-down", "move a temporary down by its alignment", func(m *mutant) bool { return m.move(-1) }},
	{"offset-up", "move a temporary up by its alignment", func(m *mutant) bool { return m.move(1) }},
	{"offset-unaligned", "move a temporary by 8 bytes", unalign},
	{"offset-onto-other", "move a temporary onto another", ontoOther},
	{"exchange-offsets", "exchange the places of two temporaries", exchange},
	{"offset-outside", "move a temporary to the end of its region", outside},
	{"scratch-onto-live", "move scratch onto another buffer", scratchOnto},
	{"scratch-too-small", "shrink scratch by half", func(m *mutant) bool {
		return m.shrink(func(b *plan.Buf, k plan.RegionKind) bool { return b.Role == plan.Scratch })
	}},
	{"size", "shrink a temporary by half", func(m *mutant) bool { return m.shrink(temp) }},
	{"state-offset", "move a cache by half its size", stateOffset},
	{"state-onto-state", "move a cache onto another", stateOnto},
	{"result-offset", "move a result past its region", func(m *mutant) bool { return m.moveShared(plan.Out) }},
	{"input-offset", "move an input past its region", func(m *mutant) bool { return m.moveShared(plan.In) }},
	{"life-cut", "end a life one op early and give the bytes away", lifeCut},
	{"life-late", "begin a life one op late", lifeLate},
}

func (m *mutant) temps() []int32 { return m.buffers(temp) }

func (m *mutant) move(units int64) bool {
	b, ok := pick(m, m.temps())
	if !ok {
		return false
	}
	by := units * int64(max(m.Bufs[b].Align, 16))
	if int64(m.Bufs[b].Off)+by < 0 {
		return false
	}
	m.Bufs[b].Off = uint64(int64(m.Bufs[b].Off) + by)
	return true
}

func unalign(m *mutant) bool {
	b, ok := pick(m, m.temps())
	if ok {
		m.Bufs[b].Off += 8
	}
	return ok
}

func ontoOther(m *mutant) bool {
	b, ok := pick(m, m.temps())
	if !ok {
		return false
	}
	c, ok := pick(m, m.buffers(func(o *plan.Buf, k plan.RegionKind) bool { return k == plan.Arena && o.Off != m.Bufs[b].Off }))
	if ok {
		m.Bufs[b].Off = m.Bufs[c].Off
	}
	return ok
}

func exchange(m *mutant) bool {
	b, ok := pick(m, m.temps())
	if !ok {
		return false
	}
	c, ok := pick(m, m.buffers(func(o *plan.Buf, k plan.RegionKind) bool {
		return temp(o, k) && o.Off != m.Bufs[b].Off
	}))
	if ok {
		m.Bufs[b].Off, m.Bufs[c].Off = m.Bufs[c].Off, m.Bufs[b].Off
	}
	return ok
}

func outside(m *mutant) bool {
	b, ok := pick(m, m.temps())
	if ok {
		m.Bufs[b].Off = m.Regions[m.Bufs[b].Region].Size - min(m.Regions[m.Bufs[b].Region].Size, 16)
	}
	return ok
}

func scratchOnto(m *mutant) bool {
	b, ok := pick(m, m.buffers(func(b *plan.Buf, k plan.RegionKind) bool { return k == plan.Arena && b.Role == plan.Scratch }))
	if !ok {
		return false
	}
	c, ok := pick(m, m.temps())
	if ok {
		m.Bufs[b].Off = m.Bufs[c].Off
	}
	return ok
}

func (m *mutant) shrink(keep func(*plan.Buf, plan.RegionKind) bool) bool {
	b, ok := pick(m, m.buffers(func(b *plan.Buf, k plan.RegionKind) bool { return keep(b, k) && b.Size >= 2 }))
	if ok {
		m.Bufs[b].Size /= 2
	}
	return ok
}

func (m *mutant) caches() []int32 {
	return m.buffers(func(b *plan.Buf, k plan.RegionKind) bool { return k == plan.State && b.Layer != plan.None })
}

func stateOffset(m *mutant) bool {
	b, ok := pick(m, m.caches())
	if ok {
		m.Bufs[b].Off += m.Bufs[b].Size / 2 &^ 255
	}
	return ok
}

func stateOnto(m *mutant) bool {
	b, ok := pick(m, m.caches())
	if !ok {
		return false
	}
	c, ok := pick(m, m.caches())
	if ok = ok && c != b; ok {
		m.Bufs[b].Off = m.Bufs[c].Off
	}
	return ok
}

func (m *mutant) moveShared(kind plan.RegionKind) bool {
	b, ok := pick(m, m.buffers(func(_ *plan.Buf, k plan.RegionKind) bool { return k == kind }))
	if ok {
		m.Bufs[b].Off += m.Regions[m.Bufs[b].Region].Size
	}
	return ok
}

// lifeCut does what a planner with a life that is one op short may do: the buffer that is born
// at the last use takes the bytes.
func lifeCut(m *mutant) bool {
	b, ok := pick(m, m.buffers(func(b *plan.Buf, k plan.RegionKind) bool { return temp(b, k) && b.LifeHi > b.LifeLo+1 }))
	if !ok {
		return false
	}
	m.Bufs[b].LifeHi--
	c, ok := pick(m, m.buffers(func(o *plan.Buf, k plan.RegionKind) bool {
		return k == plan.Arena && o.LifeLo == m.Bufs[b].LifeHi && o.InplaceOf == plan.None
	}))
	if ok {
		m.Bufs[c].Off = m.Bufs[b].Off
	}
	return ok
}

func lifeLate(m *mutant) bool {
	b, ok := pick(m, m.buffers(func(b *plan.Buf, k plan.RegionKind) bool { return temp(b, k) && b.LifeHi > b.LifeLo+1 }))
	if ok {
		m.Bufs[b].LifeLo++
	}
	return ok
}
