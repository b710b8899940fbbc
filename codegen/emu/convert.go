package emu

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"dsac/codegen/ptx"
)

var errNoComparison = errors.New("no such comparison of this type")

// conversion compiles cvt. A destination register wider than the type is sign- or zero-extended.
func conversion(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	to := in.Spec.Types[0]
	if len(in.Args) == 3 { // two floats to a pair, the first in the high half
		f, err := convert(ptx.F32, bitsHalf(to), in)
		return each2(d, s[0], s[1], func(x, y uint64) uint64 { return f(x)<<16 | f(y) }), err
	}
	f, err := convert(in.Spec.Types[1], to, in)
	if err != nil {
		return nil, err
	}
	if reg := in.Args[0]; reg.Kind == ptx.OpReg && to.Signed() {
		if n := c.e.Regs[reg.Reg].Type.Bits(); n > to.Bits() {
			g := f
			f = func(x uint64) uint64 { return truncate(uint64(signExtend(g(x), to.Bits())), n) }
		}
	}
	return each1(d, s[0], f), nil
}

func bitsHalf(t ptx.Type) ptx.Type {
	if t == ptx.BF16x2 {
		return ptx.BF16
	}
	return ptx.F16
}

func convert(from, to ptx.Type, in *ptx.Instr) (func(uint64) uint64, error) {
	r, ftz, sat := mode(in), in.Spec.Has("ftz"), in.Spec.Has("sat")
	switch {
	case from.Float() && to.Float():
		return floatToFloat(from, to, in)
	case from.Float():
		read := reader(from, ftz && from == ptx.F32)
		wide := from == ptx.F64 || to.Bits() == 64
		return func(x uint64) uint64 { return floatToInt(read(x), to, r, wide) }, nil
	case to.Float():
		return intToFloat(from, to, r), nil
	}
	n, ext := to.Bits(), integer(from)
	if !sat {
		return func(x uint64) uint64 { return truncate(ext(x), n) }, nil
	}
	return func(x uint64) uint64 {
		v := new(big.Int).SetUint64(ext(x))
		if from.Signed() {
			v.SetInt64(int64(ext(x)))
		}
		lo, hi := bounds(to)
		if v.Cmp(lo) < 0 {
			v = lo
		} else if v.Cmp(hi) > 0 {
			v = hi
		}
		if v.Sign() < 0 {
			return truncate(uint64(v.Int64()), n)
		}
		return v.Uint64()
	}, nil
}

func formatOf(t ptx.Type) format {
	return map[ptx.Type]format{ptx.F16: half, ptx.BF16: bfloat, ptx.F32: single, ptx.TF32: tfloat32}[t]
}

// carriedNaN holds the conversions that keep a NaN's sign and what fits of its payload, and stay
// NaN: what they give for one. All others give the NaN that the hardware makes.
var carriedNaN = map[[2]ptx.Type]func(x uint64) uint64{
	{ptx.BF16, ptx.F32}: func(x uint64) uint64 { return x & 0xffff << 16 },
	{ptx.F32, ptx.TF32}: func(x uint64) uint64 { return x&0xffffe000 | 1<<22 },
	{ptx.F64, ptx.F32}:  func(x uint64) uint64 { return x>>32&(1<<31) | 0x7fc00000 | x>>29&(1<<22-1) },
}

func floatToFloat(from, to ptx.Type, in *ptx.Instr) (func(uint64) uint64, error) {
	r, ftz, sat, relu := mode(in), in.Spec.Has("ftz"), in.Spec.Has("sat"), in.Spec.Has("relu")
	integral := false
	for _, m := range in.Spec.Mods {
		integral = integral || len(m) == 3 && m[0] == 'r' && m[2] == 'i'
	}
	if to.Bits() < from.Bits() && r == nearest && !in.Spec.Has("rn") && !integral {
		return nil, fmt.Errorf("a rounding must be given")
	}
	read := reader(from, ftz && from == ptx.F32) // .ftz of cvt is about singles: a half stays subnormal
	carry := carriedNaN[[2]ptx.Type{from, to}]
	fm, shift := formatOf(to), 0
	if to == ptx.TF32 {
		shift = 13
	}
	return func(x uint64) uint64 {
		v := read(x)
		if v != v && carry != nil && !sat {
			return carry(x)
		}
		if integral {
			v = math.Copysign(roundInt(v, r), v)
		}
		if sat && !(v > 0) || relu && v <= 0 {
			v = 0
		}
		if sat {
			v = min(v, 1)
		}
		if to == ptx.F64 {
			return bits64(v)
		}
		b := uint64(fm.encode(v, r)) << shift
		if ftz && to == ptx.F32 {
			b = flush32(b)
		}
		return b
	}, nil
}
