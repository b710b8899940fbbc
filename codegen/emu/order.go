package emu

import "dsac/codegen/ptx"

// Order between blocks comes from memory only: a block that finds, by an atomic or a volatile
// or stronger access, what another one published the same way after a fence, is ordered after
// all that the other did before its fence. Granularity is the block on the receiving side.

// published is, per publishing block, the clocks of its warps that a location carries.
type published map[int][]uint32

// location is the underlying place of a global address: parameters may alias.
type location struct {
	sh  *shadow
	off uint64
}

func (w *warp) location(addr uint64) (location, bool) {
	i := addr>>windowShift - 1
	if g := w.blk.grid; i < uint64(len(g.views)) {
		v := &g.views[i]
		return location{v.sh, v.cell0 + addr - v.base}, v.sh != nil
	}
	return location{}, false
}

// clocks is what the warp knows to have happened in its cluster.
func (w *warp) clocks() []uint32 {
	c := append([]uint32(nil), w.seen...)
	c[w.index] = w.clock
	return c
}

// fence compiles membar and fence: at device scope and above, what came before may be
// published, and what was found becomes ordered.
func fence(_ *compiler, in *ptx.Instr) (step, error) {
	if in.Spec.Has("cta") {
		return nil, nil
	}
	return func(w *warp, _ uint32) {
		w.fenced = w.clocks()
		w.adopt(w.found)
		w.found = nil
	}, nil
}

// release publishes at addr what the warp had done at its last fence, or, with now, until now.
func (w *warp) release(addr uint64, now bool) {
	c := w.fenced
	if now {
		c = w.clocks()
	}
	loc, ok := w.location(addr)
	if c == nil || !ok {
		return
	}
	g := w.blk.grid
	if g.published == nil {
		g.published = map[location]published{}
	}
	if g.published[loc] == nil {
		g.published[loc] = published{}
	}
	p := g.published[loc]
	n := g.warps()
	for _, b := range w.blk.cluster.blocks {
		p[b.num] = later(p[b.num], c[n*b.rank:][:n])
	}
}

// acquire finds what the location carries; it is ordered at once with now, else at a fence.
func (w *warp) acquire(addr uint64, now bool) {
	g := w.blk.grid
	loc, ok := w.location(addr)
	if !ok || g.published[loc] == nil {
		return
	}
	if now {
		w.adopt(g.published[loc])
		return
	}
	if w.found == nil {
		w.found = published{}
	}
	for b, c := range g.published[loc] {
		w.found[b] = later(w.found[b], c)
	}
}

func (w *warp) adopt(p published) {
	for b, c := range p {
		if b != w.blk.num {
			w.blk.known[b] = later(w.blk.known[b], c)
		}
	}
}

// later is the pointwise maximum, in a new slice.
func later(a, b []uint32) []uint32 {
	out := append([]uint32(nil), b...)
	for i, c := range a {
		out[i] = max(out[i], c)
	}
	return out
}
