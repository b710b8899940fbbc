package product

import "dsac/codegen"

// ring brings a warp's weights into shared memory ahead of time. A lane copies what it reads
// itself and reads what it copied, so that no barrier is needed. A unit has a slot; as soon as
// a part of it has been read, the same part of the unit that comes into the slot next is asked
// for. The copies of a chunk are one group.
//
//	slot: the parts of a unit one after the other, of each the shares of lanes 0, 1, ..
type ring struct {
	k     *codegen.K
	w     *weight
	units int         // slots
	slot  codegen.Ptr // of unit 0, this lane's first share
	from  codegen.Ptr // the matrix
	last  int         // number of its last unit
}

// slotBytes is the size of a slot.
func (f *format) slotBytes() int { return 32 * 4 * f.words() }

// ringUnits returns the slots for some chunks ahead.
func (w *weight) ringUnits(chunks int) int {
	if chunks == 0 {
		return 0
	}
	return max(1, chunks/w.chunks())
}

// ringBytes returns the shared memory of one warp's rings.
func (g *grouped) ringBytes() (n int) {
	for _, w := range g.weights {
		n += w.ringUnits(g.ahead) * w.slotBytes()
	}
	return n * g.per
}

// allRings returns that of all warps.
func (g *grouped) allRings() int { return g.warps * g.ringBytes() }

// newRing makes the ring of a warp over a matrix, at p in shared memory.
func newRing(k *codegen.K, w *weight, units int, matrix, p codegen.Ptr) *ring {
	return &ring{k: k, w: w, units: units, slot: p, from: matrix, last: w.tiles()*w.units() - 1}
}

// share returns this lane's share of a part: of its words, and of the slot.
func (r *ring) share(p part, at int) (global, shared codegen.I32) {
	lane := r.k.Lane()
	shared = lane.Mul(4 * p.words).Add(at)
	if p.group {
		lane = lane.Shr(2)
	}
	return lane.Mul(4 * p.words).Add(p.at), shared
}

// slotOf returns where a unit lies, counted over the matrix.
func (r *ring) slotOf(unit codegen.I32) codegen.Ptr {
	if r.units == 1 {
		return r.slot
	}
	return r.slot.Elem(unit.URem(r.units), r.w.slotBytes())
}

func (r *ring) ask(unit codegen.I32, c int) {
	from := r.from.Elem(unit.UMin(r.last), r.w.layout.UnitBytes).Stream()
	to := r.slotOf(unit)
	r.w.needs(c, func(p part, _, at int) {
		global, shared := r.share(p, at)
		r.k.CopyAsync(to.At(shared), from.At(global), 4*p.words)
	})
}

func (r *ring) read(unit codegen.I32, c int, words []codegen.I32) {
	slot := r.slotOf(unit)
	r.w.needs(c, func(p part, word, at int) {
		_, shared := r.share(p, at)
		copy(words[word:], slot.At(shared).LdI32s(p.words))
	})
}
