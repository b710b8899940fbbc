package emu

import (
	"encoding/binary"
	"fmt"

	"dsac/codegen/ptx"
)

// memory compiles loads, stores, atomics and what orders them.
var memory = map[string]func(*compiler, *ptx.Instr) (step, error){
	"ld": load, "ldu": load, "st": store, "atom": atomic, "red": atomic, "cp": asyncCopy,
	"membar": fence, "fence": fence, "prefetch": nothing, "nanosleep": nothing, "griddepcontrol": gridDependency,
}

func nothing(*compiler, *ptx.Instr) (step, error) { return nil, nil }

func gridDependency(_ *compiler, in *ptx.Instr) (step, error) {
	if !in.Spec.Has("wait") {
		return nil, nil
	}
	return func(w *warp, _ uint32) { w.blk.grid.depWaits++ }, nil
}

// addrOf compiles an address operand: it fills out with each lane's address.
func (c *compiler) addrOf(o *ptx.Operand) (func(w *warp, out *[32]uint64), error) {
	off := uint64(o.Int)
	slot := o.Reg
	switch {
	case o.Reg >= 0 && c.e.Regs[o.Reg].Type.Bits() == 32:
		return func(w *warp, out *[32]uint64) {
			for l, x := range &w.r[slot] {
				out[l] = uint64(uint32(x + off))
			}
		}, nil
	case o.Reg >= 0:
	case o.Name != "":
		if i, ok := paramIndex(c.e, o.Name); ok {
			slot = c.constant(uint64(c.e.Params[i].Off))
			break
		}
		var err error
		if slot, err = c.address(o.Name); err != nil {
			return nil, err
		}
	default:
		slot = c.constant(0)
	}
	return func(w *warp, out *[32]uint64) {
		for l, x := range &w.r[slot] {
			out[l] = x + off
		}
	}, nil
}

func paramIndex(e *ptx.Entry, name string) (int, bool) {
	for i := range e.Params {
		if e.Params[i].Name == name {
			return i, true
		}
	}
	return 0, false
}

// newAccess describes the instruction's accesses, n bytes per lane, and narrows the kernel's
// granule to elem bytes.
func (c *compiler) newAccess(in *ptx.Instr, space ptx.Space, n, elem int) *access {
	a := &access{in: in, space: space, n: uint64(n)}
	for _, m := range in.Spec.Mods {
		switch m {
		case "volatile", "relaxed", "acquire", "release", "acq_rel":
			a.atomic = true
		case "nc":
			a.nc = true
			c.k.hasNC = true
		}
	}
	shift := uint(0)
	for 1<<(shift+1) <= elem && shift < 3 {
		shift++
	}
	if space != ptx.Shared {
		c.k.grain[0] = min(c.k.grain[0], shift)
	}
	if space == ptx.Shared || space == ptx.Generic {
		c.k.grain[1] = min(c.k.grain[1], shift)
	}
	return a
}

// elements returns the slots of a load's or store's data operand.
func (c *compiler) elements(o *ptx.Operand, t ptx.Type, n int, dst bool) ([]int, error) {
	list := []ptx.Operand{*o}
	if o.Kind == ptx.OpVec {
		list = o.Sub
	}
	if len(list) != n {
		return nil, fmt.Errorf("%d elements, want %d", len(list), n)
	}
	slots := make([]int, n)
	for i := range list {
		var err error
		if dst {
			slots[i], err = c.dst(&list[i])
		} else {
			slots[i], err = c.src(&list[i], t)
		}
		if err != nil {
			return nil, err
		}
	}
	return slots, nil
}

func load(c *compiler, in *ptx.Instr) (step, error) {
	t, vec := in.Spec.Types[0], in.Spec.Vec()
	if t.Bits() > 64 {
		return nil, fmt.Errorf("128-bit scalars are not supported")
	}
	d, err := c.elements(&in.Args[0], t, vec, true)
	if err != nil {
		return nil, err
	}
	addr, err := c.addrOf(&in.Args[1])
	if err != nil {
		return nil, err
	}
	a := c.newAccess(in, in.Spec.Space, t.Bytes()*vec, t.Bytes()*vec)
	if a.space == ptx.ParamSpace {
		return c.loadParam(in, a, d, addr)
	}
	ext := c.extender(&in.Args[0], t)
	size := t.Bytes()
	acquire := a.atomic && in.Spec.Space != ptx.Shared
	return func(w *warp, m uint32) {
		var at [32]uint64
		addr(w, &at)
		for ; m != 0; m &= m - 1 {
			l := lane(m)
			b := w.read(a, l, at[l])
			if b == nil {
				for _, r := range d {
					w.r[r][l] = 0
				}
				continue
			}
			for i, r := range d {
				w.r[r][l] = ext(little(b[i*size:], size))
			}
			if acquire {
				w.acquire(at[l], in.Spec.Has("acquire"))
			}
		}
	}, nil
}

// loadParam reads the parameter block: the same for all lanes.
func (c *compiler) loadParam(in *ptx.Instr, a *access, d []int, addr func(*warp, *[32]uint64)) (step, error) {
	t := in.Spec.Types[0]
	size, ext := t.Bytes(), c.extender(&in.Args[0], t)
	return func(w *warp, m uint32) {
		var at [32]uint64
		addr(w, &at)
		first := lane(m)
		b := w.read(a, first, at[first])
		if b == nil {
			return
		}
		for i, r := range d {
			x := ext(little(b[i*size:], size))
			for q := m; q != 0; q &= q - 1 {
				w.r[r][lane(q)] = x
			}
		}
	}, nil
}

// extender gives the register form of a loaded value: signed ones fill a wider register.
func (c *compiler) extender(o *ptx.Operand, t ptx.Type) func(uint64) uint64 {
	if o.Kind == ptx.OpVec {
		o = &o.Sub[0]
	}
	if o.Kind == ptx.OpReg && t.Signed() {
		if n := c.e.Regs[o.Reg].Type.Bits(); n > t.Bits() {
			return func(x uint64) uint64 { return truncate(uint64(signExtend(x, t.Bits())), n) }
		}
	}
	return func(x uint64) uint64 { return x }
}

func little(b []byte, n int) uint64 {
	switch n {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func putLittle(b []byte, x uint64, n int) {
	switch n {
	case 1:
		b[0] = byte(x)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(x))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(x))
	default:
		binary.LittleEndian.PutUint64(b, x)
	}
}

func store(c *compiler, in *ptx.Instr) (step, error) {
	t, vec := in.Spec.Types[0], in.Spec.Vec()
	if t.Bits() > 64 {
		return nil, fmt.Errorf("128-bit scalars are not supported")
	}
	addr, err := c.addrOf(&in.Args[0])
	if err != nil {
		return nil, err
	}
	s, err := c.elements(&in.Args[1], t, vec, false)
	if err != nil {
		return nil, err
	}
	size := t.Bytes()
	a := c.newAccess(in, in.Spec.Space, size*vec, size*vec)
	release := a.atomic && in.Spec.Space != ptx.Shared
	return func(w *warp, m uint32) {
		var at [32]uint64
		var buf [32]byte
		addr(w, &at)
		for ; m != 0; m &= m - 1 {
			l := lane(m)
			for i, r := range s {
				putLittle(buf[i*size:], w.r[r][l], size)
			}
			w.write(a, l, at[l], buf[:size*vec])
			if release {
				w.release(at[l], in.Spec.Has("release"))
			}
		}
	}, nil
}
