package product

import "dsac/codegen"

// feed moves rows of x to the shared memory of a tiled kernel, as f16. A stage is one half of a
// unit of four chunks, 128 columns, or a unit of one chunk, for each share; there are two
// buffers. In a stage, run r (r mod 4 of part r/4, see stage) of row n is 16 bytes at
//
//	share*shareBytes + (r/8*slots + n)*128 + 16*(r%8 ^ 4*(n&1) ^ 2*(r/8))
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
	next    nextStage
}

// nextStage is the stage that is being loaded.
type nextStage struct {
	buffer codegen.Ptr
	at     []codegen.I32  // by share: number of this thread's pieces, counted from the start of the row
	ok     []codegen.Pred // they are columns of x
}

// pieceCols are the columns of a piece: 16 bytes of x.
const pieceCols = 4

// piece is on its way from x.
type piece struct {
	x   [pieceCols]codegen.F32
	row codegen.I32
	to  codegen.Ptr
}

// stages is the number of stages of a unit.
func (t *tiled) stages() int { return min(2, t.weights[0].chunks()) }

// parts is the number of parts of a stage.
func (t *tiled) parts() int {
	if t.weights[0].spread() {
		return 4
	}
	return 2
}

func (t *tiled) shareBytes() int { return t.parts() / 2 * t.slots * rowBytes }
func (t *tiled) bufBytes() int   { return t.split * t.shareBytes() }

// lanes is the number of threads that move a row's part of a stage and share together.
func (t *tiled) lanes() int { return t.parts() * chunkCols / 2 / pieceCols }

// rowsAtOnce is the rows of which all threads together move a stage with a piece each.
func (t *tiled) rowsAtOnce() int { return t.threads() / t.lanes() }

// pieces is the number of pieces of a thread, share and part.
func (t *tiled) pieces() int { return ceilDiv(t.slots, t.rowsAtOnce()*t.parts()) }

// ragged says whether the last units go beyond the columns of x.
func (t *tiled) ragged() bool {
	return t.cols() != t.rounds()*t.split*t.weights[0].layout.UnitCols
}

// vector says whether a piece is one load.
func (t *tiled) vector() bool { return t.wide && t.cols()%pieceCols == 0 }

func (e *tiling) newFeed(mem codegen.Ptr) feed {
	k := e.k
	f := feed{tiling: e, mem: mem, largest: codegen.Let(k.I32(0).AsH2())}
	f.at = k.Thread().And(e.lanes() - 1)
	f.row = k.Thread().UDiv(e.lanes())
	run, pair := f.at.Shr(1), k.I32(0)
	if e.weights[0].spread() { // 32 columns of run t: of each chunk eight
		run, pair = f.at.Shr(3).Add(f.at.Shr(1).And(1).Shl(2)), f.at.Shr(2).And(1)
	}
	slot := run.Xor(f.row.And(1).Shl(2)).Xor(pair.Shl(1))
	f.to = pair.Mul(e.slots).Add(f.row).Mul(rowBytes).Add(slot.Shl(4)).Add(f.at.And(1).Shl(3))
	n, t := k.Lane().Shr(2), k.Lane().And(3)
	f.from = n.Mul(rowBytes).Add(t.Xor(n.And(1).Shl(2)).Shl(4))
	return f
}

// buffer is where stage i of a round lies; i may be the number of stages, which is the first
// of the next round.
func (f *feed) buffer(round codegen.I32, i int) codegen.Ptr {
	if f.stages()%2 == 0 {
		return f.mem.At(i & 1 * f.bufBytes())
	}
	return f.mem.Elem(round.Add(i).And(1), f.bufBytes())
}

