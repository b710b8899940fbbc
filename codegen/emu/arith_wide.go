package emu

import (
	"math/bits"

	"dsac/codegen/ptx"
)

// multiply returns x*y under mode lo, hi or wide of the type.
func multiply(in *ptx.Instr) func(x, y uint64) uint64 {
	t := in.Spec.Types[0]
	n, ext := t.Bits(), integer(t)
	switch {
	case in.Spec.Has("wide") && t == ptx.U32: // registers are zero-extended
		return func(x, y uint64) uint64 { return x * y }
	case in.Spec.Has("wide") && t == ptx.S32:
		return func(x, y uint64) uint64 { return uint64(int64(int32(x)) * int64(int32(y))) }
	case n == 32 && !in.Spec.Has("wide") && !in.Spec.Has("hi"):
		return func(x, y uint64) uint64 { return uint64(uint32(x * y)) }
	case in.Spec.Has("wide"):
		return func(x, y uint64) uint64 { return truncate(ext(x)*ext(y), 2*n) }
	case !in.Spec.Has("hi"):
		return func(x, y uint64) uint64 { return truncate(x*y, n) }
	case n < 64:
		return func(x, y uint64) uint64 { return truncate(ext(x)*ext(y)>>n, n) }
	}
	signed := t.Signed()
	return func(x, y uint64) uint64 {
		hi, _ := bits.Mul64(x, y)
		if signed && int64(x) < 0 {
			hi -= y
		}
		if signed && int64(y) < 0 {
			hi -= x
		}
		return hi
	}
}

func product(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	if in.Spec.Types[0].Float() {
		return floatBinary(in, d, s)
	}
	return each2(d, s[0], s[1], multiply(in)), nil
}

func multiplyAdd(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	t := in.Spec.Types[0]
	if t.Float() {
		return floatFMA(in, d, s)
	}
	n := t.Bits()
	if in.Spec.Has("wide") {
		n *= 2
	}
	switch {
	case n == 32 && in.Spec.Has("lo"):
		return each3(d, s[0], s[1], s[2], func(x, y, z uint64) uint64 { return uint64(uint32(x*y + z)) }), nil
	case in.Spec.Has("wide") && t == ptx.U32:
		return each3(d, s[0], s[1], s[2], func(x, y, z uint64) uint64 { return x*y + z }), nil
	}
	mul := multiply(in)
	return each3(d, s[0], s[1], s[2], func(x, y, z uint64) uint64 { return truncate(mul(x, y)+z, n) }), nil
}
