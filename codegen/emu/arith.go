package emu

import (
	"fmt"

	"dsac/codegen/ptx"
)

// arithmetic compiles opcodes that exist for integers and perhaps for floats too.
var arithmetic = map[string]func(*compiler, *ptx.Instr) (step, error){
	"add": sum, "sub": sum, "mul": product, "mad": multiplyAdd, "fma": multiplyAdd,
	"div": quotient, "rem": quotient, "min": extreme, "max": extreme, "abs": sign, "neg": sign,
	"sad": sumAbsDiff, "dp4a": dotProduct, "dp2a": dotProduct,
}

// integer gives the reading of a register as t: sign- or zero-extended to 64 bits.
func integer(t ptx.Type) func(uint64) uint64 {
	n := t.Bits()
	if t.Signed() {
		return func(x uint64) uint64 { return uint64(signExtend(x, n)) }
	}
	return func(x uint64) uint64 { return truncate(x, n) }
}

func sum(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	t := in.Spec.Types[0]
	if t.Float() {
		return floatBinary(in, d, s)
	}
	sub := in.Spec.Name == "sub"
	a, b := s[0], s[1]
	switch {
	case in.Spec.Has("sat"):
		return each2(d, a, b, func(x, y uint64) uint64 {
			v := signExtend(x, 32) + signExtend(y, 32)
			if sub {
				v = signExtend(x, 32) - signExtend(y, 32)
			}
			return uint64(uint32(min(max(v, -1<<31), 1<<31-1)))
		}), nil
	case t.Bits() == 32 && !sub:
		return func(w *warp, m uint32) {
			rd, ra, rb := &w.r[d], &w.r[a], &w.r[b]
			if m == fullMask {
				for l := range rd {
					rd[l] = uint64(uint32(ra[l] + rb[l]))
				}
				return
			}
			for ; m != 0; m &= m - 1 {
				l := lane(m)
				rd[l] = uint64(uint32(ra[l] + rb[l]))
			}
		}, nil
	case t.Bits() == 64 && !sub:
		return func(w *warp, m uint32) {
			rd, ra, rb := &w.r[d], &w.r[a], &w.r[b]
			if m == fullMask {
				for l := range rd {
					rd[l] = ra[l] + rb[l]
				}
				return
			}
			for ; m != 0; m &= m - 1 {
				l := lane(m)
				rd[l] = ra[l] + rb[l]
			}
		}, nil
	}
	n := t.Bits()
	if sub {
		return each2(d, a, b, func(x, y uint64) uint64 { return truncate(x-y, n) }), nil
	}
	return each2(d, a, b, func(x, y uint64) uint64 { return truncate(x+y, n) }), nil
}

func quotient(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	t := in.Spec.Types[0]
	if t.Float() {
		return floatBinary(in, d, s)
	}
	n, ext, rem, signed := t.Bits(), integer(t), in.Spec.Name == "rem", t.Signed()
	div := func(x, y uint64) uint64 {
		switch {
		case signed && rem:
			return uint64(int64(x) % int64(y))
		case signed:
			return uint64(int64(x) / int64(y))
		case rem:
			return x % y
		}
		return x / y
	}
	return func(w *warp, m uint32) {
		for ; m != 0; m &= m - 1 {
			l := lane(m)
			x, y := ext(w.r[s[0]][l]), ext(w.r[s[1]][l])
			if y == 0 {
				w.find(DivideByZero, in, l, nil, 0, "")
				w.r[d][l] = truncate(^uint64(0), n)
				continue
			}
			w.r[d][l] = truncate(div(x, y), n)
		}
	}, nil
}

func extreme(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	t := in.Spec.Types[0]
	if t.Float() {
		return floatBinary(in, d, s)
	}
	n, ext, big := t.Bits(), integer(t), in.Spec.Name == "max"
	less := func(x, y uint64) bool { return x < y }
	if t.Signed() {
		less = func(x, y uint64) bool { return int64(x) < int64(y) }
	}
	return each2(d, s[0], s[1], func(x, y uint64) uint64 {
		x, y = ext(x), ext(y)
		if less(x, y) == big {
			x = y
		}
		return truncate(x, n)
	}), nil
}

func sign(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	t := in.Spec.Types[0]
	if t.Float() {
		return floatSign(in, d, s)
	}
	n, neg := t.Bits(), in.Spec.Name == "neg"
	return each1(d, s[0], func(x uint64) uint64 {
		if neg || signExtend(x, n) < 0 {
			x = -x
		}
		return truncate(x, n)
	}), nil
}

func sumAbsDiff(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	t := in.Spec.Types[0]
	n, ext := t.Bits(), integer(t)
	return each3(d, s[0], s[1], s[2], func(x, y, z uint64) uint64 {
		x, y = ext(x), ext(y)
		if t.Signed() && int64(x) < int64(y) || !t.Signed() && x < y {
			x, y = y, x
		}
		return truncate(x-y+z, n)
	}), nil
}

// dotProduct is dp4a (four bytes) and dp2a (two halves of a with two bytes of b).
func dotProduct(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	if len(in.Spec.Types) != 2 {
		return nil, fmt.Errorf("two types wanted")
	}
	part := func(signed bool, x uint64, at, n int) uint64 {
		if x >>= at; signed {
			return uint64(signExtend(x, n))
		}
		return truncate(x, n)
	}
	sa, sb := in.Spec.Types[0].Signed(), in.Spec.Types[1].Signed()
	if in.Spec.Name == "dp4a" {
		return each3(d, s[0], s[1], s[2], func(x, y, z uint64) uint64 {
			for i := 0; i < 32; i += 8 {
				z += part(sa, x, i, 8) * part(sb, y, i, 8)
			}
			return uint64(uint32(z))
		}), nil
	}
	base := 0
	if in.Spec.Has("hi") {
		base = 16
	}
	return each3(d, s[0], s[1], s[2], func(x, y, z uint64) uint64 {
		for i := 0; i < 2; i++ {
			z += part(sa, x, 16*i, 16) * part(sb, y, base+8*i, 8)
		}
		return uint64(uint32(z))
	}), nil
}
