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

func gridDependency(c *compiler, in *ptx.Instr) (step, error) {
	if !in.Spec.Has("wait") {
		return nil, nil
	}
	c.k.waits = true
	return func(w *warp, m uint32) {
		w.waited |= m
		w.blk.grid.depWaits++
	}, nil
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
