package emu

import (
	"fmt"

	"dsac/codegen/ptx"
)

// half2 gives the operation of an add, sub, mul, fma, min or max on f16, bf16 or their pairs,
// correctly rounded: products of halves are exact in double, sums are rounded to odd first.
func half2(in *ptx.Instr) (func(x, y, z uint64) uint64, error) {
	t := in.Spec.Types[0]
	read, fm := f16, half
	if t == ptx.BF16 || t == ptx.BF16x2 {
		read, fm = bf16, bfloat
	}
	nan := in.Spec.Has("NaN")
	op := map[string]func(x, y, z float64) float64{
		"add": func(x, y, _ float64) float64 { return sumOdd(x, y) },
		"sub": func(x, y, _ float64) float64 { return sumOdd(x, -y) },
		"mul": func(x, y, _ float64) float64 { return x * y },
		"fma": func(x, y, z float64) float64 { return sumOdd(x*y, z) },
		"min": func(x, y, _ float64) float64 { return pick(x, y, false, nan) },
		"max": func(x, y, _ float64) float64 { return pick(x, y, true, nan) },
	}[in.Spec.Name]
	if op == nil {
		return nil, fmt.Errorf("no %s of .%s", in.Spec.Name, t)
	}
	ftz, sat, relu := in.Spec.Has("ftz"), in.Spec.Has("sat"), in.Spec.Has("relu")
	f := func(x, y, z uint64) uint64 {
		if ftz {
			x, y, z = flush16(x), flush16(y), flush16(z)
		}
		v := op(read(x), read(y), read(z))
		if (sat || relu) && !(v > 0) && (v == v || sat) {
			v = 0
		}
		if sat {
			v = min(v, 1)
		}
		r := uint64(fm.encode(v, nearest))
		if ftz {
			r = flush16(r)
		}
		return r
	}
	if t.Bits() == 32 {
		f = lanes2(f)
	}
	return f, nil
}
