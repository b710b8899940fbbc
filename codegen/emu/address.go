package emu

import (
	"fmt"

	"dsac/codegen/ptx"
)

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
		case "shared::cluster":
			a.peers = true
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
