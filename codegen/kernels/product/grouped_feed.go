package product

import "dsac/codegen"

// feeder stages rows of x for a grouped kernel, a stride of chunks at a time, in one of two
// buffers:
//
//	chunk j, row n, run s: 16 bytes at (j*slots + n)*128 + 16*(s ^ 4*(n&1) ^ 8/stride*j)
//
// so that neither stores of neighbouring lanes nor 16-byte loads of operands meet in a bank. A
// thread moves a run of eight columns per round, loaded at the beginning of a half of a chunk
// and stored at the end of a later one.
type feeder struct {
	*grouping
	off   codegen.I32               // of the lane's operands of half 0 in chunk 0
	which *codegen.Var[codegen.I32] // buffer that is multiplied
	most  *codegen.Var[codegen.F32] // largest magnitude met

	next  codegen.I32 // first chunk of the stride that is on its way
	half  int         // of the stride that is multiplied
	ahead []flight
}

// flight is a run on its way, and the half at the end of which it is stored.
type flight struct {
	run
	until int
}

// runs are those of a row and stride, rounds the number of them that a thread moves.
func (g *grouped) runs() int   { return g.stride * chunkCols / runCols }
func (g *grouped) rounds() int { return ceilDiv(g.slots*g.runs(), g.threads()) }
func (g *grouped) halves() int { return 2 * g.stride }

func (e *grouping) newFeeder() feeder {
	k := e.k
	return feeder{grouping: e, off: e.st.reader(k).off, which: codegen.Let(k.I32(0)), most: codegen.Let(k.F32(0))}
}

// row returns the row of this thread's run of a round.
func (x *feeder) row(round int) codegen.I32 {
	return x.k.Thread().Add(round * x.threads()).UDiv(x.runs())
}

// start stages the first stride.
func (x *feeder) start() {
	x.next = x.k.I32(0)
	for r := range x.rounds() {
		run := x.read(r, x.which.Get())
		x.put(&run)
	}
}

// begin says that the stride at chunk c0 is multiplied from now on: the one after it comes, at
// the end the first.
func (x *feeder) begin(c0 codegen.I32) {
	next := c0.Add(x.stride)
	x.next = codegen.Select(next.Lt(x.segChunks()), next, x.k.I32(0))
	x.half = 0
}

// load starts on the rounds of this half: all come in the first half of the stride, and have
// half of it to arrive.
func (x *feeder) load() {
	apart := x.halves() / 2
	for r := range x.rounds() {
		if r*apart/x.rounds() == x.half {
			x.ahead = append(x.ahead, flight{x.read(r, x.which.Get().Xor(1)), x.half + apart})
		}
	}
}

// store stages the runs that were loaded long enough ago.
func (x *feeder) store() {
	for len(x.ahead) > 0 && x.ahead[0].until <= x.half {
		x.put(&x.ahead[0].run)
		x.ahead = x.ahead[1:]
	}
	x.half++
}

// end turns to the stride that was on its way. A barrier must follow.
func (x *feeder) end() {
	if len(x.ahead) > 0 || x.half != x.halves() {
		panic("BUG: a stride of x is incomplete")
	}
	x.which.Set(x.which.Get().Xor(1))
}

// read starts loading a round of the next stride, for buffer which.
func (x *feeder) read(round int, which codegen.I32) (r run) {
	k := x.k
	j := k.Thread().And(x.runs() - 1)
	chunk, slot, src := j.Shr(3), j.And(7), x.next.Shl(3).Add(j)
	if x.weights[0].spread() {
		chunk, slot = j.And(x.stride-1), j.UDiv(x.stride)
		unit := x.next.Shl(3) // its first run
		if x.stride < 4 {
			unit = x.next.Shr(2).Mul(28).Add(x.next)
		}
		src = unit.Add(slot.Shl(2)).Add(chunk)
	}
	r.n = x.row(round).Here()
	inside := k.Bool(true)
	if x.slots*x.runs()%x.threads() != 0 {
		inside = r.n.Lt(x.slots)
		r.n = r.n.UMin(x.slots - 1)
	}
	slot = slot.Xor(r.n.And(1).Shl(2)).Xor(chunk.Mul(8 / x.stride).And(7))
	r.to = x.buffer(which).Elem(chunk.Mul(x.slots).Add(r.n), rowBytes).Elem(slot, 16).When(inside)
	x.st.read(k, &r, src, inside)
	return r
}

// put stages a run.
func (x *feeder) put(r *run) { x.most.Set(x.st.put(x.k, r, x.most.Get())) }

// buffer returns where a stride is staged.
func (x *feeder) buffer(which codegen.I32) codegen.Ptr {
	return x.mem.At(x.allRings()).Elem(which, x.bufBytes())
}

// operands returns the B operands of half h of chunk j of the stride for the groups of eight
// rows that go together, from group from on. Early ones are loaded where this stands, if there
// is a row in them; others may be moved to where they are used.
func (x *feeder) operands(j, h, from int) (b [][2][2]codegen.I32) {
	at := x.buffer(x.which.Get()).At(x.off.Xor(16 * (4*h ^ 8/x.stride*j&7)))
	for group := from; group < min(from+together, x.groups()); group++ {
		p := at.At((j*x.slots + 8*group) * rowBytes)
		if x.early && from > 0 {
			p = p.When(x.there(from))
		}
		w := p.LdI32x4()
		b = append(b, [2][2]codegen.I32{{w[0], w[1]}, {w[2], w[3]}})
	}
	return b
}

// there says whether there are rows of x in a group of eight or after it.
func (x *feeder) there(group int) codegen.Pred { return x.b.live.Gt(8 * group) }