// begin starts on stage i of a round, or on the first of the next. Past the end the last round
// comes once more, into the buffer that is free.
func (f *feed) begin(round codegen.I32, i int) {
	f.next = nextStage{buffer: f.buffer(round, i)}
	if i == f.stages() {
		round, i = round.Add(1).Min(f.rounds()-1), 0
	}
	unit, stage := f.weights[0].layout.UnitCols/pieceCols, f.lanes()
	for share := range f.split {
		at := round.Mul(f.split * unit).Add(f.at).Add(share*unit + i*stage)
		ok := f.k.Bool(true)
		if f.ragged() {
			ok = at.Lt(ceilDiv(f.cols(), pieceCols))
		}
		f.next.at = append(f.next.at, at.UMin(ceilDiv(f.cols(), pieceCols)-1))
		f.next.ok = append(f.next.ok, ok)
	}
}

// fill brings the first stage, all of it at once.
func (f *feed) fill() {
	f.begin(f.k.I32(-1), f.stages())
	f.next.buffer = f.buffer(f.k.I32(0), 0)
	var ps []piece
	for part := range f.parts() {
		ps = append(ps, f.bring(f.k.I32(part))...)
	}
	f.put(ps, true)
}

// bring starts loading the share of a part in the pieces of the next stage.
func (f *feed) bring(part codegen.I32) (ps []piece) {
	row := part.Mul(f.pieces() * f.rowsAtOnce()).Add(f.row)
	to := f.next.buffer.At(f.to).Elem(part, f.pieces()*f.rowsAtOnce()*rowBytes)
	for share := range f.split {
		for i := range f.pieces() {
			p := piece{row: row.Add(i * f.rowsAtOnce())}
			p.to = to.At(share*f.shareBytes() + i*f.rowsAtOnce()*rowBytes)
			if f.pieces()*f.rowsAtOnce()*f.parts() != f.slots {
				p.to = p.to.When(p.row.Lt(f.slots))
				p.row = p.row.Min(f.slots - 1)
			}
			f.start(&p, share)
			ps = append(ps, p)
		}
	}
	return ps
}

// start starts loading a piece.
func (f *feed) start(p *piece, share int) {
	// The address is made of a number in shared memory, not kept in registers for each row.
	from := f.b.at(f.numbers.Elem(p.row, 4).LdI32()).Fixed()
	at, ok := f.next.at[share], f.next.ok[share]
	if f.vector() {
		p.x = from.Elem(at, pieceCols*f32).When(ok).LdF32x4()
		return
	}
	for e := range p.x {
		c := at.Mul(pieceCols).Add(e)
		p.x[e] = from.Elem(c.UMin(f.cols()-1), f32).When(ok.And(c.Lt(f.cols()))).LdF32()
	}
}

// put stores pieces, scaled if rows have factors, and rounded.
func (f *feed) put(ps []piece, scaled bool) {
	for _, p := range ps {
		if scaled {
			factor := f.st.factor.Elem(p.row, f32).LdF32()
			for i := range p.x {
				p.x[i] = p.x[i].Mul(factor)
			}
		}
		var w [2]codegen.I32
		for i := range w {
			v := f.k.PackH2(p.x[2*i], p.x[2*i+1])
			f.largest.Set(f.largest.Get().Max(v.Bits().And(0x7fff7fff).AsH2()))
			w[i] = v.Bits()
		}
		p.to.StI32x2(w)
	}
}

// most is the largest magnitude that this thread has stored.
func (f *feed) most() codegen.F32 { return f.largest.Get().Lo().Max(f.largest.Get().Hi()) }

// operands returns where the lane's B operands of a part are, in a share's stage at data.
func (f *feed) operands(data codegen.Ptr, part codegen.I32) codegen.Ptr {
	off := f.from.Xor(part.And(1).Shl(6))
	if f.parts() > 2 {
		off = off.Xor(part.Shr(1).Shl(5)).Add(part.Shr(1).Mul(f.slots * rowBytes))
	}
	return data.At(off)
}

// load reads the B operands of two steps, for rows 8*group and on.
func (f *feed) load(p codegen.Ptr, group int) [2][2]codegen.I32 {
	w := p.At(group * 8 * rowBytes).LdI32x4()
	return [2][2]codegen.I32{{w[0], w[1]}, {w[2], w[3]}}
}
