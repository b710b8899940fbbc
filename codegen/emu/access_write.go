package emu

import (
	"fmt"

	"dsac/codegen/ptx"
)

// write stores data at addr after all checks.
func (w *warp) write(a *access, l int, addr uint64, data []byte) {
	space, addr := a.place(addr)
	switch space {
	case ptx.Global:
		if to := w.writeGlobal(a, l, addr, data); to != nil {
			copy(to, data)
		}
	case ptx.Shared:
		if to := w.writeShared(a, l, addr, data, 1); to != nil {
			copy(to, data)
		}
	case ptx.Local:
		mem, init := w.private(space, l)
		if w.fits(a, l, space, addr, uint64(len(mem))) {
			copy(mem[addr:], data)
			fill(init[addr:addr+a.n], 1)
		}
	default:
		w.find(Undeclared, a.in, l, nil, int64(addr), fmt.Sprintf("store to %s space", space))
	}
}

func fill(b []byte, x byte) {
	for i := range b {
		b[i] = x
	}
}

func same(a, b []byte) bool { return string(a) == string(b) }

// writeGlobal checks a store (or, with data nil, an atomic) and returns the bytes to change.
// As in shared memory, two threads that store the same value do not race.
func (w *warp) writeGlobal(a *access, l int, addr uint64, data []byte) []byte {
	v, off := w.resolve(a, l, addr)
	if v == nil {
		return nil
	}
	need, what := Write, "store"
	if a.rmw {
		need, what = Accum, "atomic"
	}
	if v.access&need == 0 {
		w.find(Undeclared, a.in, l, v, int64(off), what+" through a parameter that does not declare it")
	} else if v.writes != nil && !inRanges(v.writes, int(off), int(off+a.n)) {
		w.find(Undeclared, a.in, l, v, int64(off), what+" outside the declared ranges")
	}
	if w.waited>>l&1 == 0 && w.blk.grid.k.waits {
		w.find(Early, a.in, l, v, int64(off), "")
	}
	end := off + a.n
	v.stored.include(off, end)
	if a.rmw && !initialised(v.init[off:end]) {
		w.find(UninitGlobal, a.in, l, v, int64(off), "atomic on bytes that hold no value")
	}
	fill(v.init[off:end], 1)
	if sh := v.sh; sh != nil {
		me := w.stamp(l)
		if a.atomic {
			me |= stampAtomic
		}
		lo, hi := (v.cell0+off)>>sh.shift, (v.cell0+end-1)>>sh.shift
		writer, reader, twice := sh.noteWrite(w, me, lo, hi, false)
		if writer != 0 && (data == nil || !same(data, v.data[off:end])) {
			w.race(GlobalRace, a, l, v, int64(off), "write", "write", writer)
		}
		if reader != 0 {
			w.race(GlobalRace, a, l, v, int64(off), "write", "read", reader)
		}
		if twice && !v.multi && !a.atomic {
			w.find(WrittenTwice, a.in, l, v, int64(off), "")
		}
		if sh.nc != nil {
			for i := lo; i <= hi; i++ {
				if sh.nc[i] {
					w.find(NonCoherent, a.in, l, v, int64(off), "")
				}
			}
		}
	}
	return v.data[off:end]
}

// pending marks shared bytes that a cp.async is still to write.
const pending = 2

// writeShared checks a store to shared memory and marks its bytes with state (1 or pending).
// Two threads that store the same value are not a race.
func (w *warp) writeShared(a *access, l int, addr uint64, data []byte, state byte) []byte {
	b := w.blk
	if a.peers {
		if b, addr = w.peer(a, l, addr); b == nil {
			return nil
		}
	}
	if !w.fits(a, l, ptx.Shared, addr, uint64(len(b.shared))) {
		return nil
	}
	end := addr + a.n
	if a.rmw && !initialised(b.sharedInit[addr:end]) {
		w.find(UninitShared, a.in, l, nil, int64(addr), "atomic on bytes that hold no value")
	}
	if sh := b.shadow; sh != nil {
		me := w.stamp(l)
		if a.atomic {
			me |= stampAtomic
		}
		writer, reader, _ := sh.noteWrite(w, me, addr>>sh.shift, (end-1)>>sh.shift, len(b.cluster.blocks) == 1)
		if writer != 0 && (data == nil || !same(data, b.shared[addr:end])) {
			w.race(SharedRace, a, l, nil, int64(addr), "write", "write", writer)
		}
		if reader != 0 {
			w.race(SharedRace, a, l, nil, int64(addr), "write", "read", reader)
		}
	}
	fill(b.sharedInit[addr:end], state)
	return b.shared[addr:end]
}
