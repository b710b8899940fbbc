package product

import (
	"slices"

	"dsac/codegen"
)

// operands are the A operands of a held tile. The words of the next parts are on their way while
// one is multiplied.
type operands struct {
	*weight
	e     *tiling
	base  codegen.Ptr // of the tile
	loads tiledLoads
	words []codegen.I32                 // of the part
	held  []*codegen.Var[codegen.I32]   // of the unit, for the next one: by word, nil for others
	each  [][]*codegen.Var[codegen.I32] // of the next parts, in turn
	step  func(step int) [4]codegen.I32
}

// operands returns those of a held tile of a matrix, the first words on their way.
func (e *tiling) operands(held int, matrix codegen.I32) *operands {
	m := len(e.weights)
	w := e.weights[held%m]
	tile := e.tile.Add(held / m)
	if e.down == 0 {
		tile = tile.UMin(w.tiles() - 1)
	}
	tile = matrix.Mul(w.tiles()).Add(tile)
	o := &operands{weight: w, e: e, base: w.at(e.k.Arg(e.args[held%m]), tile, e.k.I32(0)), loads: w.tiled(),
		words: make([]codegen.I32, w.words())}
	o.held = make([]*codegen.Var[codegen.I32], w.words())
	zero := e.k.I32(0)
	o.loadHeld(zero, func(i int, x codegen.I32) { o.held[i] = codegen.Let(x) })
	for part := range e.ahead() {
		vars := make([]*codegen.Var[codegen.I32], w.words())
		o.send(zero, e.k.I32(part), func(i int, x codegen.I32) { vars[i] = codegen.Let(x) })
		o.each = append(o.each, vars)
	}
	return o
}

// ahead is the number of parts whose words are on their way: one takes less time than memory does.
// Parts take turns with as many sets of registers, of which the largest tiles leave few.
func (t *tiled) ahead() int {
	if t.registers() >= 140 { // with more than this some spill
		return 1
	}
	return 2
}

// registers are those that live all the time.
func (t *tiled) registers() (n int) {
	for held := range t.held() {
		l := t.weights[held%len(t.weights)].tiled()
		n += 4 * t.groups()
		for _, h := range l.held {
			n += h.words
		}
		for _, e := range l.each {
			n += 2 * e.words
		}
	}
	return n
}

// unit is the number of a share's unit in a round.
func (o *operands) unit(round codegen.I32) codegen.I32 {
	return round.Mul(o.e.split).Add(o.e.share).UMin(o.units() - 1)
}

func (o *operands) loadHeld(round codegen.I32, set func(i int, x codegen.I32)) {
	p := o.base.Elem(o.unit(round), o.layout.UnitBytes).ReadOnly()
	for _, l := range o.loads.held {
		for i, x := range l.load(o.e.k, p) {
			set(l.to+i, x)
		}
	}
}

// load loads the words of a part of a unit.
func (o *operands) load(l *partLoad, unit, place codegen.I32) []codegen.I32 {
	at := unit.Mul(o.layout.UnitBytes / l.size()).Add(place)
	last := (o.units()*o.layout.UnitBytes-l.at)/l.size() - 1
	return o.base.At(l.at).Elem(at.UMin(last), l.size()).ReadOnly().LdI32s(l.words)
}

// start begins with a half of a unit of four chunks, or with a unit of one. The words of the
// next unit are sent for when those of this one are no longer needed.
func (o *operands) start(round codegen.I32, half int) {
	last := o.chunks() == 1 || half == 1
	for i, v := range o.held {
		if v != nil && half == 0 {
			o.words[i] = v.Get()
		}
	}
	switch {
	case o.loads.half != nil:
		o.step = o.loads.half(o.e.k, o.words, half)
	case !o.loads.open && half == 0:
		o.step = o.open(o.e.k, o.words)
	}
	if last {
		o.loadHeld(round.Add(1), func(i int, x codegen.I32) { o.held[i].Set(x) })
	}
}

// take makes the operands of a part, whose words are those of a turn.
func (o *operands) take(half int, chunk codegen.I32, turn int) (a [2][4]codegen.I32) {
	for _, l := range o.loads.each {
		for i := range l.words {
			o.words[l.to+half*l.toHalf+i] = o.each[turn][l.to+i].Get()
		}
	}
	if o.loads.open {
		words := slices.Clone(o.words)
		for _, i := range o.loads.late {
			words[i] = words[i].Shr(chunk.Shr(1).Mul(8))
		}
		o.step = o.open(o.e.k, words)
	}
	return [2][4]codegen.I32{o.step(2 * half), o.step(2*half + 1)}
}

// next sends for the words of the part that has the turn after this one.
func (o *operands) next(half int, chunk, round codegen.I32, turn int) {
	if len(o.loads.each) == 0 {
		return
	}
	part := chunk.Add(half*o.chunks() + o.e.ahead())
	o.send(round, part, func(i int, x codegen.I32) { o.each[turn][i].Set(x) })
}

// send loads the words of a part, counted from the first of a round's unit into the units after
// it: half 0 of all chunks, then half 1.
func (o *operands) send(round, part codegen.I32, set func(i int, x codegen.I32)) {
	parts := 2 * o.chunks()
	unit := o.unit(round.Add(part.UDiv(parts)))
	part = part.URem(parts)
	half, chunk := part.UDiv(o.chunks()), part.URem(o.chunks())
	for _, l := range o.loads.each {
		for i, x := range o.load(&l, unit, l.place(o.e.k, half, chunk)) {
			set(l.to+i, x)
		}
	}
}
