package product

import (
	"errors"

	"dsac/codegen"
)

// values is the kernel of mqa_values: it joins the parts of attention and multiplies what they
// give with a matrix per head. Blocks (tiles of the matrix, head) are as large as can be, as each
// joins the parts of its head anew. The warps of a block share tiles: split warps have one
// together, every split-th iteration of it each. All that a warp has of the weights is on its way
// before it waits for the parts, unless the matrix is large.
//
//	shared memory:  rows of x by chunk, see place | sums of the warps
type values struct {
	Parts
	w       *weight
	rows    int // of a step
	slots   int // rows that are staged: a power of two
	outs    int
	quantum int // units of an iteration
	iters   int // iterations of a tile
	split   int // warps that share a tile
}

const (
	valueWarps = 16
	valueWords = 40 // of weights that a lane holds at once
)

// MakeValues returns the launch and the body of the kernel of a spec of mqa_values.
func MakeValues(s *codegen.Spec) (codegen.Launch, func(k *codegen.K), error) {
	w, err := weightOf(s.Operands[2])
	switch {
	case err != nil:
		return codegen.Launch{}, nil, err
	case w.format == nil || s.Rows > streamRows:
		return codegen.Launch{}, nil, errors.New("parts are joined with packed weights, for few rows")
	}
	v := values{Parts: PartsOf(s.Operands[0]), w: w, rows: s.Rows, slots: pow2(s.Rows), outs: s.Operands[3].Width(), split: 1}
	for v.quantum = w.units(); v.quantum > 1 && (w.units()%v.quantum != 0 || v.quantum*w.words() > valueWords); {
		v.quantum--
	}
	v.iters = w.units() / v.quantum
	for v.split*2 <= min(v.iters, valueWarps) {
		v.split *= 2
	}
	launch := codegen.Line(ceilDiv(w.tiles(), v.tiles()), 32*valueWarps)
	launch.Grid[1] = uint32(v.Heads)
	launch.Shared = uint32(v.sumsAt() + valueWarps*v.slots*tileRows*f32)
	return launch, v.emit, nil
}

// tiles is the number of tiles of a block.
func (v *values) tiles() int { return valueWarps / v.split }

// columns counts those that are staged, padding included.
func (v *values) columns() int { return v.w.units() * v.w.layout.UnitCols }
func (v *values) sumsAt() int  { return 2 * v.columns() * v.slots }

// valuing is a kernel of values being emitted.
type valuing struct {
	*values
	k           *codegen.K
	x, sums     codegen.Ptr // shared
	head, live  codegen.I32
	tile, share codegen.I32 // of this warp: tile of the matrix, first iteration
	acc         []*codegen.Var[codegen.F32]
}

func (v *values) emit(k *codegen.K) {
	k.MinBlocks(1)
	e := valuing{values: v, k: k, x: k.Dynamic(), head: k.BlockY(), live: k.I32(1)}
	e.sums = e.x.At(v.sumsAt())
	e.tile = k.BlockX().Mul(v.tiles()).Add(k.Warp().UDiv(v.split)).UMin(v.w.tiles() - 1)
	e.share = k.Warp().And(v.split - 1)
	// A branch ahead of the loads. In the first block of a kernel ptxas moves them behind the wait,
	// which costs 0.6 us of 5.1; what is stored here has no use.
	k.If(k.Thread().Lt(2), func() { e.sums.Elem(k.Thread(), f32).StF32(k.F32(1)) })
	words := e.fetch(e.share)
	k.GridWait()
	if v.rows > 1 {
		e.live = k.Rows(v.rows)
	}
	e.join()
	k.Sync()
	e.acc = codegen.Lets(max(8, v.slots/8*4), k.F32(0))
	e.multiply(e.share, words)
	if v.iters > v.split {
		k.For(e.share.Add(v.split), v.iters, v.split, func(i codegen.I32) { e.multiply(i, e.fetch(i)) })
	}
	e.leave()
	k.Sync()
	e.finish()
}

// fetch loads the words of an iteration.
func (e *valuing) fetch(iter codegen.I32) (words [][]codegen.I32) {
	tile := e.head.Mul(e.w.tiles()).Add(e.tile)
	for q := range e.quantum {
		unit := iter.Mul(e.quantum).Add(q).UMin(e.w.units() - 1)
		words = append(words, e.w.load(e.k, e.w.unit(e.k.Arg(2), tile, unit)))
	}
	return words
}

// multiply multiplies the words of an iteration. Up to eight rows have two sums side by side.
func (e *valuing) multiply(iter codegen.I32, words [][]codegen.I32) {
	k, chunks := e.k, e.w.chunks()
	row := k.Lane().Shr(2).And(min(8, e.slots) - 1)
	off := row.Mul(rowBytes).Add(k.Lane().And(3).Xor(row.And(1).Shl(2)).Shl(4))
	x := e.x.Elem(iter.Mul(e.quantum*chunks*e.slots), rowBytes)
	for q, unit := range words {
		operand := e.w.open(k, unit)
		for c := range chunks {
			chunk := x.At((q*chunks + c) * e.slots * rowBytes)
			for h := range 2 { // runs t and t+4 of the chunk
				for group := range max(1, e.slots/8) {
					b := chunk.At(off.Xor(64 * h)).At(8 * group * rowBytes).LdI32x4()
					for s := range 2 {
						chain := group
						if e.slots <= 8 {
							chain = s
						}
						multiply(k, e.acc[4*chain:][:4], operand(4*c+2*h+s), [2]codegen.I32{b[2*s], b[2*s+1]})
					}
				}
			}
		}
	}
}

// sumsOf is where a warp's sums lie: slots rows of 16 numbers.
func (e *valuing) sumsOf(warp codegen.I32) codegen.Ptr {
	return e.sums.Elem(warp, e.slots*tileRows*f32)
}

// leave stores the warp's sums where the others find them.
func (e *valuing) leave() {
	k := e.k
	to := e.sumsOf(k.Warp()).Elem(k.Lane().Shr(2), f32)
	for i := range 4 * max(1, e.slots/8) {
		sum := e.acc[i].Get()
		if e.slots <= 8 {
			sum = sum.Add(e.acc[4+i].Get())
		}
		row := k.Lane().And(3).Mul(2).Add(i>>2*8 + i&1)
		there := k.Bool(true)
		if e.slots < 8 {
			there = row.Lt(e.slots)
		}
		to.Elem(row, tileRows*f32).At(i >> 1 & 1 * 8 * f32).When(there).StF32(sum)
	}
}

// finish adds up the sums of the warps of each tile, in order, and stores the results.
func (e *valuing) finish() {
	k := e.k
	k.Each(k.Thread(), 32*valueWarps, e.tiles()*e.slots*tileRows, func(i codegen.I32) {
		out := i.And(tileRows - 1)
		row := i.UDiv(tileRows).And(e.slots - 1)
		tile := i.UDiv(tileRows * e.slots) // of the block
		from := e.sumsOf(tile.Mul(e.split)).Elem(row, tileRows*f32).Elem(out, f32)
		total := from.LdF32()
		for w := 1; w < e.split; w++ {
			total = total.Add(from.At(w * e.slots * tileRows * f32).LdF32())
		}
		col := k.BlockX().Mul(e.tiles()).Add(tile).Mul(tileRows).Add(out)
		y := k.Arg(3).Elem(row.Min(e.rows-1).Mul(e.Heads).Add(e.head), e.outs*f32).Elem(col.Clamp(0, e.outs-1), f32)
		y.When(col.Lt(e.outs).And(row.Lt(e.live))).StF32(total)
	})
}
