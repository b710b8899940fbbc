package product

import "dsac/codegen"

// finish adds up the sums of the shares and stores the results, each lane its own, eight rows
// of x at a time.
func (e *tiling) finish(mem codegen.Ptr) {
	e.gather(mem)
	all := func() {
		for group := range e.groups() {
			e.k.If(e.b.live.Gt(8*group), func() { e.store(group) })
		}
	}
	if e.split == 1 {
		all()
		return
	}
	e.k.If(e.share.Eq(0), all)
}

// gather brings the sums of the other shares to the first, in order.
func (e *tiling) gather(mem codegen.Ptr) {
	if e.split == 1 {
		return
	}
	k := e.k
	threads := e.threads() / e.split
	// By share, four sums and thread, so that the lanes' 16 bytes are neighbours.
	lane := k.Warp().UDiv(e.split).Mul(32).Add(k.Lane())
	place := func(share, held, group int) codegen.Ptr {
		return mem.Elem(lane, 4*f32).At(((share-1)*e.held()*e.groups() + held*e.groups() + group) * threads * 4 * f32)
	}
	for share := 1; share < e.split; share++ {
		k.If(e.share.Eq(share), func() {
			for held, sums := range e.acc {
				for group := range e.groups() {
					var v [4]codegen.F32
					for i := range v {
						v[i] = sums[4*group+i].Get()
					}
					place(share, held, group).StF32x4(v)
				}
			}
		})
	}
	k.Sync()
	k.If(e.share.Eq(0), func() {
		for share := 1; share < e.split; share++ {
			for held, sums := range e.acc {
				for group := range e.groups() {
					for i, v := range place(share, held, group).LdF32x4() {
						sums[4*group+i].Set(sums[4*group+i].Get().Add(v))
					}
				}
			}
		}
	})
}

// result is one on its way to memory.
type result struct {
	n, col codegen.I32
	ok     codegen.Pred
	v      codegen.F32
}

// results are the sums at one place of each weight, times what undoes the scaling of their row.
func results(acc [][]*codegen.Var[codegen.F32], at int, scale codegen.F32) []codegen.F32 {
	v := make([]codegen.F32, len(acc))
	for i := range v {
		v[i] = acc[i][at].Get().Mul(scale)
	}
	return v
}

// store stores the results of eight rows of x.
func (e *tiling) store(group int) {
	k, m := e.k, len(e.weights)
	g, t := k.Lane().Shr(2), k.Lane().And(3)
	var rs []result
	for odd := range 2 {
		n := t.Mul(2).Add(8*group + odd)
		scale := e.scales.Elem(n, f32).LdF32()
		for p := range e.per {
			for down := range 2 {
				v := results(e.acc[p*m:][:m], 4*group+2*down+odd, scale)
				col := e.tile.Add(p).Mul(tileRows).Add(g).Add(8 * down)
				ok := n.Lt(e.b.live)
				if e.outs()%(e.tilesDown()*tileRows) != 0 {
					ok = ok.And(col.Lt(e.outs()))
				}
				rs = append(rs, result{n, col.Min(e.height(k).Sub(1)), ok, e.value(v)})
			}
		}
	}
	if e.b.old == nil {
		for _, r := range rs {
			e.b.store(r.n, r.col, r.ok, r.v)
		}
		return
	}
	for i, r := range rs { // all of them on their way before the first store
		rs[i].v = e.b.old(r.n, r.col, r.ok).Add(r.v)
	}
	for _, r := range rs {
		e.b.set(r.n, r.col, r.ok, r.v)
	}
}
