package emu

import (
	"encoding/binary"
	"fmt"

	"dsac/codegen/ptx"
)

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
