package product

import (
	"dsac/codegen"
	"dsac/runtime/plan"
)

// grouping is a grouped kernel while the product of one list of pairs is emitted. Held tiles
// are numbered weights first: per tiles of each.
type grouping struct {
	*finder
	b      bound
	mem    codegen.Ptr
	scales codegen.Ptr // shared: of the rows of x
	from   []source    // per held tile
	acc    [][]*codegen.Var[codegen.F32]
	x      feeder

	thread codegen.I32
	tile   codegen.I32 // the warp's first
}

// multiply emits the product with the n pairs of the list.
func (f *finder) multiply(n codegen.I32, mem codegen.Ptr) {
	k, g := f.k, f.grouped
	e := grouping{finder: f, b: f.bound(n), mem: mem, scales: mem.At(g.scalesAt())}
	for range g.per * len(g.weights) {
		e.acc = append(e.acc, codegen.Lets(4*g.groups(), k.F32(0)))
	}
	k.Each(k.Thread(), g.threads(), g.slots, func(r codegen.I32) {
		e.scales.Elem(r, f32).StF32(e.b.row(r).At(plan.HalfScale(g.cols()) * plan.HalfBytes).LdF32())
	})
	e.x = e.newFeeder()
	e.locate()
	e.makeSources()
	e.start()
	e.eachTurn(func() {
		e.pass()
		e.finish()
	})
	k.CopyWait(0)
}

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

// eachTurn calls body for the turns.
func (e *grouping) eachTurn(body func()) {
	k, turn := e.k, e.turn
	if e.turns == 1 {
		body()
		return
	}
	e.put(turn, 0)
	k.Sync()
	k.While(func() codegen.Pred { return turn.LdI32().Lt(e.turns) }, func() {
		body()
		next := turn.LdI32().Add(1)
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

// start asks for the first columns and weights, and waits for the columns.
func (e *grouping) start() {
	turn, groups := e.k.I32(0), e.ringUnits()*e.chunks()
	e.x.send(turn)
	for u := range e.ringUnits() {
		for c := range e.chunks() {
			e.ask(turn, e.k.I32(u), c)
		}
	}
	if e.ahead == 0 {
		e.k.CopyCommit()
		e.ask(turn, e.k.I32(0), 0)
	}
	e.k.CopyWait(max(0, groups-1)) // the columns are in the first group
	e.x.which.Set(e.x.which.Get().Xor(1))
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
