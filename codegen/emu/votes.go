package emu

import (
	"fmt"
	"math/bits"

	"dsac/codegen/ptx"
)

func vote(c *compiler, in *ptx.Instr) (step, error) {
	d, err := c.dst(&in.Args[0])
	if err != nil {
		return nil, err
	}
	p, err := c.pred(&in.Args[1])
	if err != nil {
		return nil, err
	}
	mask, err := c.src(&in.Args[2], ptx.U32)
	kind := in.Spec.Mods[1]
	return func(w *warp, m uint32) {
		w.members(in, m, mask)
		yes := p.mask(w) & m
		if kind == "ballot" {
			for q := m; q != 0; q &= q - 1 {
				l := lane(q)
				w.r[d][l] = uint64(yes & uint32(w.r[mask][l]))
			}
			return
		}
		var out uint32
		for q := m; q != 0; q &= q - 1 {
			l := lane(q)
			group := uint32(w.r[mask][l]) & m
			here := yes & group
			if kind == "any" && here != 0 || kind == "all" && here == group || kind == "uni" && (here == 0 || here == group) {
				out |= 1 << l
			}
		}
		w.setPred(d, m, out)
	}, err
}

func matchLanes(c *compiler, in *ptx.Instr) (step, error) {
	to, p := in.Args[0], -1
	var err error
	if to.Kind == ptx.OpPair {
		if p, err = c.dst(&to.Sub[1]); err != nil {
			return nil, err
		}
		to = to.Sub[0]
	}
	d, err := c.dst(&to)
	if err != nil {
		return nil, err
	}
	s, err := c.srcs(in, 1, 3)
	if err != nil {
		return nil, err
	}
	all := in.Spec.Has("all")
	return func(w *warp, m uint32) {
		w.members(in, m, s[1])
		val := w.r[s[0]]
		var ok uint32
		for q := m; q != 0; q &= q - 1 {
			l := lane(q)
			group := uint32(w.r[s[1]][l]) & m
			var equal uint32
			for g := group; g != 0; g &= g - 1 {
				if val[lane(g)] == val[l] {
					equal |= 1 << lane(g)
				}
			}
			if equal == group {
				ok |= 1 << l
			} else if all {
				equal = 0
			}
			w.r[d][l] = uint64(equal)
		}
		if p >= 0 {
			w.setPred(p, m, ok)
		}
	}, nil
}

func reduceLanes(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	t := in.Spec.Types[0]
	ext := integer(t)
	f := map[string]func(x, y uint64) uint64{
		"add": func(x, y uint64) uint64 { return x + y }, "and": func(x, y uint64) uint64 { return x & y },
		"or": func(x, y uint64) uint64 { return x | y }, "xor": func(x, y uint64) uint64 { return x ^ y },
		"min": func(x, y uint64) uint64 {
			if t.Signed() {
				return uint64(min(int64(x), int64(y)))
			}
			return min(x, y)
		},
		"max": func(x, y uint64) uint64 {
			if t.Signed() {
				return uint64(max(int64(x), int64(y)))
			}
			return max(x, y)
		},
	}[in.Spec.Mods[1]]
	return func(w *warp, m uint32) {
		w.members(in, m, s[1])
		val := w.r[s[0]]
		for q := m; q != 0; q &= q - 1 {
			l := lane(q)
			group := uint32(w.r[s[1]][l]) & m
			acc, first := uint64(0), true
			for g := group; g != 0; g &= g - 1 {
				if x := ext(val[lane(g)]); first {
					acc, first = x, false
				} else {
					acc = f(acc, x)
				}
			}
			w.r[d][l] = uint64(uint32(acc))
		}
	}, nil
}

// elect chooses the lowest lane of the mask, as GPUs do.
func elect(c *compiler, in *ptx.Instr) (step, error) {
	to := in.Args[0]
	if to.Kind != ptx.OpPair {
		return nil, fmt.Errorf("want a register and a predicate")
	}
	d, err := c.dst(&to.Sub[0])
	if err != nil {
		return nil, err
	}
	p, err := c.dst(&to.Sub[1])
	if err != nil {
		return nil, err
	}
	mask, err := c.src(&in.Args[1], ptx.U32)
	return func(w *warp, m uint32) {
		w.members(in, m, mask)
		first := bits.TrailingZeros32(m)
		for q := m; q != 0; q &= q - 1 {
			w.r[d][lane(q)] = uint64(first)
		}
		w.setPred(p, m, 1<<first)
	}, err
}
