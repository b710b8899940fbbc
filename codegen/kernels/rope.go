package kernels

import (
	"dsac/codegen"
	"dsac/runtime/plan"
)

// rope: rotates elements [off, off+dims) of each row by the angles of its position and copies
// the others. A row is cut into units: one or more pairs, or a vector to copy; one thread each.
// A block has a few heads of one token. y may lie on x: a unit reads what it writes, first.
func rope(s *codegen.Spec) (Kernel, error) {
	x := s.Operands[0]
	inner, width := x.Inner(), x.Selected()
	rot := newRotation(s, x)
	rest := newRest(x, rot.off, rot.dims)
	units := rot.units + rest.before + rest.after

	threads := min(units, 256)
	heads := min(inner, max(1, 256/threads))
	launch := codegen.Launch{
		Grid:  [3]uint32{uint32(x.Shape[0]), uint32(ceilDiv(inner, heads)), 1},
		Block: [3]uint32{uint32(threads), uint32(heads), 1},
	}
	return Kernel{Launch: launch, Emit: func(k *codegen.K) {
		t := k.BlockX()
		head := k.BlockY().Mul(heads).Add(k.ThreadY())
		k.ReturnIf(t.Ge(k.Live()))
		if inner%heads != 0 {
			k.ReturnIf(head.Ge(inner))
		}
		src := rowAt(k.Arg(0).Elem(t, inner*x.Width()*f32), x, head)
		dst := k.Arg(1).Elem(t, inner*width*f32).Elem(head, width*f32)
		pos := k.Ctl().At(plan.CtlPos).LdI64().Add(t.I64())
		k.Each(k.Thread(), threads, units, func(unit codegen.I32) {
			k.IfElse(unit.Lt(rot.units), func() {
				rot.emit(k, src, dst, unit, pos)
			}, func() {
				from, to := rest.at(src, unit, &rot), rest.at(dst, unit, &rot)
				to.StF32s(from.LdF32s(rest.width)...)
			})
		})
	}}, nil
}

// rest is what a rotation leaves alone: vectors before and after it.
type rest struct{ width, before, after int }

func newRest(x codegen.OperandSpec, off, dims int) rest {
	v := vectorWidth(x, codegen.OperandSpec{Shape: []int{x.Selected()}})
	for off%v != 0 || dims%v != 0 {
		v /= 2
	}
	return rest{v, off / v, (x.Selected() - off - dims) / v}
}

// at returns the address in a row of the vector that a unit copies: those before the rotated
// part, then those after it. The constants are in the base, so that the index is the unit's
// number, which the checker knows.
func (r rest) at(row codegen.Ptr, unit codegen.I32, rot *rotation) codegen.Ptr {
	size := r.width * f32
	before := row.At(-rot.units * size)
	after := before.At(rot.dims * f32)
	switch {
	case r.after == 0:
		return before.Elem(unit, size)
	case r.before == 0:
		return after.Elem(unit, size)
	}
	skip := codegen.Select(unit.Lt(rot.units+r.before), unit, unit.Add(rot.dims/r.width))
	return before.Elem(skip.Clamp(rot.units, rot.units+r.before+rot.dims/r.width+r.after-1), size)
}

// rotation is the rotated part of a row: units of pairs neighbouring pairs.
type rotation struct {
	off, dims int
	half      bool // pairs are (i, i+dims/2), not (2i, 2i+1)
	width     int  // vector width of an access
	pairs     int  // per unit
	units     int
	turns     []uint64
	mscale    float64
}

func newRotation(s *codegen.Spec, x codegen.OperandSpec) rotation {
	r := rotation{off: s.Int("off"), dims: s.Int("dims"), half: s.Text("style") == "half", turns: turns(frequencies(s)), mscale: s.Float("mscale")}
	r.width = vectorWidth(x, codegen.OperandSpec{Shape: []int{x.Selected()}})
	span := r.dims // of one run of vectors
	if r.half {
		span /= 2
	}
	for r.off%r.width != 0 || span%r.width != 0 {
		r.width /= 2
	}
	r.pairs = max(1, r.width/2)
	if r.half {
		r.pairs = r.width
	}
	r.units = r.dims / 2 / r.pairs
	return r
}

// emit rotates unit u of the row at src into dst.
func (r *rotation) emit(k *codegen.K, src, dst codegen.Ptr, u codegen.I32, pos codegen.I64) {
	xs := r.load(src, u)
	ys := make([]codegen.F32, len(xs))
	for p := range r.pairs {
		pair := u.Mul(r.pairs).Add(p).Clamp(0, len(r.turns)-1)
		sin, cos := pos.Mul(k.Table("turns", r.turns).Elem(pair, 8).LdI64()).SinCos()
		if r.mscale != 1 {
			sin, cos = sin.Mul(r.mscale), cos.Mul(r.mscale)
		}
		a, b := xs[2*p], xs[2*p+1]
		ys[2*p] = a.Mul(cos).Sub(b.Mul(sin))
		ys[2*p+1] = a.Mul(sin).Add(b.Mul(cos))
	}
	r.store(dst, u, ys)
}

// load reads the pairs of a unit, members of a pair next to each other.
func (r *rotation) load(p codegen.Ptr, u codegen.I32) []codegen.F32 {
	if r.half {
		a := p.At(r.off*f32).Elem(u, r.width*f32).LdF32s(r.width)
		b := p.At((r.off+r.dims/2)*f32).Elem(u, r.width*f32).LdF32s(r.width)
		var xs []codegen.F32
		for i := range a {
			xs = append(xs, a[i], b[i])
		}
		return xs
	}
	p = p.At(r.off*f32).Elem(u, 2*r.pairs*f32)
	if r.width == 1 {
		return []codegen.F32{p.LdF32(), p.At(f32).LdF32()}
	}
	return p.LdF32s(r.width)
}

func (r *rotation) store(p codegen.Ptr, u codegen.I32, ys []codegen.F32) {
	if r.half {
		var a, b []codegen.F32
		for i := 0; i < len(ys); i += 2 {
			a, b = append(a, ys[i]), append(b, ys[i+1])
		}
		p.At(r.off*f32).Elem(u, r.width*f32).StF32s(a...)
		p.At((r.off+r.dims/2)*f32).Elem(u, r.width*f32).StF32s(b...)
		return
	}
	p = p.At(r.off*f32).Elem(u, 2*r.pairs*f32)
	if r.width == 1 {
		p.StF32(ys[0])
		p.At(f32).StF32(ys[1])
		return
	}
	p.StF32s(ys...)
}
