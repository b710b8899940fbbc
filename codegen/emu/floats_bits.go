package emu

import (
	"math"

	"dsac/codegen/ptx"
)

// floatSign compiles abs and neg: on the bits, so that NaNs keep theirs where the hardware's do.
func floatSign(in *ptx.Instr, d int, s [4]int) (step, error) {
	t := in.Spec.Types[0]
	neg, ftz := in.Spec.Name == "neg", in.Spec.Has("ftz")
	signs := map[ptx.Type]uint64{ptx.F32: 1 << 31, ptx.F64: 1 << 63, ptx.F16: 1 << 15, ptx.BF16: 1 << 15, ptx.F16x2: 1<<31 | 1<<15, ptx.BF16x2: 1<<31 | 1<<15}[t]
	return each1(d, s[0], func(x uint64) uint64 {
		if ftz {
			switch t {
			case ptx.F32:
				x = flush32(x)
			case ptx.F16:
				x = flush16(x)
			case ptx.F16x2:
				x = flush16(x&0xffff) | flush16(x>>16)<<16
			}
		}
		if neg {
			return x ^ signs
		}
		return x &^ signs
	}), nil
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
