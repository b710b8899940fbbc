package product

import "dsac/codegen"

// feed moves rows of x to the shared memory of a tiled kernel, as f16. A stage is two or four
// parts of each share; there are two buffers. In a stage, run t or t+4 of part p and row n is 16
// bytes at
//
//	share*shareBytes + (p/2*slots + n)*128 + 16*((4*(p&1) + t) ^ 4*(n&1) ^ 2*(p/2))
//
// so that both the stores of neighbouring lanes and the 16-byte loads of the B operands meet
// different banks. A thread moves pieces of four columns, so that the lanes of a warp read one
// stretch of memory of one row, or of two.
type feed struct {
	*tiling
	mem     codegen.Ptr
	row     codegen.I32 // of this thread's first piece
	at      codegen.I32 // number of its pieces within the stage
	to      codegen.I32 // where its first piece goes within a buffer
	from    codegen.I32 // where the lane's B operands of part 0 are in a buffer, but for the group
	largest *codegen.Var[codegen.H2]
	next    []*codegen.Var[codegen.I32] // by share: number of this thread's pieces of the next stage, counted from the start of the row
}

// pieceCols are the columns of a piece: 16 bytes of x.
const pieceCols = 4

// piece is on its way from x.
type piece struct {
	x   [pieceCols]codegen.F32
	row codegen.I32
	to  codegen.Ptr
}

// stageParts is the number of parts of a stage: four if that fits, and there are two units of
// one chunk to take together.
func (t *tiled) stageParts() int {
	if t.span == 4 && (t.weights[0].spread() || t.split == 1 && t.segUnits()%2 == 0) {
		return 4
	}
	return 2
}

func (t *tiled) shareBytes() int { return t.stageParts() / 2 * t.slots * rowBytes }
func (t *tiled) bufBytes() int   { return t.split * t.shareBytes() }

// lanes is the number of threads that move a row's part of a stage and share together.
func (t *tiled) lanes() int { return t.stageParts() * chunkCols / 2 / pieceCols }

// rowsAtOnce is the rows of which all threads together move a stage with a piece each.
func (t *tiled) rowsAtOnce() int { return t.threads() / t.lanes() }

// pieces is the number of pieces of a thread, share and part.
func (t *tiled) pieces() int { return ceilDiv(t.slots, t.rowsAtOnce()*t.stageParts()) }

// ragged says whether the last units go beyond the columns of x.
func (t *tiled) ragged() bool {
	return t.cols() != t.parts()*t.split*chunkCols/2
}

// vector says whether a piece is one load.
func (t *tiled) vector() bool { return t.wide && t.cols()%pieceCols == 0 }

func (e *tiling) newFeed(mem codegen.Ptr) feed {
	k := e.k
	f := feed{tiling: e, mem: mem, largest: codegen.Let(k.I32(0).AsH2())}
	f.at = k.Thread().And(e.lanes() - 1)
	f.row = k.Thread().UDiv(e.lanes())
	i := f.at
	run, pair := i.Shr(1).And(7), i.Shr(4) // of a chunk in the buffer
	switch spread := e.weights[0].spread(); {
	case spread && e.stageParts() == 4: // 32 columns of run t: of each chunk eight
		run, pair = i.Shr(3).Add(i.Shr(1).And(1).Shl(2)), i.Shr(2).And(1)
	case spread: // of two chunks
		run, pair = i.Shr(2).Add(i.Shr(1).And(1).Shl(2)), k.I32(0)
		f.at = i.Shr(2).Mul(8).Add(i.And(3))
	}
	slot := run.Xor(f.row.And(1).Shl(2)).Xor(pair.Shl(1))
	f.to = pair.Mul(e.slots).Add(f.row).Mul(rowBytes).Add(slot.Shl(4)).Add(i.And(1).Shl(3))
	n, t := k.Lane().Shr(2), k.Lane().And(3)
	f.from = n.Mul(rowBytes).Add(t.Xor(n.And(1).Shl(2)).Shl(4))
	return f
}

// buffer is where a stage lies.
func (f *feed) buffer(stage codegen.I32) codegen.Ptr { return f.mem.Elem(stage.And(1), f.bufBytes()) }

