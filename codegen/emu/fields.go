package emu

import (
	"math/bits"

	"dsac/codegen/ptx"
)

// permute picks four of the eight bytes of {b,a}; the named modes derive the selection from
// the low two bits of the selector.
func permute(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	mode := in.Spec.Mods[len(in.Spec.Mods)-1]
	modes := map[string][4]uint64{ // selectors for low bits 0..3
		"f4e": {0x3210, 0x4321, 0x5432, 0x6543}, "b4e": {0x5670, 0x6701, 0x7012, 0x0123},
		"rc8": {0x0000, 0x1111, 0x2222, 0x3333}, "ecl": {0x3210, 0x3211, 0x3222, 0x3333},
		"ecr": {0x0000, 0x1110, 0x2210, 0x3210}, "rc16": {0x1010, 0x3232, 0x1010, 0x3232},
	}
	sel, special := modes[mode]
	return each3(d, s[0], s[1], s[2], func(x, y, z uint64) uint64 {
		if special {
			z = sel[z&3]
		}
		pair := y<<32 | x
		var out uint64
		for i := 0; i < 4; i++ {
			n := z >> (4 * i)
			b := pair >> (8 * (n & 7)) & 0xff
			if n&8 != 0 { // the byte's sign, eight times
				b = uint64(signExtend(b, 8)>>7) & 0xff
			}
			out |= b << (8 * i)
		}
		return out
	}), nil
}

// fieldMask is what counts of a field's position and length in n bits. PTX leaves both unspecified
// from 256 on: the hardware looks at the low byte in 32-bit fields, at all 32 bits in 64-bit ones.
func fieldMask(n int) uint64 {
	if n == 64 {
		return 1<<32 - 1
	}
	return 0xff
}

func extract(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	t := in.Spec.Types[0]
	n, signed, mask := uint64(t.Bits()), t.Signed(), fieldMask(t.Bits())
	return each3(d, s[0], s[1], s[2], func(x, pos, length uint64) uint64 {
		pos, length = pos&mask, length&mask
		if length == 0 {
			return 0
		}
		var fill uint64
		if signed && x>>min(pos+length-1, n-1)&1 != 0 {
			fill = ^uint64(0)
		}
		var out uint64
		if pos < n {
			out = x >> pos
			if signed {
				out = uint64(signExtend(x, int(n)) >> pos)
			}
		} else {
			out = fill
		}
		if length < 64 {
			keep := uint64(1)<<length - 1
			out = out&keep | fill&^keep
		}
		return truncate(out, int(n))
	}), nil
}

func insert(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	n := in.Spec.Types[0].Bits()
	mask := fieldMask(n)
	return each4(d, s[0], s[1], s[2], s[3], func(x, y, pos, length uint64) uint64 {
		pos, length = pos&mask, length&mask
		keep := ^uint64(0)
		if length < 64 {
			keep = 1<<length - 1
		}
		keep <<= pos
		return truncate(y&^keep|x<<pos&keep, n)
	}), nil
}

func count(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	n := in.Spec.Types[0].Bits()
	switch in.Spec.Name {
	case "popc":
		return each1(d, s[0], func(x uint64) uint64 { return uint64(bits.OnesCount64(x)) }), nil
	case "clz":
		return each1(d, s[0], func(x uint64) uint64 { return uint64(bits.LeadingZeros64(x) - (64 - n)) }), nil
	}
	return each1(d, s[0], func(x uint64) uint64 { return bits.Reverse64(x) >> (64 - n) }), nil
}

// findBit is the position of the highest bit that differs from the sign, or 0xffffffff.
func findBit(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	t, amount := in.Spec.Types[0], in.Spec.Has("shiftamt")
	n := t.Bits()
	return each1(d, s[0], func(x uint64) uint64 {
		if t.Signed() && signExtend(x, n) < 0 {
			x = truncate(^x, n)
		}
		if x == 0 {
			return 0xffffffff
		}
		p := bits.Len64(x) - 1
		if amount {
			p = n - 1 - p
		}
		return uint64(p)
	}), nil
}
