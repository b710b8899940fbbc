package product

import (
	"dsac/codegen"
	"dsac/runtime/plan"
)

// feed copies rows of x, halves, to the shared memory of a tiled kernel. A stage is one half of
// a unit of four chunks, 128 columns, or a chunk of 64 of a smaller unit, for each share; there
// are bufs of them, all but the one that is multiplied under way. In a stage, run r (r mod 4 of
// part r/4, see stage) of row n is 16 bytes at
//
//	share*shareBytes + (r/8*slots + n)*128 + 16*(r%8 ^ 4*(n&1) ^ 2*(r/8))
//
// so that both the copies of neighbouring lanes and the 16-byte loads of the B operands meet
// different banks.
type feed struct {
	*tiling
	mem  codegen.Ptr
	row  codegen.I32               // of this thread's first run
	run  codegen.I32               // its number in the stage
	to   codegen.I32               // where it goes within a buffer
	from codegen.I32               // where the lane's B operands of part 0 are in a buffer, but for the group
	full *codegen.Var[codegen.I32] // where the stage that is multiplied begins
	free *codegen.Var[codegen.I32] // where the next one to be copied goes
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

// runs is the number of runs of a row in a stage and share: each thread copies the same one of
// every rowsAtOnce-th row.
func (t *tiled) runs() int       { return t.parts() * 4 }
func (t *tiled) rowsAtOnce() int { return t.threads() / t.runs() }

func (e *tiling) newFeed(mem codegen.Ptr) feed {
	k := e.k
	f := feed{tiling: e, mem: mem, full: codegen.Let(k.I32(0)), free: codegen.Let(k.I32(0))}
	f.run = k.Thread().And(e.runs() - 1)
	f.row = k.Thread().UDiv(e.runs())
	r, pair := f.run, k.I32(0)
	if e.weights[0].spread() { // 32 columns of run t: of each chunk eight
		r, pair = f.run.Shr(2).Add(f.run.And(1).Shl(2)), f.run.Shr(1).And(1)
	}
	slot := r.Xor(f.row.And(1).Shl(2)).Xor(pair.Shl(1))
	f.to = pair.Mul(e.slots).Add(f.row).Mul(rowBytes).Add(slot.Shl(4))
	n, t := k.Lane().Shr(2), k.Lane().And(3)
	f.from = n.Mul(rowBytes).Add(t.Xor(n.And(1).Shl(2)).Shl(4))
	return f
}

// fill sends for the first stages.
func (f *feed) fill() {
	for i := range f.bufs - 1 {
		f.send(f.k.I32(0), i)
	}
}

// send sends for stage i of a round, counted on into the rounds after it. Past the end there is
// nothing to send for.
func (f *feed) send(round codegen.I32, i int) {
	k := f.k
	round, i = round.Add(i/f.stages()), i%f.stages()
	unitRuns := f.weights[0].layout.UnitCols / runCols
	last := plan.HalfWidth(f.cols())/runCols - 1 // of a row; its values are zeros
	there := round.Lt(f.rounds())
	for share := range f.split {
		unit := round.Mul(f.split).Add(share)
		run := unit.Mul(unitRuns).Add(f.run).Add(i * f.runs())
		if f.rounds()*f.split != f.segUnits() {
			run = codegen.Select(unit.Lt(f.segUnits()), run, k.I32(last))
		}
		run = run.UMin(last)
		to := f.mem.At(f.free.Get()).At(f.to)
		for n := 0; n < f.slots; n += f.rowsAtOnce() {
			row, to := f.row.Add(n), to.At(share*f.shareBytes()+n*rowBytes)
			ok := there
			if n+f.rowsAtOnce() > f.slots {
				ok = ok.And(row.Lt(f.slots))
			}
			k.CopyAsync(to, f.b.row(row).Elem(run, runCols*plan.HalfBytes).When(ok), 16)
		}
	}
	k.CopyCommit()
	f.free.Set(f.after(f.free.Get()))
}

// after returns the buffer after one.
func (f *feed) after(buf codegen.I32) codegen.I32 {
	next := buf.Add(f.bufBytes())
	return codegen.Select(next.Lt(f.bufs*f.bufBytes()), next, f.k.I32(0))
}

// next waits for the next stage to be multiplied, and sends for the one that takes the place of
// the last. It returns where the share's part of the stage is.
func (f *feed) next(round codegen.I32, i int) codegen.Ptr {
	f.k.CopyWait(f.bufs - 2)
	f.k.Sync()
	f.send(round, i+f.bufs-1)
	data := f.mem.At(f.full.Get()).Elem(f.share, f.shareBytes())
	f.full.Set(f.after(f.full.Get()))
	return data
}

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
