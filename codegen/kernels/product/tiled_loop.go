package product

import "dsac/codegen"

// tiling is a tiled kernel while it is emitted.
type tiling struct {
	*tiled
	k      *codegen.K
	b      bound
	feed   feed
	halves halfBlocks
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
	e.halves = e.newHalves()
	e.feed = e.newFeed(mem)
	e.feed.fill()
	e.halves.begin()
	k.For(0, e.rounds(), 1, func(round codegen.I32) {
		for i := range e.stages() {
			e.stage(round, i)
		}
	})
	e.halves.end()
	k.CopyWait(0)
	k.Sync()
}

// stage multiplies stage i of a round, while those after it are brought.
func (e *tiling) stage(round codegen.I32, i int) {
	k := e.k
	e.feed.next()
	for _, o := range e.ops {
		o.start(round, i)
	}
	if !e.weights[0].spread() {
		for half := range 2 {
			e.feed.meet()
			p := tilePart{half, k.I32(0), k.I32(half), half % e.ahead()}
			e.feed.send(round, i, p.at)
			e.multiply(p.at, e.operandsOf(p, round), nil)
		}
		return
	}
	k.For(0, 4, 2, func(chunk codegen.I32) {
		e.feed.meet()
		first := tilePart{i, chunk, chunk, 0}
		second := tilePart{i, chunk.Add(1), chunk.Add(1), 1 % e.ahead()}
		a := e.operandsOf(first, round)
		e.feed.send(round, i, first.at)
		b := make([][2][4]codegen.I32, len(e.ops))
		e.multiply(first.at, a, func(held int) { b[held] = e.ops[held].make(second, round) })
		e.feed.send(round, i, second.at)
		e.multiply(second.at, b, nil)
	})
}

// tilePart is half a chunk of a unit.
type tilePart struct {
	half      int
	chunk, at codegen.I32 // at: its number in the stage
	turn      int         // whose words it has
}

// operandsOf makes the operands of a part.
func (e *tiling) operandsOf(p tilePart, round codegen.I32) (a [][2][4]codegen.I32) {
	for _, o := range e.ops {
		a = append(a, o.make(p, round))
	}
	return a
}

// multiply multiplies part number at of the stage. Groups of rows that may be left out come first;
// then, in between, the next operands are made, if next is not nil: behind the branches an assembler would
// make them in one go, while there is nothing to multiply.
func (e *tiling) multiply(at codegen.I32, a [][2][4]codegen.I32, next func(held int)) {
	b := e.feed.operands(at)
	for from := e.guard; from < e.groups(); from += e.guard {
		e.k.If(e.b.live.Gt(8*from), func() { e.section(b, from, min(e.groups(), from+e.guard), a, nil) })
	}
	e.section(b, 0, min(e.groups(), e.guard), a, next)
}

// section multiplies with groups [from, to) of eight rows of x, some at a time, so that products
// which add to the same sums are not neighbours.
func (e *tiling) section(b codegen.Ptr, from, to int, a [][2][4]codegen.I32, next func(held int)) {
	some := max(1, 4/len(a))
	made := 0
	if next == nil {
		made = len(a)
	}
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
		if made < len(a) {
			next(made)
			made++
		}
	}
	for ; made < len(a); made++ {
		next(made)
	}
}
