package emu

import (
	"encoding/binary"
	"fmt"

	"dsac/codegen/ptx"
)

// access is what is fixed about one memory instruction.
type access struct {
	in     *ptx.Instr
	space  ptx.Space
	n      uint64 // bytes per lane
	nc     bool   // through the non-coherent path
	atomic bool   // volatile, relaxed or stronger: does not race with its like
	rmw    bool   // atom, red
}

// initialised reports whether all of the bytes hold values.
func initialised(b []byte) bool {
	switch len(b) {
	case 4:
		return binary.LittleEndian.Uint32(b) == 0x01010101
	case 8:
		return binary.LittleEndian.Uint64(b) == 0x0101010101010101
	case 16:
		return binary.LittleEndian.Uint64(b)&binary.LittleEndian.Uint64(b[8:]) == 0x0101010101010101 &&
			binary.LittleEndian.Uint64(b)|binary.LittleEndian.Uint64(b[8:]) == 0x0101010101010101
	}
	for _, x := range b {
		if x != 1 {
			return false
		}
	}
	return true
}

// place tells the space of an address: that of the instruction, or by the generic window.
func (a *access) place(addr uint64) (ptx.Space, uint64) {
	if a.space != ptx.Generic {
		return a.space, addr
	}
	switch addr >> 60 {
	case sharedWindow >> 60:
		return ptx.Shared, addr - sharedWindow
	case localWindow >> 60:
		return ptx.Local, addr - localWindow
	case constWindow >> 60:
		return ptx.Const, addr - constWindow
	}
	return ptx.Global, addr
}

// read returns the bytes at addr after all checks, or nil when they cannot be read.
func (w *warp) read(a *access, l int, addr uint64) []byte {
	space, addr := a.place(addr)
	switch space {
	case ptx.Global:
		return w.readGlobal(a, l, addr)
	case ptx.Shared:
		return w.readShared(a, l, addr)
	}
	mem, init := w.private(space, l)
	if !w.fits(a, l, space, addr, uint64(len(mem))) {
		return nil
	}
	if init != nil && !initialised(init[addr:addr+a.n]) {
		w.find(UninitLocal, a.in, l, nil, int64(addr), "")
	}
	return mem[addr : addr+a.n]
}

// private returns the memory of lane l in the local, param or const space.
func (w *warp) private(space ptx.Space, l int) (mem, init []byte) {
	g := w.blk.grid
	switch space {
	case ptx.Local:
		n := g.k.localSize
		return w.local[l*n : (l+1)*n], w.localInit[l*n : (l+1)*n]
	case ptx.ParamSpace:
		return g.params, nil
	}
	return g.k.constMem, nil
}

// fits checks bounds and alignment in a space without views.
func (w *warp) fits(a *access, l int, space ptx.Space, addr, size uint64) bool {
	if addr > size || size-addr < a.n {
		w.find(OutOfBounds, a.in, l, nil, int64(addr), fmt.Sprintf("%d bytes at %s address %d of %d", a.n, space, int64(addr), size))
		return false
	}
	if addr&(a.n-1) != 0 {
		w.find(Misaligned, a.in, l, nil, int64(addr), fmt.Sprintf("%d bytes at %s address %d", a.n, space, addr))
		return false
	}
	return true
}

// resolve finds the view of a global address and checks bounds and alignment.
func (w *warp) resolve(a *access, l int, addr uint64) (*view, uint64) {
	g := w.blk.grid
	i := addr>>windowShift - 1
	if i >= uint64(len(g.views)) {
		w.find(OutOfBounds, a.in, l, nil, int64(addr), fmt.Sprintf("address %#x is in no buffer", addr))
		return nil, 0
	}
	v := &g.views[i]
	off := addr - v.base
	if off > v.size || v.size-off < a.n {
		w.find(OutOfBounds, a.in, l, v, int64(off), fmt.Sprintf("%d bytes, buffer has %d", a.n, v.size))
		return nil, 0
	}
	if addr&(a.n-1) != 0 {
		w.find(Misaligned, a.in, l, v, int64(off), fmt.Sprintf("%d bytes at address %#x", a.n, addr))
		return nil, 0
	}
	return v, off
}

func (w *warp) readGlobal(a *access, l int, addr uint64) []byte {
	v, off := w.resolve(a, l, addr)
	if v == nil {
		return nil
	}
	if v.access&Read == 0 {
		w.find(Undeclared, a.in, l, v, int64(off), "read of a parameter that is not declared as read")
	} else if v.reads != nil && !inRanges(v.reads, int(off), int(off+a.n)) {
		w.find(Undeclared, a.in, l, v, int64(off), "read outside the declared ranges")
	}
	end := off + a.n
	v.loaded.include(off, end)
	if !initialised(v.init[off:end]) {
		w.find(UninitGlobal, a.in, l, v, int64(off), "")
	}
	if sh := v.sh; sh != nil {
		me := w.stamp(l)
		if a.atomic {
			me |= stampAtomic
		}
		lo, hi := (v.cell0+off)>>sh.shift, (v.cell0+end-1)>>sh.shift
		if r := sh.noteRead(w, me, lo, hi, false); r != 0 {
			w.race(GlobalRace, a, l, v, int64(off), "read", "write", r)
		}
		if a.nc {
			for i := lo; i <= hi; i++ {
				sh.nc[i] = true
				if sh.cells[i].w != 0 {
					w.find(NonCoherent, a.in, l, v, int64(off), "")
				}
			}
		}
	}
	return v.data[off:end]
}

func (w *warp) readShared(a *access, l int, addr uint64) []byte {
	b := w.blk
	if !w.fits(a, l, ptx.Shared, addr, uint64(len(b.shared))) {
		return nil
	}
	end := addr + a.n
	if init := b.sharedInit[addr:end]; !initialised(init) {
		kind := UninitShared
		for _, x := range init {
			if x == pending {
				kind = PendingCopy
			}
		}
		w.find(kind, a.in, l, nil, int64(addr), fmt.Sprintf("%d bytes at shared address %d", a.n, addr))
	}
	if sh := b.grid.sharedShadow; sh != nil {
		me := w.stamp(l)
		if a.atomic {
			me |= stampAtomic
		}
		if r := sh.noteRead(w, me, addr>>sh.shift, (end-1)>>sh.shift, true); r != 0 {
			w.race(SharedRace, a, l, nil, int64(addr), "read", "write", r)
		}
	}
	return b.shared[addr:end]
}

// race reports a conflict of lane l's access (what) with an earlier one.
func (w *warp) race(kind FindingKind, a *access, l int, v *view, off int64, what, other string, r stamp) {
	where := "byte"
	if v == nil {
		where = "shared address"
	}
	t := w.blk.thread(r.tid())
	w.find(kind, a.in, l, v, off, fmt.Sprintf("%s at %s %d, %s by thread %d,%d,%d of block %d with no order between them", what, where, off, other, t[0], t[1], t[2], r.block()))
}

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
	if !w.fits(a, l, ptx.Shared, addr, uint64(len(b.shared))) {
		return nil
	}
	end := addr + a.n
	if a.rmw && !initialised(b.sharedInit[addr:end]) {
		w.find(UninitShared, a.in, l, nil, int64(addr), "atomic on bytes that hold no value")
	}
	if sh := b.grid.sharedShadow; sh != nil {
		me := w.stamp(l)
		if a.atomic {
			me |= stampAtomic
		}
		writer, reader, _ := sh.noteWrite(w, me, addr>>sh.shift, (end-1)>>sh.shift, true)
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
