package kernels

import (
	"math"

	"dsac/codegen"
	"dsac/runtime/plan"
)

// sampleToken: the token that follows the last live row, chosen as runtime/sample defines, bit
// for bit; then hist[token]++. One block. Where no choice is possible (a NaN or +Inf among the
// logits, everything masked) the token is -1 and hist stays.
func sampleToken(s *codegen.Spec) (Kernel, error) {
	return Kernel{Launch: codegen.Line(1, sampleThreads), Emit: func(k *codegen.K) {
		d := newDraw(k, s)
		out := k.Arg(4)
		if s.Operands[4].Width() >= plan.CtlSize { // the whole control buffer
			out = out.At(plan.CtlRNG)
		}
		broken, top, token := d.best()
		chosen := codegen.Let(token)
		k.If(broken.Or(token.Lt(0)), func() { chosen.Set(k.I32(-1)) })
		k.If(d.temperature.Ne(0).And(chosen.Get().Ge(0)), func() {
			chosen.Set(d.random(floatOf(top)))
		})
		k.If(k.Thread().Eq(0), func() {
			id := chosen.Get()
			out.StI64(k.Ctl().At(plan.CtlLen).LdI64())
			out.At(plan.CtlToken - plan.CtlRNG).StI32(id)
			k.If(id.Ge(0), func() {
				h := d.hist.Elem(id.UMin(d.vocab-1), 4)
				h.StI32(h.LdI32().Add(1))
			})
		})
	}}, nil
}

// floatOf undoes sortKey.
func floatOf(key codegen.I32) codegen.F32 {
	return key.Xor(key.Sar(31).Xor(-1).Or(-1 << 31)).AsF32()
}

// plain returns the logits of vectors, minus infinity where an id is masked or past the
// vocabulary; bad is told where one is that no model may give.
func (d *draw) plain(vs []vec, bad func(codegen.Pred)) [][]codegen.F32 {
	xs := make([][]codegen.F32, len(vs))
	out := make([]codegen.I32, len(vs)) // a byte per id, not 0 when it is masked
	for i, v := range vs {
		xs[i] = d.logits.Elem(v.at, d.width*f32).When(v.ok).LdF32s(d.width)
		if d.width == 4 {
			out[i] = d.mask.Elem(v.at, 4).LdI32()
		} else {
			out[i] = d.mask.At(v.at).LdU8()
		}
	}
	for i, v := range vs {
		xs[i] = d.allowed(v, xs[i], out[i], bad)
	}
	return xs
}

// values is plain with the repetition penalty.
func (d *draw) values(vs []vec, bad func(codegen.Pred)) [][]codegen.F32 {
	k, xs := d.k, d.plain(vs, bad)
	keep := make([]*codegen.Var[codegen.F32], 0, len(vs)*d.width)
	for _, x := range xs {
		for _, x := range x {
			keep = append(keep, codegen.Let(x))
		}
	}
	k.If(d.penalty.Eq(1).Not(), func() {
		for i, v := range vs {
			seen := d.hist.Elem(v.at, d.width*4).When(v.ok).LdI32s(d.width)
			for j := range seen {
				x := keep[i*d.width+j]
				p := d.penalise(x.Get())
				x.Set(codegen.Select(seen[j].Gt(0), p, x.Get()))
			}
		}
	})
	for i := range xs {
		for j := range xs[i] {
			xs[i][j] = keep[i*d.width+j].Get()
		}
	}
	return xs
}

// penalise makes the logit of an id that occurred less likely; minus infinity stays.
func (d *draw) penalise(x codegen.F32) codegen.F32 {
	p := codegen.Select(x.Gt(0), x.Div(d.penalty), x.Mul(d.penalty)).Min(math.MaxFloat32).Max(-math.MaxFloat32)
	return codegen.Select(x.Eq(math.Inf(-1)), x, p)
}
