package emu

// stamp is one access: block, thread, clock of its warp, and whether it was atomic. 0 is none.
type stamp uint64

const (
	stampAtomic     = 1
	stampClockShift = 1
	stampClockBits  = 22
	stampTidShift   = stampClockShift + stampClockBits
	stampBlockShift = stampTidShift + 10
	maxClock        = 1<<stampClockBits - 1
)

func (s stamp) block() int    { return int(s >> stampBlockShift) }
func (s stamp) tid() int      { return int(s>>stampTidShift) & 1023 }
func (s stamp) clock() uint32 { return uint32(s>>stampClockShift) & maxClock }
func (s stamp) sameThread(t stamp) bool {
	return s>>stampTidShift == t>>stampTidShift
}

// cell is the history of one granule: its last writer and two of its readers, different ones,
// so that any later writer differs from at least one of them.
type cell struct{ w, r1, r2 stamp }

// shadow is the history of a buffer in one launch, in granules of 1<<shift bytes: the
// narrowest access of the kernel, so that a granule is never shared by two accesses' halves.
type shadow struct {
	cells []cell
	nc    []bool // read through the non-coherent path; nil when the kernel has none
	shift uint
}

func newShadow(size int, shift uint, nc bool) *shadow {
	n := (size + 1<<shift - 1) >> shift
	s := &shadow{cells: make([]cell, n), shift: shift}
	if nc {
		s.nc = make([]bool, n)
	}
	return s
}

// stamp is that of lane l of the warp now.
func (w *warp) stamp(l int) stamp { return w.stamp0 + stamp(l)<<stampTidShift }

// ordered reports whether the earlier access s happened before the warp's present.
func (w *warp) ordered(s stamp) bool {
	u := s.tid() >> 5
	if b := s.block(); b != w.blk.num {
		if i := w.blk.cluster.warp(b, u); i >= 0 && w.seen[i] >= s.clock() {
			return true
		}
		known := w.blk.known[b]
		return u < len(known) && known[u] >= s.clock()
	}
	if u != w.num {
		return w.seen[w.index-w.num+u] >= s.clock()
	}
	return s.clock() < w.clock || w.clock == maxClock
}

// conflict reports whether access me, by the warp now, races with the earlier access s.
func (w *warp) conflict(s, me stamp) bool {
	return s != 0 && !s.sameThread(me) && s&me&stampAtomic == 0 && !w.ordered(s)
}

// noteRead records a read of granules [lo, hi]; it returns the writer it races with, or 0.
//
// With reused the memory is that of one block after another, and what others did there is over.
func (sh *shadow) noteRead(w *warp, me stamp, lo, hi uint64, reused bool) (racer stamp) {
	for i := lo; i <= hi; i++ {
		c := &sh.cells[i]
		if reused && c.w.block() != w.blk.num {
			c.w = 0
		}
		if c.w != 0 && w.conflict(c.w, me) {
			racer = c.w
		}
		if c.r1 == me {
			continue
		}
		if !c.r1.sameThread(me) {
			c.r2 = c.r1
		}
		c.r1 = me
	}
	return racer
}

// noteWrite records a write; it returns a writer and a reader it races with, or 0, and whether
// the launch had stored to the granules before.
func (sh *shadow) noteWrite(w *warp, me stamp, lo, hi uint64, reused bool) (writer, reader stamp, twice bool) {
	for i := lo; i <= hi; i++ {
		c := &sh.cells[i]
		if reused {
			n := w.blk.num
			if c.w.block() != n {
				c.w = 0
			}
			if c.r1.block() != n {
				c.r1 = 0
			}
			if c.r2.block() != n {
				c.r2 = 0
			}
		}
		if c.w != 0 {
			twice = twice || c.w&stampAtomic == 0
			if w.conflict(c.w, me) {
				writer = c.w
			}
		}
		if c.r1 != 0 && w.conflict(c.r1, me) {
			reader = c.r1
		}
		if c.r2 != 0 && w.conflict(c.r2, me) {
			reader = c.r2
		}
		c.w = me
	}
	return writer, reader, twice
}

// joinClocks is a barrier among the warps: what each did before is ordered for all after.
func joinClocks(ws []*warp) {
	n := len(ws[0].seen)
	all := make([]uint32, n)
	for _, w := range ws {
		for u, c := range w.seen {
			all[u] = max(all[u], c)
		}
	}
	for _, w := range ws {
		all[w.index] = max(all[w.index], w.clock)
	}
	for _, w := range ws {
		copy(w.seen, all)
		w.tick()
	}
}

// startClock comes before all that a warp does: who knows of it knows that the warp has started.
const startClock = 1

// tick starts the warp's next clock. A clock at its end stays there, which may hide races.
func (w *warp) tick() {
	if w.clock < maxClock {
		w.clock++
	}
	w.stamp0 = stamp(w.blk.num)<<stampBlockShift | stamp(w.num*32)<<stampTidShift | stamp(w.clock)<<stampClockShift
}
