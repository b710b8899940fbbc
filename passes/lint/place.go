package lint

import (
	"cmp"
	"fmt"
	"slices"

	"dsac/runtime/plan"
)

// Rules about where buffers lie, whatever the ops do with them.

// buffer starts a finding about a buffer.
func (m *model) buffer(r *Rule, b int32, format string, args ...any) Finding {
	e := m.p.Bufs[b].Entry
	f := Finding{Code: r.Code, Severity: r.Severity, Repair: r.Repair, Bytes: []Bytes{m.wholeBuf(b)}, Summary: fmt.Sprintf(format, args...), entry: e, step: none, operand: b}
	if e != plan.None {
		f.Entry = m.p.Str(m.p.Entries[e].Name)
	}
	return f
}

// overlaps is S01: two buffers that share bytes while both are declared to live. State lives
// always, so that there an overlap is an error.
func overlaps(m *model, out *collector) {
	byEntry := map[[2]int32][]int32{}
	var state []int32
	for i := range m.p.Bufs {
		b := &m.p.Bufs[i]
		if m.root[i] != int32(i) || !m.place[i].ok || b.Size == 0 {
			continue
		}
		if m.kind(int32(i)) == plan.State {
			state = append(state, int32(i))
		} else if b.LifeLo != plan.None && b.LifeLo < b.LifeHi {
			k := [2]int32{b.Entry, b.Region}
			byEntry[k] = append(byEntry[k], int32(i))
		}
	}
	for _, k := range slices.SortedFunc(mapKeys(byEntry), func(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }) {
		m.sweep(byEntry[k], out)
	}
	m.stateOverlaps(state, out)
}

