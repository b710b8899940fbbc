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
		read := reader(from, ftz)
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

// bounds are the least and greatest integers of type t.
func bounds(t ptx.Type) (lo, hi *big.Int) {
	one := big.NewInt(1)
	if t.Signed() {
		hi = new(big.Int).Lsh(one, uint(t.Bits()-1))
		return new(big.Int).Neg(hi), new(big.Int).Sub(hi, one)
	}
	hi = new(big.Int).Lsh(one, uint(t.Bits()))
	return new(big.Int), hi.Sub(hi, one)
}

// floatToInt rounds and clamps. NaN gives 0, or the top bit where a 64-bit type takes part.
func floatToInt(v float64, to ptx.Type, r rounding, wide bool) uint64 {
	n := to.Bits()
	if v != v {
		if wide {
			return 1 << (n - 1)
		}
		return 0
	}
	v = roundInt(v, r)
	if to.Signed() {
		limit := math.Ldexp(1, n-1)
		switch {
		case v >= limit:
			return 1<<(n-1) - 1
		case v < -limit:
			return 1 << (n - 1)
		}
		return truncate(uint64(int64(v)), n)
	}
	switch {
	case v >= math.Ldexp(1, n):
		return truncate(^uint64(0), n)
	case v <= 0:
		return 0
	case v >= 1<<63:
		return uint64(v-1<<63) | 1<<63
	}
	return uint64(v)
}

// intToFloat rounds once: an integer that is no double is rounded to odd on the way to the
// narrower formats.
func intToFloat(from, to ptx.Type, r rounding) func(uint64) uint64 {
	ext, signed := integer(from), from.Signed()
	return func(x uint64) uint64 {
		x = ext(x)
		neg := signed && int64(x) < 0
		if neg {
			x = -x
		}
		if to == ptx.F64 {
			b := new(big.Float).SetUint64(x)
			if neg {
				b.Neg(b)
			}
			v, _ := b.SetMode(map[rounding]big.RoundingMode{nearest: big.ToNearestEven, zero: big.ToZero, down: big.ToNegativeInf, up: big.ToPositiveInf}[r]).SetPrec(53).Float64()
			return bits64(v)
		}
		if x >= 1<<53 { // keep 53 bits, the last one sticky
			k := 11 - lead(x)
			if x&(1<<k-1) != 0 {
				x |= 1 << k
			}
			x = x >> k << k
		}
		v := float64(x)
		if neg {
			v = -v
		}
		return uint64(formatOf(to).encode(v, r))
	}
}

func lead(x uint64) int {
	n := 0
	for x>>63 == 0 {
		x <<= 1
		n++
	}
	return n
}

func formatOf(t ptx.Type) format {
	return map[ptx.Type]format{ptx.F16: half, ptx.BF16: bfloat, ptx.F32: single, ptx.TF32: tfloat32}[t]
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
	read := reader(from, ftz)
	if to == ptx.TF32 {
		return func(x uint64) uint64 { return uint64(tfloat32.encode(read(x), r)) << 13 }, nil
	}
	fm := formatOf(to)
	return func(x uint64) uint64 {
		v := read(x)
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
		b := uint64(fm.encode(v, r))
		if ftz && to == ptx.F32 {
			b = flush32(b)
		}
		return b
	}, nil
}
