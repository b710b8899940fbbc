package product

import "dsac/codegen"

// plain is the kernel for f32 weights, which lie as in the file: routers and small projections
// that a model keeps exact. It multiplies in f32. A block has a few weight rows and a few rows
// of x; its warps share the columns and add up in a fixed order.
//
//	grid: x = rows of x, y = weight rows, z = batches
type plain struct {
	*job
	down, right int // weight rows and rows of x of a block
}

const plainWarps = 8

func newPlain(j *job) plain {
	p := plain{job: j, down: 1, right: min(8, pow2(j.rows))}
	for p.down < 8/len(j.weights) && p.blocks() >= 8*sms(j.spec.Target) {
		p.down *= 2
	}
	return p
}

func (p *plain) blocks() int  { return ceilDiv(p.rows, p.right) * ceilDiv(p.outs(), p.down) * p.batch }
func (p *plain) threads() int { return 32 * plainWarps }

// sums are those of a block: by weight, weight row, row of x.
func (p *plain) sums() int { return len(p.weights) * p.down * p.right }

func (p *plain) launch() codegen.Launch {
	l := codegen.Line(ceilDiv(p.rows, p.right), p.threads())
	l.Grid[1], l.Grid[2] = uint32(ceilDiv(p.outs(), p.down)), uint32(p.batch)
	return l
}

func (p *plain) emit(k *codegen.K) {
	k.MinBlocks(1)
	b := p.bind(k, k.BlockZ())
	first, col := k.BlockX().Mul(p.right), k.BlockY().Mul(p.down)
	k.ReturnIf(first.Ge(b.live))
	sums := codegen.Lets(p.sums(), k.F32(0))
	for seg := range p.segs {
		p.segment(k, b, first, col, seg, sums)
	}
	part := k.Shared("sums", plainWarps*p.sums()*f32)
	for i, v := range sums {
		total := k.WarpSum(v.Get())
		k.If(k.Lane().Eq(0), func() { part.Elem(k.Warp(), p.sums()*f32).At(i * f32).StF32(total) })
	}
	k.Sync()
	each := p.down * p.right
	k.If(k.Thread().Lt(each), func() {
		v := make([]codegen.F32, len(p.weights))
		for i := range v {
			at := part.Elem(k.Thread().UMin(each-1), f32).At(i * each * f32)
			v[i] = at.LdF32()
			for w := 1; w < plainWarps; w++ {
				v[i] = v[i].Add(at.At(w * p.sums() * f32).LdF32())
			}
		}
		r, c := first.Add(k.Thread().And(p.right-1)), col.Add(k.Thread().UDiv(p.right))
		ok := r.Lt(b.live).And(c.Lt(p.outs()))
		b.store(r.Min(p.rows-1), c.Clamp(0, p.outs()-1), ok, p.value(v))
	})
}

// segment adds up the columns of a segment that are this thread's.
func (p *plain) segment(k *codegen.K, b bound, first, col codegen.I32, seg int, sums []*codegen.Var[codegen.F32]) {
	vec := 1
	if p.wide && p.cols()%4 == 0 {
		vec = 4
	}
	matrix := b.matrix(k.I32(seg))
	var w, x []codegen.Ptr
	for i := range p.weights {
		for d := range p.down {
			row := matrix.Mul(p.outs()).Add(col.Add(d).Min(p.outs() - 1))
			w = append(w, k.Arg(p.args[i]).Elem(row, p.cols()*f32).ReadOnly())
		}
	}
	gains := make([]codegen.F32, p.right)
	for r := range p.right {
		n := first.Add(r).Min(b.live.Sub(1)).Clamp(0, p.rows-1)
		x = append(x, b.row(n).Elem(seg, p.cols()*f32).Fixed())
		if b.gain != nil {
			gains[r] = b.gain(n, k.I32(seg))
		}
	}
	k.For(k.Thread().Mul(vec), p.cols(), p.threads()*vec, func(c codegen.I32) {
		c = c.UMin(p.cols() - vec) // as it is; says so to the checker
		ws, xs := loads(w, c, vec), loads(x, c, vec)
		for r, xv := range xs {
			if b.gain != nil {
				for e := range xv {
					xv[e] = xv[e].Mul(gains[r])
				}
			}
			for i, wv := range ws {
				s := sums[i*p.right+r]
				for e := range xv {
					s.Set(wv[e].Fma(xv[e], s.Get()))
				}
			}
		}
	})
}

// loads reads vec elements from column c of every row.
func loads(rows []codegen.Ptr, c codegen.I32, vec int) (out [][]codegen.F32) {
	for _, p := range rows {
		out = append(out, p.Elem(c, f32).LdF32s(vec))
	}
	return out
}
