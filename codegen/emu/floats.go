package emu

import (
	"fmt"
	"math"

	"dsac/codegen/ptx"
)

// floats compiles opcodes that exist for floats only.
var floats = map[string]func(*compiler, *ptx.Instr) (step, error){
	"copysign": copySign, "testp": testProperty,
}

// mode is the rounding that the opcode names, nearest if none.
func mode(in *ptx.Instr) rounding {
	for _, m := range in.Spec.Mods {
		if r, ok := roundingNames[m]; ok {
			return r
		}
	}
	return nearest
}

// lanes2 lifts an operation on 16-bit halves to both halves of a word.
func lanes2(f func(x, y, z uint64) uint64) func(x, y, z uint64) uint64 {
	return func(x, y, z uint64) uint64 {
		return f(x&0xffff, y&0xffff, z&0xffff) | f(x>>16, y>>16, z>>16)<<16
	}
}

// floatBinary compiles add, sub, mul, div, min and max of floats.
func floatBinary(in *ptx.Instr, d int, s [4]int) (step, error) {
	name := in.Spec.Name
	switch in.Spec.Types[0] {
	case ptx.F32:
		return floatBinary32(in, d, s)
	case ptx.F64:
		f := map[string]func(x, y float64) float64{
			"add": func(x, y float64) float64 { return x + y }, "sub": func(x, y float64) float64 { return x - y },
			"mul": func(x, y float64) float64 { return x * y }, "div": func(x, y float64) float64 { return x / y },
			"min": func(x, y float64) float64 { return pick(x, y, false, false) },
			"max": func(x, y float64) float64 { return pick(x, y, true, false) },
		}[name]
		return each2(d, s[0], s[1], func(x, y uint64) uint64 { return bits64(f(f64(x), f64(y))) }), nil
	}
	f, err := half2(in)
	if err != nil {
		return nil, err
	}
	return each2(d, s[0], s[1], func(x, y uint64) uint64 { return f(x, y, 0) }), nil
}

// pick is min or max: a NaN loses against a number unless nan is set; -0 is below +0.
func pick(x, y float64, big, nan bool) float64 {
	switch {
	case x != x && y != y, nan && (x != x || y != y):
		return math.NaN()
	case x != x:
		return y
	case y != y:
		return x
	case big:
		return max(x, y)
	}
	return min(x, y)
}

func floatBinary32(in *ptx.Instr, d int, s [4]int) (step, error) {
	name, ftz, sat, r := in.Spec.Name, in.Spec.Has("ftz"), in.Spec.Has("sat"), mode(in)
	a, b := s[0], s[1]
	nan := in.Spec.Has("NaN")
	f := map[string]func(x, y float32) float32{
		"add": func(x, y float32) float32 { return x + y }, "sub": func(x, y float32) float32 { return x - y },
		"mul": func(x, y float32) float32 { return x * y }, "div": func(x, y float32) float32 { return x / y },
		"min": func(x, y float32) float32 { return float32(pick(float64(x), float64(y), false, nan)) },
		"max": func(x, y float32) float32 { return float32(pick(float64(x), float64(y), true, nan)) },
	}[name]
	if r != nearest {
		f = directed(name, r)
	}
	if f == nil {
		return nil, fmt.Errorf("no such rounding")
	}
	if !ftz && !sat && r == nearest {
		switch name { // the common ones without a call per lane
		case "add":
			return func(w *warp, m uint32) {
				rd, ra, rb := &w.r[d], &w.r[a], &w.r[b]
				for ; m != 0; m &= m - 1 {
					l := lane(m)
					rd[l] = bits32(f32(ra[l]) + f32(rb[l]))
				}
			}, nil
		case "mul":
			return func(w *warp, m uint32) {
				rd, ra, rb := &w.r[d], &w.r[a], &w.r[b]
				for ; m != 0; m &= m - 1 {
					l := lane(m)
					rd[l] = bits32(f32(ra[l]) * f32(rb[l]))
				}
			}, nil
		}
		return each2(d, a, b, func(x, y uint64) uint64 { return bits32(f(f32(x), f32(y))) }), nil
	}
	return each2(d, a, b, func(x, y uint64) uint64 {
		if ftz {
			x, y = flush32(x), flush32(y)
		}
		return finish32(f(f32(x), f32(y)), ftz, sat)
	}), nil
}

// directed gives single-precision operations that round in direction r.
func directed(name string, r rounding) func(x, y float32) float32 {
	var f func(x, y float64) float64 // exact or rounded to odd
	switch name {
	case "add":
		f = func(x, y float64) float64 { return sumDirected(x, y, r) }
	case "sub":
		f = func(x, y float64) float64 { return sumDirected(x, -y, r) }
	case "mul":
		f = func(x, y float64) float64 { return x * y }
	default:
		return nil
	}
	return func(x, y float32) float32 {
		return math.Float32frombits(single.encode(f(float64(x), float64(y)), r))
	}
}

// finish32 applies .sat (to [0,1], NaN to 0) and .ftz to a result.
func finish32(v float32, ftz, sat bool) uint64 {
	if sat {
		if !(v > 0) {
			return 0
		}
		v = min(v, 1)
	}
	if ftz {
		return flush32(bits32(v))
	}
	return bits32(v)
}

func floatFMA(in *ptx.Instr, d int, s [4]int) (step, error) {
	switch in.Spec.Types[0] {
	case ptx.F64:
		return each3(d, s[0], s[1], s[2], func(x, y, z uint64) uint64 {
			return bits64(math.FMA(f64(x), f64(y), f64(z)))
		}), nil
	case ptx.F32:
		return floatFMA32(in, d, s), nil
	}
	f, err := half2(in)
	if err != nil {
		return nil, err
	}
	return each3(d, s[0], s[1], s[2], f), nil
}

// fma32 is x*y+z rounded once: the product is exact in double, the sum is rounded to odd first.
func fma32(x, y, z float32) float32 {
	return float32(sumOdd(float64(x)*float64(y), float64(z)))
}

func floatFMA32(in *ptx.Instr, d int, s [4]int) step {
	ftz, sat, r := in.Spec.Has("ftz"), in.Spec.Has("sat"), mode(in)
	a, b, e := s[0], s[1], s[2]
	if !ftz && !sat && r == nearest {
		return func(w *warp, m uint32) {
			rd, ra, rb, re := &w.r[d], &w.r[a], &w.r[b], &w.r[e]
			for ; m != 0; m &= m - 1 {
				l := lane(m)
				rd[l] = bits32(fma32(f32(ra[l]), f32(rb[l]), f32(re[l])))
			}
		}
	}
	return each3(d, a, b, e, func(x, y, z uint64) uint64 {
		if ftz {
			x, y, z = flush32(x), flush32(y), flush32(z)
		}
		v := sumDirected(float64(f32(x))*float64(f32(y)), float64(f32(z)), r)
		if r == nearest {
			return finish32(float32(v), ftz, sat)
		}
		return finish32(math.Float32frombits(single.encode(v, r)), ftz, sat)
	})
}
