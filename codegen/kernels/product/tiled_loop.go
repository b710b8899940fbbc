package product

import "dsac/codegen"

// tiling is a tiled kernel while it is emitted.
type tiling struct {
	*tiled
	k      *codegen.K
	b      bound
	feed   feed
	scales codegen.Ptr // of the rows of x, in shared memory
	share  codegen.I32 // of this warp among those that share the columns
	tile   codegen.I32 // its first tile of weights
	ops    []*operands // by held tile
	acc    [][]*codegen.Var[codegen.F32]
}

// rounds is the number of times that the loop goes through one unit for each share.
func (t *tiled) rounds() int { return ceilDiv(t.segUnits(), t.split) }

// pass goes through all columns.
func (e *tiling) pass(mem codegen.Ptr) {
	k := e.k
	e.feed = e.newFeed(mem)
	e.feed.fill()
	k.For(0, e.rounds(), 1, func(round codegen.I32) {
		for i := range e.stages() {
			e.stage(round, i)
		}
	})
	k.CopyWait(0)
	k.Sync()
}

// stage multiplies stage i of a round, while those after it are brought.
func (e *tiling) stage(round codegen.I32, i int) {
	k := e.k
	data := e.feed.next(round, i)
	for _, o := range e.ops {
		o.start(round, i)
	}
	chunks := func(chunk codegen.I32) {
		var parts []tilePart
		for n := range e.unroll() {
			parts = append(parts, tilePart{i, chunk.Add(n), chunk.Add(n), n % e.ahead()})
		}
		e.series(data, round, parts)
	}
	switch {
	case !e.weights[0].spread():
		e.series(data, round, []tilePart{{0, k.I32(0), k.I32(0), 0}, {1, k.I32(0), k.I32(1), 1 % e.ahead()}})
	case e.unroll() == 4: // constants
		chunks(k.I32(0))
	default:
		k.For(0, 4, e.unroll(), chunks)
	}
	e.feed.end()
}

// tilePart is a part of a unit, half a chunk.
type tilePart struct {
	half      int
	chunk, at codegen.I32 // at: its number in the stage
	turn      int         // whose words it has
}

// series multiplies parts one after the other. Where registers allow, the operands of the next are made
// ahead, so that products need not wait for them.
func (e *tiling) series(data codegen.Ptr, round codegen.I32, parts []tilePart) {
	early := e.early()
	a := e.operandsOf(parts[0], round)
	for n, p := range parts {
		e.feed.send(p.at)
		now, last := a, n+1 == len(parts)
		if early && !last {
			a = e.operandsOf(parts[n+1], round)
		}
		e.multiply(e.feed.operands(data, p.at), now, early)
		if !early && !last {
			a = e.operandsOf(parts[n+1], round)
		}
	}
}

// operandsOf makes the operands of a part, and sends for the words of those that have its turn next.
func (e *tiling) operandsOf(p tilePart, round codegen.I32) (a [][2][4]codegen.I32) {
	for _, o := range e.ops {
		a = append(a, o.take(p.half, p.chunk, p.turn))
	}
	for _, o := range e.ops {
		o.next(p.half, p.chunk, round, p.turn)
	}
	return a
}

// multiply multiplies with the rows of x whose operands are at b. Where the next operands are made
// early, the groups that may be left out come first: an assembler moves what is needed only behind
// a branch there.
func (e *tiling) multiply(b codegen.Ptr, a [][2][4]codegen.I32, early bool) {
	sure := func() { e.section(b, 0, min(e.groups(), e.guard), a) }
	if !early {
		sure()
	}
	for from := e.guard; from < e.groups(); from += e.guard {
		e.k.If(e.b.live.Gt(8*from), func() { e.section(b, from, min(e.groups(), from+e.guard), a) })
	}
	if early {
		sure()
	}
}

// section multiplies with groups [from, to) of eight rows of x, some at a time, so that products
// which add to the same sums are not neighbours.
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
