package emu

import (
	"fmt"

	"dsac/codegen/ptx"
)

// logic compiles opcodes on bits.
var logic = map[string]func(*compiler, *ptx.Instr) (step, error){
	"and": bitwise, "or": bitwise, "xor": bitwise, "not": bitwise, "shl": shift, "shr": shift, "shf": funnel,
	"lop3": lookup, "prmt": permute, "bfe": extract, "bfi": insert, "popc": count, "clz": count, "brev": count, "bfind": findBit,
}

func bitwise(c *compiler, in *ptx.Instr) (step, error) {
	t, name := in.Spec.Types[0], in.Spec.Name
	if t == ptx.Pred {
		return predLogic(c, in)
	}
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	n := t.Bits()
	switch name {
	case "and":
		return each2(d, s[0], s[1], func(x, y uint64) uint64 { return x & y }), nil
	case "or":
		return each2(d, s[0], s[1], func(x, y uint64) uint64 { return x | y }), nil
	case "xor":
		return each2(d, s[0], s[1], func(x, y uint64) uint64 { return x ^ y }), nil
	}
	return each1(d, s[0], func(x uint64) uint64 { return truncate(^x, n) }), nil
}

func predLogic(c *compiler, in *ptx.Instr) (step, error) {
	d, err := c.dst(&in.Args[0])
	if err != nil {
		return nil, err
	}
	a, err := c.pred(&in.Args[1])
	if err != nil {
		return nil, err
	}
	b := a
	if len(in.Args) > 2 {
		if b, err = c.pred(&in.Args[2]); err != nil {
			return nil, err
		}
	}
	f := map[string]func(x, y uint32) uint32{
		"and": func(x, y uint32) uint32 { return x & y },
		"or":  func(x, y uint32) uint32 { return x | y },
		"xor": func(x, y uint32) uint32 { return x ^ y },
		"not": func(x, _ uint32) uint32 { return ^x },
	}[in.Spec.Name]
	return func(w *warp, m uint32) { w.setPred(d, m, f(a.mask(w), b.mask(w))) }, nil
}

// shift amounts at or past the width shift everything out.
func shift(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	t := in.Spec.Types[0]
	n := t.Bits()
	switch {
	case in.Spec.Name == "shl":
		return each2(d, s[0], s[1], func(x, y uint64) uint64 { return truncate(x<<min(y&0xffffffff, 64), n) }), nil
	case t.Signed():
		return each2(d, s[0], s[1], func(x, y uint64) uint64 { return truncate(uint64(signExtend(x, n)>>min(y&0xffffffff, 63)), n) }), nil
	}
	return each2(d, s[0], s[1], func(x, y uint64) uint64 { return x >> min(y&0xffffffff, 64) }), nil
}

// funnel shifts the pair {b,a} (b high) left and gives its high half, or right and its low half.
func funnel(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	left, wrap := in.Spec.Has("l"), in.Spec.Has("wrap")
	return each3(d, s[0], s[1], s[2], func(lo, hi, n uint64) uint64 {
		if n &= 0xffffffff; wrap {
			n &= 31
		} else {
			n = min(n, 32)
		}
		pair := hi<<32 | lo
		if left {
			return pair << n >> 32
		}
		return uint64(uint32(pair >> n))
	}), nil
}

// lookup applies the truth table lut to each bit of three words.
func lookup(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	if in.Args[4].Kind != ptx.OpInt || in.Args[4].Int&^255 != 0 {
		return nil, fmt.Errorf("the table must be a constant of 8 bits")
	}
	lut := in.Args[4].Int
	return each3(d, s[0], s[1], s[2], func(x, y, z uint64) uint64 {
		var out uint64
		for i, term := range [8]uint64{^x & ^y & ^z, ^x & ^y & z, ^x & y & ^z, ^x & y & z, x & ^y & ^z, x & ^y & z, x & y & ^z, x & y & z} {
			if lut>>i&1 != 0 {
				out |= term
			}
		}
		return uint64(uint32(out))
	}), nil
}
