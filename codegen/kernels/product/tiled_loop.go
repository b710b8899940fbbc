package product

import "dsac/codegen"

// tiling is a tiled kernel while it is emitted.
type tiling struct {
	*tiled
	k       *codegen.K
	b       bound
	st      stage
	feed    feed
	numbers codegen.Ptr // of the rows of x, in shared memory
	share   codegen.I32 // of this warp among those that share the columns
	tile    codegen.I32 // its first tile of weights
	acc     [][]*codegen.Var[codegen.F32]
}

// unitParts is the number of parts of a unit, see weight_tiled.go. Of a unit of four chunks half
// 0 of every chunk comes first, so that scales serve four parts and x comes in order.
func (t *tiled) unitParts() int { return 2 * t.weights[0].chunks() }

// parts is the number of parts of a share.
func (t *tiled) parts() int { return ceilDiv(t.segUnits(), t.split) * t.unitParts() }

// pass goes once through all columns.
func (e *tiling) pass(mem codegen.Ptr) {
	k := e.k
	ops := make([]*operands, e.held())
	for held := range ops {
		ops[held] = e.operands(held)
	}
	for _, o := range ops {
		o.prefetch(k.I32(0))
	}
	e.feed = e.newFeed(mem)
	e.feed.fill()
	for _, o := range ops {
		o.first()
	}
	for _, sums := range e.acc {
		for _, v := range sums {
			v.Set(k.F32(0))
		}
	}
	k.Sync()
	k.For(0, e.parts(), 1, func(n codegen.I32) {
		k.If(n.And(ahead-1).Eq(0), func() {
			for _, o := range ops {
				o.prefetch(n.Add(ahead))
			}
		})
		e.multiply(n, ops)
		if ops[0].kept != nil || ops[len(ops)-1].kept != nil {
			k.If(n.And(3).Eq(2), func() { // the part after the next is the first of another half
				for _, o := range ops {
					if o.kept != nil {
						o.keep(n.Add(2))
					}
				}
			})
		}
		k.If(n.And(e.stageParts()-1).Eq(e.stageParts()-1), func() {
			k.Sync()
			e.feed.turn(n.UDiv(e.stageParts()).Add(2))
		})
	})
	e.st.note(k, e.feed.most())
	k.Sync()
}

// cuts divides the groups of eight rows of x into three sections, of which the first has most to do
// besides.
func (t *tiled) cuts() [4]int {
	n := t.groups()
	return [4]int{0, (n + 1) / 2, n - n/4, n}
}

// multiply multiplies part n. Meanwhile the operands of the next part are made, and pieces of
// the next stage are loaded during the first section of the products and stored during the
// last. The branches between them leave out rows that are not there; they also keep ptxas from
// moving the stores ahead, and with them all else that they depend on.
func (e *tiling) multiply(n codegen.I32, ops []*operands) {
	a, next := make([][2][4]codegen.I32, len(ops)), make([][2][4]codegen.I32, len(ops))
	pieces := e.feed.bring(n)
	for held, o := range ops {
		a[held], next[held] = o.now(), o.next(n.Add(1))
		o.fetch(n.Add(2))
	}
	for held := range next {
		for s := range next[held] {
			for i, x := range next[held][s] {
				next[held][s][i] = x.Here()
			}
		}
	}
	b, cut := e.feed.operands(n), e.cuts()
	e.section(b, cut[0], cut[1], a)
	e.k.If(e.b.live.Gt(8*cut[1]), func() { e.section(b, cut[1], cut[2], a) })
	e.k.IfElse(e.b.live.Gt(8*cut[2]), func() {
		e.section(b, cut[2], cut[3], a)
		e.feed.put(pieces)
	}, func() { e.feed.put(pieces) })
	for held, o := range ops {
		o.set(next[held])
	}
}

// section multiplies with groups [from, to) of eight rows of x. Some groups at a time, so that
// products which add to the same sums are not neighbours.
func (e *tiling) section(b codegen.Ptr, from, to int, a [][2][4]codegen.I32) {
	some := max(1, 4/len(a))
	for ; from < to; from += some {
		end := min(to, from+some)
		var x [][2][2]codegen.I32
		for group := from; group < end; group++ {
			x = append(x, e.feed.load(b, group))
		}
		for s := range 2 {
			for group := from; group < end; group++ {
				for held := range a {
					multiply(e.k, e.acc[held][4*group:][:4], a[held][s], x[group-from][s])
				}
			}
		}
	}
}
