package emu

import (
	"math"
	"math/big"

	"dsac/codegen/ptx"
)

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
