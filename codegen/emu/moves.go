package emu

import (
	"fmt"

	"dsac/codegen/ptx"
)

// moves compiles what moves, selects, compares and converts registers.
var moves = map[string]func(*compiler, *ptx.Instr) (step, error){
	"mov": move, "selp": selection, "setp": comparison, "cvt": conversion, "cvta": addressConversion, "mapa": peerAddress,
}

// clocks are special registers that change as the warp runs: here, the instructions it has run.
var clocks = map[string]bool{"%clock": true, "%clock_hi": true, "%clock64": true, "%globaltimer": true, "%globaltimer_lo": true, "%globaltimer_hi": true}

func move(c *compiler, in *ptx.Instr) (step, error) {
	t := in.Spec.Types[0]
	to, from := &in.Args[0], &in.Args[1]
	switch {
	case t == ptx.Pred:
		d, err := c.dst(to)
		if err != nil {
			return nil, err
		}
		p, err := c.pred(from)
		return func(w *warp, m uint32) { w.setPred(d, m, p.mask(w)) }, err
	case t.Bits() > 64:
		return nil, fmt.Errorf("128-bit moves are not supported")
	case from.Kind == ptx.OpVec:
		return c.pack(to, from, t)
	case to.Kind == ptx.OpVec:
		return c.unpack(to, from, t)
	}
	d, err := c.dst(to)
	if err != nil {
		return nil, err
	}
	if from.Kind == ptx.OpSpecial && clocks[from.Name] {
		n := t.Bits()
		return func(w *warp, m uint32) {
			for ; m != 0; m &= m - 1 {
				w.r[d][lane(m)] = truncate(w.ran, n)
			}
		}, nil
	}
	a, err := c.src(from, t)
	return func(w *warp, m uint32) {
		rd, ra := &w.r[d], &w.r[a]
		if m == fullMask {
			*rd = *ra
			return
		}
		for ; m != 0; m &= m - 1 {
			l := lane(m)
			rd[l] = ra[l]
		}
	}, err
}

func selection(c *compiler, in *ptx.Instr) (step, error) {
	d, err := c.dst(&in.Args[0])
	if err != nil {
		return nil, err
	}
	s, err := c.srcs(in, 1, 3)
	if err != nil {
		return nil, err
	}
	p, err := c.pred(&in.Args[3])
	return func(w *warp, m uint32) {
		rd, ra, rb := &w.r[d], &w.r[s[0]], &w.r[s[1]]
		q := p.mask(w)
		for ; m != 0; m &= m - 1 {
			l := lane(m)
			if q>>l&1 != 0 {
				rd[l] = ra[l]
			} else {
				rd[l] = rb[l]
			}
		}
	}, err
}

// addressConversion moves addresses between a space and its generic window. Global addresses
// are generic already.
func addressConversion(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	var base uint64
	switch in.Spec.Space {
	case ptx.Shared:
		base = sharedWindow
	case ptx.Local:
		base = localWindow
	case ptx.Const:
		base = constWindow
	}
	if in.Spec.Has("to") {
		base = -base
	}
	return each1(d, s[0], func(x uint64) uint64 { return x + base }), nil
}
