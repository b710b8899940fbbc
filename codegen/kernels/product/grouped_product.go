package product

import "dsac/codegen"

// grouping is a grouped kernel while the product of one list of pairs is emitted. Held tiles
// are numbered weights first: per tiles of each.
type grouping struct {
	*finder
	b    bound
	st   stage
	mem  codegen.Ptr
	from []source // per held tile
	acc  [][]*codegen.Var[codegen.F32]
	x    feeder

	thread codegen.I32
	tile   codegen.I32 // the warp's first
}

// multiply emits the product with the n pairs of the list. A block that meets a magnitude that
// f16 cannot be trusted with knows it after its first tiles, and starts again with factors.
func (f *finder) multiply(n codegen.I32, mem codegen.Ptr) {
	k, g := f.k, f.grouped
	e := grouping{finder: f, b: f.bound(n), mem: mem}
	e.st = stage{job: g.job, b: e.b, slots: g.slots, limit: g.slots, threads: g.threads(), counts: k.BlockX().Eq(0)}
	e.st.place(mem.At(g.stageAt()))
	for range g.per * len(g.weights) {
		e.acc = append(e.acc, codegen.Lets(4*g.groups(), k.F32(0)))
	}
	e.x = e.newFeeder()
	e.st.reset(k)
	e.put(f.phase, inexact)
	k.Sync()
	k.While(func() codegen.Pred { return f.phase.LdI32().Lt(finished) }, func() {
		e.locate()
		e.makeSources()
		e.start()
		e.eachTurn(func() codegen.Pred {
			e.pass()
			k.If(e.again().Not(), e.finish)
			return e.again()
		})
		if e.ahead > 0 {
			k.CopyWait(0)
		}
		k.IfElse(e.again(), func() {
			e.st.exact(k)
			e.put(f.phase, exact)
		}, func() {
			k.Sync()
			e.put(f.phase, finished)
		})
		k.Sync()
	})
}

// Phases of a product, kept in shared memory.
const (
	inexact = iota // factors are 1
	exact          // they are what the rows need
	finished
)

// again says whether another phase has to follow.
func (e *grouping) again() codegen.Pred { return e.phase.LdI32().Eq(inexact).And(e.st.flagged(e.k)) }

// put sets a number in shared memory. A barrier must follow.
func (e *grouping) put(p codegen.Ptr, x int) {
	e.k.If(e.k.Thread().Eq(0), func() { p.StI32(e.k.I32(x)) })
}

// locate finds out where the warp is. It is done anew wherever it is needed, and what is made
// of it need not wait in registers in between.
func (e *grouping) locate() {
	e.thread = e.k.Thread().Here()
	e.tile = e.k.BlockX().Mul(e.warps).Add(e.thread.Shr(5)).Mul(e.per * e.turns)
}

// now returns the turn.
func (e *grouping) now() codegen.I32 {
	if e.turns == 1 {
		return e.k.I32(0)
	}
	return e.turn.LdI32()
}

// eachTurn calls body for the turns, until it returns true.
func (e *grouping) eachTurn(body func() codegen.Pred) {
	k, turn := e.k, e.turn
	if e.turns == 1 {
		body()
		return
	}
	e.put(turn, 0)
	k.Sync()
	k.While(func() codegen.Pred { return turn.LdI32().Lt(e.turns) }, func() {
		stop := body()
		next := codegen.Select(stop, k.I32(e.turns), turn.LdI32().Add(1))
		k.Sync()
		k.If(k.Thread().Eq(0), func() { turn.StI32(next) })
		k.Sync()
	})
}

func (g *grouped) groups() int { return g.slots / 8 }

// weight returns the weight of a held tile.
func (g *grouped) weight(held int) *weight { return g.weights[held%len(g.weights)] }

// tileOf returns a held tile in a turn.
func (e *grouping) tileOf(held int, turn codegen.I32) codegen.I32 {
	return e.tile.Add(held / len(e.weights) * e.turns).Add(turn)
}

// makeSources gives the warp its rings, one behind the other, or what it has in their place.
func (e *grouping) makeSources() {
	e.from = nil
	p := e.mem.Elem(e.thread.Shr(5), e.ringBytes())
	for held := range e.per * len(e.weights) {
		w := e.weight(held)
		matrix := e.k.Arg(e.args[held%len(e.weights)]).Elem(e.expert, w.tiles()*w.units()*w.layout.UnitBytes)
		if e.ahead == 0 {
			e.from = append(e.from, newDirect(e.k, w, matrix))
			continue
		}
		n := w.ringUnits(e.ahead)
		e.from = append(e.from, newRing(e.k, w, n, matrix, p))
		p = p.At(n * w.slotBytes())
	}
}

// start asks for the first weights and stages the first columns.
func (e *grouping) start() {
	turn := e.k.I32(0)
	for u := range e.ringUnits() {
		for c := range e.chunks() {
			e.ask(turn, e.k.I32(u), c)
		}
	}
	if e.ahead == 0 {
		e.ask(turn, e.k.I32(0), 0)
	}
	e.x.start()
	e.k.Sync()
}

// ringUnits returns the slots of each ring.
func (g *grouped) ringUnits() int { return g.weights[0].ringUnits(g.ahead) }

// ask asks for a chunk of every held tile: of a unit counted from the first of a turn's tile.
func (e *grouping) ask(turn, unit codegen.I32, c int) {
	for held, s := range e.from {
		s.ask(e.tileOf(held, turn).Mul(e.segUnits()).Add(unit), c)
	}
	if e.ahead > 0 {
		e.k.CopyCommit()
	}
}
