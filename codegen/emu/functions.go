package emu

import (
	"math"

	"dsac/codegen/ptx"
)

// functions compiles the special functions. Approximate ones (ex2, rcp and rsqrt may be) are
// computed in double and rounded to nearest: within 2 ulp of what GPUs return.
var functions = map[string]func(*compiler, *ptx.Instr) (step, error){
	"ex2": function, "rcp": function, "rsqrt": function, "sqrt": function,
}

var functionTable = map[string]func(float64) float64{
	"ex2": math.Exp2, "sqrt": math.Sqrt,
	"rcp":   func(x float64) float64 { return 1 / x },
	"rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) },
}

func function(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	f, t, ftz, r := functionTable[in.Spec.Name], in.Spec.Types[0], in.Spec.Has("ftz"), mode(in)
	if t == ptx.F64 {
		return each1(d, s[0], func(x uint64) uint64 { return bits64(f(f64(x))) }), nil
	}
	return each1(d, s[0], func(x uint64) uint64 {
		if ftz {
			x = flush32(x)
		}
		return finish32(math.Float32frombits(single.encode(exactly(f, in.Spec.Name, float64(f32(x)), r), r)), ftz, false)
	}), nil
}

// exactly is f(x) for rcp and sqrt nudged off a double that rounding made, so that directed
// rounding to single sees on which side the exact value lies.
func exactly(f func(float64) float64, name string, x float64, r rounding) float64 {
	v := f(x)
	if r == nearest || v == 0 || math.IsInf(v, 0) || v != v {
		return v
	}
	var err float64 // sign of exact value minus v
	switch name {
	case "sqrt":
		err = math.FMA(-v, v, x)
	case "rcp":
		if err = math.FMA(-v, x, 1); x < 0 {
			err = -err
		}
	}
	switch {
	case err > 0:
		return math.Nextafter(v, math.Inf(1))
	case err < 0:
		return math.Nextafter(v, math.Inf(-1))
	}
	return v
}
