package product

import "dsac/codegen"

// sums are what a lane adds up of a tile: four numbers for each eight rows of x, in chains one
// after the other.
type sums []*codegen.Var[codegen.F32]

// rowGroups is the number of groups of eight rows of x.
func (s *stream) rowGroups() int { return max(1, s.slots/8) }

// chains is the number of sums that a warp adds up side by side for a tile and group: two where
// there would be nothing else to do while an mma is under way.
func (s *stream) chains() int {
	if len(s.weights)*s.rowGroups() == 1 {
		return 2
	}
	return 1
}

// numbers is how many sums a lane has of a tile of weight m.
func (s *stream) numbers(m int) int {
	if s.tellsApart(s.weights[m]) {
		return 2 * s.slots
	}
	return 4 * s.chains() * s.rowGroups()
}

// of returns the four sums of a chain.
func (e *streaming) of(all sums, group, chain int) sums { return all[4*(group*e.chains()+chain):][:4] }

// steps multiplies chunks, and calls used after each.
func (e *streaming) steps(operand func(step int) [4]codegen.I32, chunks int, chunk codegen.Ptr, to sums, used func(c int)) {
	x := e.x
	if len(e.weights) > 1 { // there are no registers to keep what is made of it
		x.off = x.off.Here()
	}
	for c := range chunks {
		at := chunk.At(c * e.slots * rowBytes)
		for h := range 2 {
			a := [2][4]codegen.I32{operand(4*c + 2*h), operand(4*c + 2*h + 1)}
			for group := range e.rowGroups() {
				for s, b := range x.load(at, c, group, h) {
					multiply(e.k, e.of(to, group, s%e.chains()), a[s], b)
				}
			}
		}
		used(c)
	}
}

// multiply adds a product to four sums.
func multiply(k *codegen.K, to sums, a [4]codegen.I32, b [2]codegen.I32) {
	c := [4]codegen.F32{to[0].Get(), to[1].Get(), to[2].Get(), to[3].Get()}
	for i, d := range k.MmaF16(a, b, c) {
		to[i].Set(d)
	}
}

// wholeUnit multiplies a unit whose scales are applied to sums.
func (e *streaming) wholeUnit(u *whole, chunk codegen.Ptr, at codegen.I32, to sums, used func(c int)) {
	codes := codegen.Lets(len(to), e.k.F32(0))
	u.prepare()
	a := u.minima()
	d, dmin := u.factors()
	e.steps(u.operand, 4, chunk, codes, used)
	for group := range e.rowGroups() {
		b := e.st.sums.Elem(at.Mul(e.slots), sumBytes).At(e.sumAt).At(group * 8 * sumBytes).LdI32x2()
		minima := codegen.Lets(4, e.k.F32(0))
		multiply(e.k, minima, a, b)
		for i, sum := range e.of(to, group, 0) {
			for chain := range e.chains() {
				sum.Set(e.of(codes, group, chain)[i].Get().Fma(d[i>>1], sum.Get()))
			}
			sum.Set(minima[i].Get().Fma(dmin[i>>1].Mul(-sumScale<<(24-19)), sum.Get()))
		}
	}
}

// part returns the address of a warp's sums of a held tile of weight m: slots rows of 16 numbers.
func (e *streaming) part(m int, held, warp codegen.I32) codegen.Ptr {
	p := e.parts
	if e.partsKept() > 1 {
		p = p.Elem(e.parity, e.partBytes())
	}
	p = p.Elem(held, len(e.weights)*e.warps*e.slots*tileRows*f32)
	return p.Elem(warp.Add(m*e.warps), e.slots*tileRows*f32)
}

// leave stores the warp's sums where the others find them, added to those of earlier windows.
func (e *streaming) leave(m int, held, lo codegen.I32, all sums) {
	if e.tellsApart(e.weights[m]) {
		e.leaveApart(m, held, lo, all)
		return
	}
	g, t := e.k.Lane().Shr(2), e.k.Lane().And(3)
	p := e.part(m, held, e.k.Warp()).Elem(g, f32)
	for i := range 4 * e.rowGroups() {
		v := e.of(all, i>>2, 0)[i&3].Get()
		if w := e.weights[m]; w.whole != nil {
			v = v.Mul(wholeScale)
		} else if e.chains() == 2 {
			v = v.Add(e.of(all, i>>2, 1)[i&3].Get())
		}
		n := t.Mul(2).Add(i>>2*8 + i&1)
		q := p.Elem(n, tileRows*f32).At(i >> 1 & 1 * 8 * f32)
		ok := e.k.Bool(true)
		if e.slots < 8 {
			ok = n.Lt(e.slots)
		}
		if !e.resident() {
			v = v.Add(q.When(ok.And(lo.Gt(0))).LdF32())
		}
		q.When(ok).StF32(v)
	}
}

// finish adds up the warps' sums and stores the results of a group. In a cluster the blocks give
// each other what they have first.
func (e *streaming) finish(group codegen.I32) {
	if e.cluster > 1 {
		e.exchange()
	}
	results := e.results()
	e.k.For(e.k.Thread(), results, e.threads(), func(o codegen.I32) {
		total := make([]codegen.F32, len(e.weights))
		for m := range total {
			if e.cluster > 1 {
				total[m] = e.received(m, o)
			} else {
				total[m] = e.total(m, e.place(o))
			}
		}
		at := e.place(o.Add(e.rank.Mul(results)))
		col := group.Mul(e.tiles()).Add(at.tile).Mul(tileRows).Add(at.row)
		ok := col.Lt(e.outs()).And(at.n.Lt(e.b.live))
		e.b.store(at.n.Min(e.rows-1), col.Clamp(0, e.outs()-1), ok, e.value(total))
	})
}

// results are those of a group that a block finishes.
func (s *stream) results() int { return s.tiles() * s.slots * tileRows / s.cluster }

// place is where a result of a group is.
type place struct{ row, n, tile codegen.I32 } // row of the tile, row of x, tile of the group

func (e *streaming) place(o codegen.I32) place {
	return place{o.And(tileRows - 1), o.Shr(4).And(e.slots - 1), o.UDiv(tileRows * e.slots)}
}

// total adds up the warps' sums for a result.
func (e *streaming) total(m int, at place) codegen.F32 {
	wr, held := at.tile, e.k.I32(0)
	if e.held > 1 {
		wr = at.tile.UDiv(e.held)
		held = at.tile.Sub(wr.Mul(e.held))
	}
	p := e.part(m, held, wr.Mul(e.split)).Elem(at.n, tileRows*f32).Elem(at.row, f32)
	total := p.LdF32()
	for w := 1; w < e.split; w++ {
		total = total.Add(p.At(w * e.slots * tileRows * f32).LdF32())
	}
	return total.Mul(e.st.inverse(at.n))
}
