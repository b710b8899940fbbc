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
	peers  bool   // to the shared memory of any block of the cluster
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
	if !v.early && w.waited>>l&1 == 0 {
		w.find(Early, a.in, l, v, int64(off), "")
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
	if a.peers {
		if b, addr = w.peer(a, l, addr); b == nil {
			return nil
		}
	}
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
	if sh := b.shadow; sh != nil {
		me := w.stamp(l)
		if a.atomic {
			me |= stampAtomic
		}
		if r := sh.noteRead(w, me, addr>>sh.shift, (end-1)>>sh.shift, len(b.cluster.blocks) == 1); r != 0 {
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
