package product

import (
	"dsac/codegen"
	"dsac/runtime/plan"
)

// feed copies rows of x, halves, to the shared memory of a tiled kernel. A stage is one half of
// a unit of four chunks, 128 columns, or a chunk of 64 of a smaller unit, for each share; there
// are bufs of them, all but the one that is multiplied under way. In a stage, run r of row n is 16
// bytes at
//
//	share*shareBytes + (n*runs + (r ^ n&1 ^ 2*(r/8)))*16        of 16 runs
//	share*shareBytes + (n*runs + (r ^ 4*(n&1)))*16              of 8
//
// so that the 16-byte loads of the B operands meet different banks, and 128 neighbouring bytes of
// a row stay together.
type feed struct {
	*tiling
	mem    codegen.Ptr
	row    codegen.I32               // of this thread's first run
	run    codegen.I32               // its number in the stage
	to     codegen.I32               // where it goes within a buffer
	from   codegen.I32               // where the lane's B operands of part 0 are in a buffer, but for the group
	full   *codegen.Var[codegen.I32] // where the stage that is multiplied begins
	free   *codegen.Var[codegen.I32] // where the next one to be copied goes
	coming coming
}

// coming is the stage that is sent for.
type coming struct {
	to    codegen.Ptr   // where this thread's first run goes
	run   []codegen.I32 // by share: its number in the row
	there codegen.Pred  // there is such a stage
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

func (t *tiled) shareBytes() int { return t.slots * t.runs() * runBytes }
func (t *tiled) bufBytes() int   { return t.split * t.shareBytes() }

// runs is the number of runs of a row in a stage and share: each thread copies the same one of
// every rowsAtOnce-th row.
func (t *tiled) runs() int       { return t.parts() * 4 }
func (t *tiled) rowsAtOnce() int { return t.threads() / t.runs() }

func (e *tiling) newFeed(mem codegen.Ptr) feed {
	k := e.k
	f := feed{tiling: e, mem: mem, full: codegen.Let(k.I32(0)), free: codegen.Let(k.I32(0))}
	f.run = k.Thread().And(e.runs() - 1)
	f.row = k.Thread().UDiv(e.runs())
	n, t := k.Lane().Shr(2), k.Lane().And(3)
	place := func(n, r codegen.I32) codegen.I32 { return n.Mul(e.runs()).Add(r.Xor(n.And(1).Shl(2))).Mul(runBytes) }
	if e.weights[0].spread() { // 32 columns of run t: of each chunk eight
		t = t.Shl(2)
		place = func(n, r codegen.I32) codegen.I32 {
			return n.Mul(e.runs()).Add(r.Xor(n.And(1)).Xor(r.Shr(3).Shl(1))).Mul(runBytes)
		}
	}
	f.to, f.from = place(f.row, f.run), place(n, t)
	return f
}

// fill sends for the first stages.
func (f *feed) fill() {
	for i := range f.bufs - 1 {
		f.begin(f.k.I32(0), i)
		for part := range f.parts() {
			f.send(f.k.I32(part))
		}
		f.end()
	}
}

// begin starts on sending for stage i of a round, counted on into the rounds after it. Past the
// end there is nothing to send for.
func (f *feed) begin(round codegen.I32, i int) {
	k := f.k
	round, i = round.Add(i/f.stages()), i%f.stages()
	unitRuns := f.weights[0].layout.UnitCols / runCols
	last := plan.HalfWidth(f.cols())/runCols - 1 // of a row; its values are zeros
	f.coming = coming{to: f.mem.At(f.free.Get()).At(f.to), there: round.Lt(f.rounds())}
	for share := range f.split {
		unit := round.Mul(f.split).Add(share)
		run := unit.Mul(unitRuns).Add(f.run).Add(i * f.runs())
		if f.rounds()*f.split != f.segUnits() {
			run = codegen.Select(unit.Lt(f.segUnits()), run, k.I32(last))
		}
		f.coming.run = append(f.coming.run, run.UMin(last))
	}
}

// send sends for some of the rows of the stage, while a part is multiplied: all at once they would
// hold up the words of weights that are on their way beside them.
func (f *feed) send(part codegen.I32) {
	each := ceilDiv(f.slots, f.rowsAtOnce()*f.parts())
	first := part.Mul(each * f.rowsAtOnce())
	for i := range each {
		n := first.Add(i * f.rowsAtOnce())
		row, ok := f.row.Add(n), f.coming.there
		if each*f.rowsAtOnce()*f.parts() != f.slots {
			ok = ok.And(row.Lt(f.slots))
		}
		for share, run := range f.coming.run {
			to := f.coming.to.Elem(n, f.runs()*runBytes).At(share * f.shareBytes())
			f.k.CopyAsync(to, f.b.row(row).Elem(run, runBytes).When(ok), runBytes)
		}
	}
}

// end closes the group of copies of a stage.
func (f *feed) end() {
	f.k.CopyCommit()
	f.free.Set(f.after(f.free.Get()))
}

// after returns the buffer after one.
func (f *feed) after(buf codegen.I32) codegen.I32 {
	next := buf.Add(f.bufBytes())
	return codegen.Select(next.Lt(f.bufs*f.bufBytes()), next, f.k.I32(0))
}

// next waits for the stage that is multiplied next, and begins with the one that takes the place
// of the last. It returns where the share's part of the stage is.
func (f *feed) next(round codegen.I32, i int) codegen.Ptr {
	f.k.CopyWait(f.bufs - 2)
	f.k.Sync()
	f.begin(round, i+f.bufs-1)
	data := f.mem.At(f.full.Get()).Elem(f.share, f.shareBytes())
	f.full.Set(f.after(f.full.Get()))
	return data
}

// operands returns where the lane's B operands of a part are, in a share's stage at data.
func (f *feed) operands(data codegen.Ptr, part codegen.I32) codegen.Ptr {
	if f.weights[0].spread() {
		return data.At(f.from.Xor(part.Mul(runBytes)))
	}
	return data.At(f.from.Xor(part.Mul(4 * runBytes)))
}

// load reads the B operands of two steps, for rows 8*group and on.
func (f *feed) load(p codegen.Ptr, group int) [2][2]codegen.I32 {
	w := p.At(group * 8 * f.runs() * runBytes).LdI32x4()
	return [2][2]codegen.I32{{w[0], w[1]}, {w[2], w[3]}}
}
