package product

import "dsac/codegen"

// chunks returns the chunks of a unit, body those that the loop over columns takes at once.
func (g *grouped) chunks() int { return g.weights[0].chunks() }
func (g *grouped) body() int   { return max(g.chunks(), g.stride) }

// pass multiplies one tile of each stretch with all columns; the next columns and weights,
// those of the next turn at the end, are on their way.
func (e *grouping) pass() {
	k, turn := e.k, e.now()
	e.locate()
	for _, held := range e.acc {
		for _, v := range held {
			v.Set(k.F32(0))
		}
	}
	k.For(0, e.segChunks(), e.body(), func(c0 codegen.I32) {
		if e.piped {
			e.pipe(turn, c0)
			return
		}
		var now []opened
		for j := range e.body() {
			c := j % e.chunks()
			unit := c0.Add(j).UDiv(e.chunks())
			if c == 0 {
				now = e.open()
			}
			if j%e.stride == 0 {
				e.x.begin(c0.Add(j))
			}
			e.read(turn, unit, c, now)
			e.chunk(c, j%e.stride, now)
			if (j+1)%e.stride == 0 {
				e.x.end()
			}
		}
	})
}

// opened is a unit of a held tile, as far as it has been read.
type opened struct {
	words []codegen.I32
	step  func(step int) [4]codegen.I32
}

// open makes room for the words of a unit of each held tile.
func (e *grouping) open() (now []opened) {
	for held := range e.from {
		now = append(now, opened{words: make([]codegen.I32, e.weight(held).words())})
	}
	return now
}

// read takes chunk c of a unit, and asks for what comes in its place.
func (e *grouping) read(turn, unit codegen.I32, c int, now []opened) {
	if e.ahead > 0 {
		e.k.CopyWait(e.ringUnits()*e.chunks() - 1)
	}
	for held, s := range e.from {
		s.read(e.tileOf(held, turn).Mul(e.segUnits()).Add(unit), c, now[held].words)
		if c == 0 {
			now[held].step = e.weight(held).openQuick(e.k, now[held].words)
		}
	}
	switch {
	case e.ahead > 0:
		e.ask(turn, unit.Add(e.ringUnits()), c)
	case c+1 < e.chunks():
		e.ask(turn, unit, c+1)
	default:
		e.ask(turn, unit.Add(1), 0)
	}
}

// chunk multiplies chunk c of a unit, chunk in of its stride, in two halves. Operands of x are
// loaded ahead of their product.
func (e *grouping) chunk(c, in int, now []opened) {
	for h := range 2 {
		b := e.x.operands(in, h, 0)
		a := make([][2][4]codegen.I32, len(now))
		for held, o := range now {
			a[held] = [2][4]codegen.I32{o.step(4*c + 2*h), o.step(4*c + 2*h + 1)}
		}
		for from := 0; from < e.groups(); from += together {
			mine := b
			b = e.x.operands(in, h, from+together)
			if from == 0 {
				e.some(from, a, mine)
				continue
			}
			e.k.If(e.x.there(from), func() { e.some(from, a, mine) })
		}
	}
}

// together is the number of groups of eight rows that are multiplied together, or left out.
const together = 2

// some multiplies half a chunk with some groups of eight rows of x.
func (e *grouping) some(from int, a [][2][4]codegen.I32, b [][2][2]codegen.I32) {
	for s := range 2 {
		for group := range b {
			for held := range a {
				multiply(e.k, e.acc[held][4*(from+group):][:4], a[held][s], b[group][s])
			}
		}
	}
}

// finish stores the results of a turn, each lane its own, eight rows of x at a time.
func (e *grouping) finish() {
	k, m := e.k, len(e.weights)
	e.locate() // rows and addresses are the same in each turn, but too many to keep
	turn := e.now()
	g, t := e.thread.And(31).Shr(2), e.thread.And(3)
	for group := range e.groups() {
		k.If(e.x.there(group), func() {
			for odd := range 2 {
				n := t.Mul(2).Add(8*group + odd)
				scale := e.scales.Elem(n, f32).LdF32()
				for p := range e.per {
					for down := range 2 {
						v := results(e.acc[p*m:][:m], 4*group+2*down+odd, scale)
						col := e.tileOf(p*m, turn).Mul(tileRows).Add(g).Add(8 * down)
						ok := n.Lt(e.b.live).And(col.Lt(e.outs()))
						e.b.store(n, col.Clamp(0, e.outs()-1), ok, e.value(v))
					}
				}
			}
		})
	}
}
