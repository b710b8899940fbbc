package emu

import (
	"math"

	"dsac/codegen/ptx"
)

// floatSign compiles abs and neg.
func floatSign(in *ptx.Instr, d int, s [4]int) (step, error) {
	t, neg, ftz := in.Spec.Types[0], in.Spec.Name == "neg", in.Spec.Has("ftz")
	switch t {
	case ptx.F64: // a NaN keeps its bits
		const top = 1 << 63
		if neg {
			return each1(d, s[0], func(x uint64) uint64 { return x ^ top }), nil
		}
		return each1(d, s[0], func(x uint64) uint64 { return x &^ top }), nil
	case ptx.F16x2, ptx.BF16x2:
		f := signed(bitsHalf(t), neg, ftz)
		pair := lanes2(func(x, _, _ uint64) uint64 { return f(x) })
		return each1(d, s[0], func(x uint64) uint64 { return pair(x, 0, 0) }), nil
	}
	return each1(d, s[0], signed(t, neg, ftz)), nil
}

// signed is abs or neg of one value of at most 32 bits: arithmetic, not a change of bits, for
// every NaN comes out as the one that the hardware makes.
func signed(t ptx.Type, neg, ftz bool) func(x uint64) uint64 {
	fm := formatOf(t)
	top := uint64(1) << (fm.exp + fm.man)
	flush := map[ptx.Type]func(uint64) uint64{ptx.F32: flush32, ptx.F16: flush16}[t]
	return func(x uint64) uint64 {
		if fm.isNaN(x) {
			return uint64(fm.nan)
		}
		if ftz && flush != nil {
			x = flush(x)
		}
		if neg {
			return x ^ top
		}
		return x &^ top
	}
}

func copySign(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	top := uint64(1) << (in.Spec.Types[0].Bits() - 1)
	return each2(d, s[0], s[1], func(x, y uint64) uint64 { return y&^top | x&top }), nil
}

func testProperty(c *compiler, in *ptx.Instr) (step, error) {
	d, err := c.dst(&in.Args[0])
	if err != nil {
		return nil, err
	}
	t := in.Spec.Types[0]
	a, err := c.src(&in.Args[1], t)
	if err != nil {
		return nil, err
	}
	least := map[ptx.Type]float64{ptx.F32: 0x1p-126, ptx.F64: 0x1p-1022}[t]
	test := map[string]func(v float64) bool{
		"finite":     func(v float64) bool { return v-v == 0 },
		"infinite":   func(v float64) bool { return math.IsInf(v, 0) },
		"number":     func(v float64) bool { return v == v },
		"notanumber": func(v float64) bool { return v != v },
		"normal":     func(v float64) bool { return v-v == 0 && math.Abs(v) >= least },
		"subnormal":  func(v float64) bool { return v != 0 && math.Abs(v) < least },
	}[in.Spec.Mods[0]]
	return func(w *warp, m uint32) {
		var p uint32
		for q := m; q != 0; q &= q - 1 {
			l := lane(q)
			v := f64(w.r[a][l])
			if t == ptx.F32 {
				v = float64(f32(w.r[a][l]))
			}
			if test(v) {
				p |= 1 << l
			}
		}
		w.setPred(d, m, p)
	}, nil
}
