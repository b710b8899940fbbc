package emu

import (
	"dsac/codegen/ptx"
)

// comparison compiles setp: p = a cmp b, q = its negation, both combined with a predicate c
// when the opcode says and, or, xor.
func comparison(c *compiler, in *ptx.Instr) (step, error) {
	t, cmp := in.Spec.Types[0], in.Spec.Mods[0]
	s, err := c.srcs(in, 1, 3)
	if err != nil {
		return nil, err
	}
	first, second := in.Args[0], -1
	if first.Kind == ptx.OpPair {
		if second, err = c.dst(&first.Sub[1]); err != nil {
			return nil, err
		}
		first = first.Sub[0]
	}
	d, err := c.dst(&first)
	if err != nil {
		return nil, err
	}
	test := integerTest(cmp, t)
	if t.Float() {
		test = floatTest(cmp, t, in.Spec.Has("ftz"))
	}
	if test == nil {
		return nil, errNoComparison
	}
	a, b := s[0], s[1]
	compute := func(w *warp, m uint32) (p uint32) {
		ra, rb := &w.r[a], &w.r[b]
		for ; m != 0; m &= m - 1 {
			l := lane(m)
			if test(ra[l], rb[l]) {
				p |= 1 << l
			}
		}
		return p
	}
	if len(in.Args) == 3 {
		return func(w *warp, m uint32) {
			p := compute(w, m)
			w.setPred(d, m, p)
			if second >= 0 {
				w.setPred(second, m, ^p)
			}
		}, nil
	}
	with, err := c.pred(&in.Args[3])
	join := map[string]func(x, y uint32) uint32{
		"and": func(x, y uint32) uint32 { return x & y },
		"or":  func(x, y uint32) uint32 { return x | y },
		"xor": func(x, y uint32) uint32 { return x ^ y },
	}[in.Spec.Mods[1]]
	return func(w *warp, m uint32) {
		p, q := compute(w, m), with.mask(w)
		w.setPred(d, m, join(p, q))
		if second >= 0 {
			w.setPred(second, m, join(^p, q))
		}
	}, err
}

// integerTest compares registers as integers; lo, ls, hi, hs are the unsigned lt, le, gt, ge.
func integerTest(cmp string, t ptx.Type) func(x, y uint64) bool {
	if u := map[string]string{"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}[cmp]; u != "" {
		cmp = u
	} else if t.Signed() && cmp != "eq" && cmp != "ne" {
		n := t.Bits()
		return map[string]func(x, y uint64) bool{
			"lt": func(x, y uint64) bool { return signExtend(x, n) < signExtend(y, n) },
			"le": func(x, y uint64) bool { return signExtend(x, n) <= signExtend(y, n) },
			"gt": func(x, y uint64) bool { return signExtend(x, n) > signExtend(y, n) },
			"ge": func(x, y uint64) bool { return signExtend(x, n) >= signExtend(y, n) },
		}[cmp]
	}
	return map[string]func(x, y uint64) bool{
		"eq": func(x, y uint64) bool { return x == y },
		"ne": func(x, y uint64) bool { return x != y },
		"lt": func(x, y uint64) bool { return x < y },
		"le": func(x, y uint64) bool { return x <= y },
		"gt": func(x, y uint64) bool { return x > y },
		"ge": func(x, y uint64) bool { return x >= y },
	}[cmp]
}

// floatTest compares registers as floats: plain names are false when an operand is NaN, those
// that end in u are true.
func floatTest(cmp string, t ptx.Type, ftz bool) func(x, y uint64) bool {
	read := reader(t, ftz)
	f := map[string]func(x, y float64) bool{
		"eq": func(x, y float64) bool { return x == y }, "ne": func(x, y float64) bool { return x < y || x > y },
		"lt": func(x, y float64) bool { return x < y }, "le": func(x, y float64) bool { return x <= y },
		"gt": func(x, y float64) bool { return x > y }, "ge": func(x, y float64) bool { return x >= y },
		"equ": func(x, y float64) bool { return !(x < y || x > y) }, "neu": func(x, y float64) bool { return x != y },
		"ltu": func(x, y float64) bool { return !(x >= y) }, "leu": func(x, y float64) bool { return !(x > y) },
		"gtu": func(x, y float64) bool { return !(x <= y) }, "geu": func(x, y float64) bool { return !(x < y) },
		"num": func(x, y float64) bool { return x == x && y == y }, "nan": func(x, y float64) bool { return x != x || y != y },
	}[cmp]
	if f == nil {
		return nil
	}
	return func(x, y uint64) bool { return f(read(x), read(y)) }
}

// reader gives the exact value of a register as float type t.
func reader(t ptx.Type, ftz bool) func(uint64) float64 {
	switch t {
	case ptx.F64:
		return f64
	case ptx.F32:
		if ftz {
			return func(b uint64) float64 { return float64(f32(flush32(b))) }
		}
		return func(b uint64) float64 { return float64(f32(b)) }
	case ptx.BF16:
		return bf16
	}
	if ftz {
		return func(b uint64) float64 { return f16(flush16(b)) }
	}
	return f16
}