func mapKeys(m map[[2]int32][]int32) func(func([2]int32) bool) {
	return func(yield func([2]int32) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// sweep goes through time and keeps the live buffers in order of offset.
func (m *model) sweep(bufs []int32, out *collector) {
	p := m.p
	slices.SortFunc(bufs, func(a, b int32) int {
		return cmp.Or(cmp.Compare(p.Bufs[a].LifeLo, p.Bufs[b].LifeLo), cmp.Compare(a, b))
	})
	var live []int32
	widest := int64(0)
	for _, b := range bufs {
		now := p.Bufs[b].LifeLo
		live = slices.DeleteFunc(live, func(o int32) bool { return p.Bufs[o].LifeHi <= now })
		pl := m.place[b]
		i, _ := slices.BinarySearchFunc(live, pl.lo, func(o int32, lo int64) int { return cmp.Compare(m.place[o].lo, lo) })
		for j := i - 1; j >= 0 && m.place[live[j]].lo+widest > pl.lo; j-- {
			m.bothLive(live[j], b, out)
		}
		for j := i; j < len(live) && m.place[live[j]].lo < pl.hi; j++ {
			m.bothLive(live[j], b, out)
		}
		live = slices.Insert(live, i, b)
		widest = max(widest, pl.hi-pl.lo)
	}
}

func (m *model) bothLive(a, b int32, out *collector) {
	if m.place[a].hi <= m.place[b].lo || m.place[b].hi <= m.place[a].lo || m.inplacePair(a, b) {
		return
	}
	f := m.buffer(rule("S01"), b, "%s and %s share bytes, and both are declared to live at op %d", m.bufName(a), m.bufName(b), m.p.Bufs[b].LifeLo)
	f.Bytes = append(f.Bytes, m.wholeBuf(a))
	out.add(f)
}

// inplacePair says whether one of two buffers takes the other's bytes by request.
func (m *model) inplacePair(a, b int32) bool { return m.heir(a) == m.heir(b) }

// heir follows inplace_of to the first buffer of the chain.
func (m *model) heir(b int32) int32 {
	for n := 0; m.p.Bufs[b].InplaceOf != plan.None && n < len(m.p.Bufs); n++ {
		b = m.root[m.p.Bufs[b].InplaceOf]
	}
	return b
}

func (m *model) stateOverlaps(state []int32, out *collector) {
	slices.SortFunc(state, func(a, b int32) int {
		return cmp.Or(cmp.Compare(m.p.Bufs[a].Region, m.p.Bufs[b].Region), cmp.Compare(m.place[a].lo, m.place[b].lo), cmp.Compare(a, b))
	})
	last := none // the one that reaches furthest
	for _, b := range state {
		if last != none && m.p.Bufs[last].Region == m.p.Bufs[b].Region {
			if m.place[b].lo < m.place[last].hi && !m.inplacePair(last, b) {
				code := "S01"
				if la, lb := m.p.Bufs[last].Layer, m.p.Bufs[b].Layer; la != lb && la != plan.None && lb != plan.None {
					code = "K01"
				}
				f := m.buffer(rule(code), b, "state %s and state %s share bytes, and both survive every step", m.bufName(last), m.bufName(b))
				f.Severity = Error
				f.Bytes = append(f.Bytes, m.wholeBuf(last))
				out.add(f)
			}
			if m.place[last].hi > m.place[b].hi {
				continue
			}
		}
		last = b
	}
}

// strayViews: a view must lie inside its parent.
func strayViews(m *model, out *collector) {
	for i := range m.p.Bufs {
		up := m.p.Bufs[i].Parent
		if up == plan.None || !m.place[i].ok || !m.place[up].ok {
			continue
		}
		if m.p.Bufs[up].Region != m.p.Bufs[i].Region || m.place[i].lo < m.place[up].lo || m.place[i].hi > m.place[up].hi {
			f := m.buffer(rule("S08"), int32(i), "view %s leaves its parent %s", m.bufName(int32(i)), m.bufName(up))
			f.Bytes = append(f.Bytes, m.wholeBuf(up))
			out.add(f)
		}
	}
}

// smallBuffers: a buffer must hold its shape.
func smallBuffers(m *model, out *collector) {
	for i := range m.p.Bufs {
		b := &m.p.Bufs[i]
		need := uint64(elementSize(m.p.Str(b.DType)))
		if b.Dims == 0 || need == 0 {
			continue
		}
		for _, d := range b.Shape[:min(int(b.Dims), len(b.Shape))] {
			if d != 0 && need > maxAddress/uint64(d) {
				need = maxAddress
			} else {
				need *= uint64(d)
			}
		}
		if need > b.Size {
			out.add(m.buffer(rule("S10"), int32(i), "%s has %d bytes, its shape needs %d", m.bufName(int32(i)), b.Size, need))
		}
	}
}

// outsideRegion is S11. Sums are made so that they cannot wrap.
func outsideRegion(m *model, out *collector) {
	for i := range m.p.Bufs {
		b := &m.p.Bufs[i]
		size, of := m.p.Regions[b.Region].Size, "region "+m.p.Str(m.p.Regions[b.Region].Name)
		if b.Entry != plan.None && m.kind(int32(i)) == plan.Arena {
			if a := m.p.Entries[b.Entry].Arena; a != 0 && a < size {
				size, of = a, "the entry's arena"
			}
		}
		if b.Off > size || b.Size > size-b.Off {
			out.add(m.buffer(rule("S11"), int32(i), "%s (offset %d, %d bytes) leaves %s of %d bytes", m.bufName(int32(i)), b.Off, b.Size, of, size))
		}
	}
}

// misaligned is S12.
func misaligned(m *model, out *collector) {
	for i := range m.p.Bufs {
		if b := &m.p.Bufs[i]; b.Align > 1 && b.Off%b.Align != 0 {
			out.add(m.buffer(rule("S12"), int32(i), "%s lies at %d, which is not a multiple of %d", m.bufName(int32(i)), b.Off, b.Align))
		}
	}
}

// tempInState: what has a declared life does not survive the step and has no place in state.
func tempInState(m *model, out *collector) {
	for i := range m.p.Bufs {
		if b := &m.p.Bufs[i]; m.kind(int32(i)) == plan.State && (b.LifeLo != plan.None || b.Role == plan.Scratch) {
			out.add(m.buffer(rule("S14"), int32(i), "temporary %s lies in state region %s", m.bufName(int32(i)), m.p.Str(m.p.Regions[b.Region].Name)))
		}
	}
}
