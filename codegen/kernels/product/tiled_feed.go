package product

import (
	"dsac/codegen"
	"dsac/runtime/plan"
)

// feed copies rows of x, halves, to the shared memory of a tiled kernel. A stage is one half of
// a unit of four chunks, 128 columns, or a chunk of 64 of a smaller unit, for each share; there
// are three of them, all but the one that is multiplied under way. In a stage, run r of row n is 16
// bytes at
//
//	share*shareBytes + (n*runs + (r ^ n&1 ^ 2*(r/8)))*16        of 16 runs
//	share*shareBytes + (n*runs + (r ^ 4*(n&1)))*16              of 8
//
// so that the 16-byte loads of the B operands meet different banks, and 128 neighbouring bytes of
// a row stay together.
type feed struct {
	*tiling
	mem  codegen.Ptr
	row  codegen.I32               // of this thread's first run
	run  codegen.I32               // its number in the stage
	to   codegen.I32               // where it goes within a buffer
	from codegen.I32               // where the lane's B operands of part 0 are in a buffer, but for the group
	turn *codegen.Var[codegen.I32] // where the next stage begins
	full codegen.I32               // where the stage begins that is multiplied
}

// bufs is the number of stages of x in shared memory.
const bufs = 3

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
	f := feed{tiling: e, mem: mem, turn: codegen.Let(k.I32(0))}
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

// fill sends for the first stage and waits for it, and sends for a half of the second; the half of
// the block that comes late, for all of it.
func (f *feed) fill() {
	k := f.k
	start, second := k.I32(0), k.I32(f.bufBytes())
	copyParts := func(i int, to codegen.I32, from, end int) {
		for part := from; part < end; part++ {
			f.copyPart(f.runsOf(start, i), to, k.I32(part))
		}
	}
	copyParts(0, start, 0, f.parts())
	k.CopyCommit()
	copyParts(1, second, 0, f.parts()/2)
	k.If(f.halves.late, func() { copyParts(1, second, f.parts()/2, f.parts()) })
	k.CopyCommit()
	k.CopyWait(1)
	k.Sync()
}

// meet waits for the other half of the block, with copies of half a stage under way: so what was
// sent for in the interval before the last one is there.
func (f *feed) meet() {
	f.k.CopyWait(f.parts() / 2)
	f.halves.meet()
}

// next turns to the next stage, which is there.
func (f *feed) next() {
	f.full = f.turn.Get()
	f.turn.Set(f.after(f.full))
}

// after returns the buffer after one.
func (f *feed) after(buf codegen.I32) codegen.I32 {
	next := buf.Add(f.bufBytes())
	return codegen.Select(next.Lt(bufs*f.bufBytes()), next, f.k.I32(0))
}

// stageRuns is what this thread copies of a stage.
type stageRuns struct {
	run   []codegen.I32 // by share: its number in the row
	there codegen.Pred  // there is such a stage
}

// runsOf returns that of stage i of a round, counted on into the rounds after it. Past the end
// there is nothing to copy.
func (f *feed) runsOf(round codegen.I32, i int) stageRuns {
	k := f.k
	round, i = round.Add(i/f.stages()), i%f.stages()
	unitRuns := f.weights[0].layout.UnitCols / runCols
	last := plan.HalfWidth(f.cols())/runCols - 1 // of a row; its values are zeros
	s := stageRuns{there: round.Lt(f.rounds())}
	for share := range f.split {
		unit := round.Mul(f.split).Add(share)
		run := unit.Mul(unitRuns).Add(f.run).Add(i * f.runs())
		if f.rounds()*f.split != f.segUnits() {
			run = codegen.Select(unit.Lt(f.segUnits()), run, k.I32(last))
		}
		s.run = append(s.run, run.UMin(last))
	}
	return s
}

// send sends for some of the rows of a stage to come, in a part of stage i of a round: all at once
// they would hold up the words of weights that are on their way beside them. Warps of the first half
// are in the middle of a stage when they begin with a stage to come, see halfBlocks.
func (f *feed) send(round codegen.I32, i int, part codegen.I32) {
	k, parts := f.k, f.parts()
	v := part.Add(codegen.Select(f.halves.late, k.I32(parts), k.I32(parts/2)))
	first := v.Lt(parts)
	next, s := f.runsOf(round, i+1), f.runsOf(round, i+2)
	for share := range s.run {
		s.run[share] = codegen.Select(first, next.run[share], s.run[share])
	}
	s.there = codegen.Select(first, next.there, s.there)
	to := f.after(f.full)
	to = codegen.Select(first, to, f.after(to))
	f.copyPart(s, to, v.And(parts-1))
	k.CopyCommit()
}

// copyPart sends for some of the rows of a stage, to the buffer at to.
func (f *feed) copyPart(s stageRuns, to, part codegen.I32) {
	each := ceilDiv(f.slots, f.rowsAtOnce()*f.parts())
	first := part.Mul(each * f.rowsAtOnce())
	for i := range each {
		n := first.Add(i * f.rowsAtOnce())
		row, ok := f.row.Add(n), s.there
		if each*f.rowsAtOnce()*f.parts() != f.slots {
			ok = ok.And(row.Lt(f.slots))
		}
		for share, run := range s.run {
			at := f.mem.At(to).At(f.to).Elem(n, f.runs()*runBytes).At(share * f.shareBytes())
			f.k.CopyAsync(at, f.b.row(row).Elem(run, runBytes).When(ok), runBytes)
		}
	}
}

// operands returns where the lane's B operands of a part of the stage are.
func (f *feed) operands(part codegen.I32) codegen.Ptr {
	data := f.mem.At(f.full).Elem(f.share, f.shareBytes())
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
