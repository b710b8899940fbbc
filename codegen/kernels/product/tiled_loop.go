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
	if !e.weights[0].spread() {
		for _, o := range e.ops {
			o.start(round, 0)
		}
		for half := range 2 {
			e.part(data, half, k.I32(0), k.I32(half), round, half%e.ahead())
		}
		e.feed.end()
		return
	}
	for _, o := range e.ops {
		o.start(round, i)
	}
	k.For(0, 4, e.ahead(), func(chunk codegen.I32) {
		for turn := range e.ahead() {
			e.part(data, i, chunk.Add(turn), chunk.Add(turn), round, turn)
		}
	})
	e.feed.end()
}

// part multiplies a part of a unit, part number at of its stage. turn says whose words it has.
func (e *tiling) part(data codegen.Ptr, half int, chunk, at, round codegen.I32, turn int) {
	a := make([][2][4]codegen.I32, len(e.ops))
	for held, o := range e.ops {
		a[held] = o.take(half, chunk, turn)
	}
	for _, o := range e.ops {
		o.next(half, chunk, round, turn)
	}
	e.feed.send(at)
	b := e.feed.operands(data, at)
	for from := 0; from < e.groups(); from += e.guard {
		section := func() { e.section(b, from, min(e.groups(), from+e.guard), a) }
		if from == 0 {
			section()
		} else {
			e.k.If(e.b.live.Gt(8*from), section)
		}
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
