package product

import (
	"dsac/codegen"
	"dsac/runtime/plan"
)

// feeder copies rows of x for a grouped kernel, a stride of chunks at a time, to one of two
// buffers. Run r of row n, counted in the order of memory, is 16 bytes at
//
//	(n*runs + (r ^ n&1 ^ 2*(r/8&1)))*16      where a unit is spread over four chunks
//	(n*runs + (r ^ n&1))*16                  over two
//	(n*runs + (r ^ 4*(n&1)))*16              otherwise
//
// so that the 16-byte loads of operands meet different banks, and 128 neighbouring bytes of a row
// stay together. The copies belong to the same group as those of the first weights that are asked
// for after them.
type feeder struct {
	*grouping
	off   codegen.I32               // of the lane's operands of half 0 in chunk 0
	which *codegen.Var[codegen.I32] // buffer that is multiplied
}

// runs are those of a row and stride, rounds the number of them that a thread copies.
func (g *grouped) runs() int   { return g.stride * chunkCols / runCols }
func (g *grouped) rounds() int { return ceilDiv(g.slots*g.runs(), g.threads()) }

func (e *grouping) newFeeder() feeder {
	k := e.k
	n, t := k.Lane().Shr(2), k.Lane().And(3)
	off := e.place(n, t.Mul(e.apart(0)))
	return feeder{grouping: e, off: off, which: codegen.Let(k.I32(1))}
}

// place is where run r of row n is in a buffer.
func (g *grouped) place(n, r codegen.I32) codegen.I32 {
	odd := n.And(1)
	switch {
	case g.weights[0].spread() && g.stride == 4:
		odd = odd.Xor(r.Shr(3).And(1).Shl(1))
	case !g.weights[0].spread() || g.stride == 1:
		odd = odd.Shl(2)
	}
	return n.Mul(g.runs()).Add(r.Xor(odd)).Mul(runBytes)
}

// apart is how far the runs of a chunk, or with by = 1 the chunks of a stride, are apart.
func (g *grouped) apart(by int) int {
	if g.weights[0].spread() {
		return []int{g.stride, 1}[by]
	}
	return []int{1, 8}[by]
}

// begin says that the stride at chunk c0 is multiplied from now on, and sends for the one after
// it, at the end for the first.
func (x *feeder) begin(c0 codegen.I32) {
	next := c0.Add(x.stride)
	x.send(codegen.Select(next.Lt(x.segChunks()), next, x.k.I32(0)))
	if x.ahead == 0 {
		x.k.CopyCommit()
	}
}

// end turns to the stride that was on its way. After its group there are those of the weights of
// the other chunks of a stride.
func (x *feeder) end() {
	others := x.stride - 1
	if x.ahead == 0 {
		others = 0
	}
	x.k.CopyWait(others)
	x.which.Set(x.which.Get().Xor(1))
	x.k.Sync()
}

// send starts copying the stride at chunk c0 to the buffer that is free.
func (x *feeder) send(c0 codegen.I32) {
	k := x.k
	to := x.buffer(x.which.Get().Xor(1))
	r := k.Thread().And(x.runs() - 1)
	src := c0.Shl(3).Add(r)
	if x.weights[0].spread() {
		src = c0.Shr(2).Shl(5).Add(c0.And(3)).Add(r.UDiv(x.stride).Shl(2)).Add(r.And(x.stride - 1))
	}
	src = src.UMin(plan.HalfWidth(x.cols())/runCols - 1)
	for round := range x.rounds() {
		n := k.Thread().Add(round * x.threads()).UDiv(x.runs())
		inside := k.Bool(true)
		if (round+1)*x.threads() > x.slots*x.runs() {
			inside = n.Lt(x.slots)
			n = n.UMin(x.slots - 1)
		}
		at := to.At(x.place(n, r))
		k.CopyAsync(at, x.b.row(n).Elem(src, runBytes).When(inside), runBytes)
	}
}

// buffer returns where a stride is staged.
func (x *feeder) buffer(which codegen.I32) codegen.Ptr {
	return x.mem.At(x.allRings()).Elem(which, x.bufBytes())
}

// operands returns the B operands of half h of chunk j of the stride for the groups of eight
// rows that go together, from group from on. Early ones are loaded where this stands, if there
// is a row in them; others may be moved to where they are used.
func (x *feeder) operands(j, h, from int) (b [][2][2]codegen.I32) {
	at := x.buffer(x.which.Get()).At(x.off.Xor(runBytes * (4*h*x.apart(0) + j*x.apart(1))))
	for group := from; group < min(from+together, x.groups()); group++ {
		p := at.At(8 * group * x.runs() * runBytes)
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