// turn finds the pieces of this thread in a stage, the last one when there are fewer.
func (f *feed) turn(stage codegen.I32) {
	stage = stage.Min(f.parts()/f.stageParts() - 1)
	unit, first := f.weights[0].layout.UnitCols/pieceCols, stage.Mul(f.split*f.lanes())
	if f.weights[0].spread() {
		per := f.unitParts() / f.stageParts()
		first = stage.UDiv(per).Mul(f.split * unit)
		if in := stage.And(per - 1); per == 2 {
			first = first.Add(in.Mul(32))
		} else {
			first = first.Add(in.Shr(1).Mul(32)).Add(in.And(1).Mul(4))
		}
	}
	for share := range f.split {
		at := first.Add(f.at).Add(share * unit)
		if share == len(f.next) {
			f.next = append(f.next, codegen.Let(at))
		}
		f.next[share].Set(at)
	}
}

// fill brings the first stage, all of it at once.
func (f *feed) fill() {
	var ps []piece
	f.turn(f.k.I32(0))
	for part := range f.stageParts() {
		ps = append(ps, f.some(f.k.I32(part), f.mem)...)
	}
	f.put(ps)
	f.turn(f.k.I32(1))
}

// bring starts loading those pieces of the next stage that belong to part n of this one.
func (f *feed) bring(n codegen.I32) []piece {
	return f.some(n.And(f.stageParts()-1), f.buffer(n.UDiv(f.stageParts()).Add(1)))
}

// some starts loading the pieces of a stage that belong to one of its parts.
func (f *feed) some(part codegen.I32, buffer codegen.Ptr) (ps []piece) {
	row := part.Mul(f.pieces() * f.rowsAtOnce()).Add(f.row)
	to := buffer.At(f.to).Elem(part, f.pieces()*f.rowsAtOnce()*rowBytes)
	for share := range f.split {
		for i := range f.pieces() {
			p := piece{row: row.Add(i * f.rowsAtOnce())}
			p.to = to.At(share*f.shareBytes() + i*f.rowsAtOnce()*rowBytes)
			if f.pieces()*f.rowsAtOnce()*f.stageParts() != f.slots {
				p.to = p.to.When(p.row.Lt(f.slots))
				p.row = p.row.Min(f.slots - 1)
			}
			f.start(&p, f.next[share].Get())
			ps = append(ps, p)
		}
	}
	return ps
}

// start starts loading a piece.
func (f *feed) start(p *piece, at codegen.I32) {
	// The address is made of a number in shared memory, not kept in registers for each row.
	from := f.b.at(f.numbers.Elem(p.row, 4).LdI32()).ReadOnly()
	end, ok := ceilDiv(f.cols(), pieceCols), f.k.Bool(true)
	if f.ragged() {
		ok = at.Lt(end)
	}
	at = at.UMin(end - 1)
	if f.vector() {
		p.x = from.Elem(at, pieceCols*f32).When(ok).LdF32x4()
		return
	}
	for e := range p.x {
		c := at.Mul(pieceCols).Add(e)
		p.x[e] = from.Elem(c.UMin(f.cols()-1), f32).When(ok.And(c.Lt(f.cols()))).LdF32()
	}
}

// put stores pieces, scaled and rounded.
func (f *feed) put(ps []piece) {
	for _, p := range ps {
		factor := f.st.factor.Elem(p.row, f32).LdF32()
		var w [2]codegen.I32
		for i := range w {
			v := f.k.PackH2(p.x[2*i].Mul(factor), p.x[2*i+1].Mul(factor))
			f.largest.Set(f.largest.Get().Max(v.Bits().And(0x7fff7fff).AsH2()))
			w[i] = v.Bits()
		}
		p.to.StI32x2(w)
	}
}

// most is the largest magnitude that this thread has stored.
func (f *feed) most() codegen.F32 { return f.largest.Get().Lo().Max(f.largest.Get().Hi()) }

// operands returns where the lane's B operands of part n are.
func (f *feed) operands(n codegen.I32) codegen.Ptr {
	part := n.And(f.stageParts() - 1)
	off := f.from.Xor(part.And(1).Shl(6))
	if f.stageParts() == 4 {
		off = off.Xor(part.Shr(1).Shl(5)).Add(part.Shr(1).Mul(f.slots * rowBytes))
	}
	return f.buffer(n.UDiv(f.stageParts())).Elem(f.share, f.shareBytes()).At(off)
}

// load reads the B operands of two steps, for rows 8*group and on.
func (f *feed) load(p codegen.Ptr, group int) [2][2]codegen.I32 {
	w := p.At(group * 8 * rowBytes).LdI32x4()
	return [2][2]codegen.I32{{w[0], w[1]}, {w[2], w[3]}}
}
