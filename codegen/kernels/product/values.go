package product

import (
	"errors"

	"dsac/codegen"
)

// values is the kernel that joins the parts of attention and multiplies what they give with a
// matrix per head: a stream whose x no kernel has stored. All of a warp's weights are on their
// way before it waits for the parts. Blocks are as large as can be, as each joins the parts of its
// head anew.
type values struct {
	stream
	Parts
}

const (
	valueWarps = 16
	valueWords = 40 // of weights that a lane holds at once
)

// attended is the job of mqa_values: a batch is a head.
func attended(s *codegen.Spec) (*job, error) {
	y := s.Operands[3]
	heads := y.Inner()
	j := &job{spec: s, args: []int{2}, rows: s.Rows, batch: heads, segs: 1, value: first}
	if err := j.bindWeights(); err != nil {
		return nil, err
	}
	j.known = func(h codegen.I32) codegen.I32 { return h }
	j.bind = func(k *codegen.K, h codegen.I32) bound {
		return bound{live: j.liveRows(k), store: func(r, col codegen.I32, ok codegen.Pred, v codegen.F32) {
			k.Arg(3).Elem(r.Mul(heads).Add(h), y.Width()*f32).Elem(col, f32).When(ok).StF32(v)
		}}
	}
	return j, nil
}

func newValues(j *job) (*values, error) {
	w := *j.weights[0]
	if w.format == nil || j.rows > streamRows {
		return nil, errors.New("parts are joined with packed weights, for few rows")
	}
	f := *w.format
	f.whole, f.apart = nil, nil // sums of x are not there
	w.format, j.weights = &f, []*weight{&w}
	v := &values{stream{job: j, slots: pow2(j.rows), warps: valueWarps, perSM: 1, held: 1}, PartsOf(j.spec.Operands[0])}
	for v.quantum = j.segUnits(); v.quantum > 1 && (j.segUnits()%v.quantum != 0 || v.quantum*w.words() > valueWords); v.quantum-- {
	}
	v.iters = j.segUnits() / v.quantum
	v.window = v.iters
	for v.split = 1; v.split*2 <= min(v.iters, v.warps); v.split *= 2 {
	}
	v.groups = ceilDiv(w.tiles(), v.tiles())
	v.blocks = v.groups
	return v, nil
}

func (v *values) emit(k *codegen.K) {
	k.MinBlocks(1)
	dyn := k.Dynamic()
	e := streaming{stream: &v.stream, k: k}
	e.st = stage{job: v.job, slots: v.slots, limit: v.rows, threads: v.threads(), data: dyn}
	e.st.place(dyn.At(v.stageAt()))
	e.parts = dyn.At(v.shared() - v.partsKept()*v.partBytes())
	e.parity = k.I32(0)
	e.x = e.st.reader(k)
	e.wk, e.wr = k.Warp().And(v.split-1), k.Warp().UDiv(v.split)
	e.words = [][]*codegen.Var[codegen.I32]{codegen.Lets(v.quantum*v.weights[0].words(), k.I32(0))}
	e.at = cursor{codegen.Let(k.I32(0)), codegen.Let(k.I32(0)), codegen.Let(k.I32(0)), codegen.Let(k.I32(0))}
	group := k.BlockX()
	e.start(group)
	e.st.reset(k)
	k.GridWait()
	e.b = v.bind(k, k.BlockY())
	v.join(&e)
	k.Sync()
	if v.iters == v.split { // nothing is left to fetch
		e.done = true
		sums := sums(codegen.Lets(e.numbers(0), k.F32(0)))
		e.one(0, e.wk, sums)
		e.leave(0, k.I32(0), k.I32(0), sums)
	} else {
		e.multiply(k.I32(0), k.I32(v.iters))
	}
	k.Sync()
	e.finish(group)
}

// join stages the rows of a head. Means of what caches hold as f16 are no larger than that: they
// need no scaling.
func (v *values) join(e *streaming) {
	k := e.k
	room := v.Room(k, v.warps)
	pairs := v.iters * v.iterChunks() * chunkCols / 2
	var puts []func()
	for u := 0; u < v.slots*pairs; u += v.threads() {
		i := k.Thread().Add(u)
		if u+v.threads() > v.slots*pairs {
			k.If(i.Lt(v.slots*pairs), func() { v.joinPair(e, room, i)() })
			break
		}
		puts = append(puts, v.joinPair(e, room, i)) // all loads ahead of the first use
	}
	for _, put := range puts {
		put()
	}
}

// joinPair starts to load two columns of a row of all parts; what it returns stages their mean.
func (v *values) joinPair(e *streaming, room codegen.Ptr, item codegen.I32) (put func()) {
	k := e.k
	pairs := v.iters * v.iterChunks() * chunkCols / 2
	row, pair := k.I32(0), item
	if v.slots > 1 {
		row = item.UDiv(pairs)
		pair = item.Sub(row.Mul(pairs)).Clamp(0, pairs-1)
	}
	live, t := k.Bool(true), row.Clamp(0, v.rows-1)
	if v.rows > 1 {
		live = row.Lt(e.b.live)
	}
	there := live
	if pairs > v.Rank/2 {
		there = live.And(pair.Lt(v.Rank / 2))
	}
	x := v.Load(k, t, k.BlockY(), pair.Min(v.Rank/2-1), there)
	return func() {
		mean := v.Join(k, room, t, k.BlockY(), x, live)
		chunk, slot, _ := e.st.source(pair.Shr(2), k.I32(0))
		to := e.st.data.Elem(chunk.Mul(v.slots).Add(row.Clamp(0, v.slots-1)), rowBytes)
		to.Elem(slot.Xor(row.And(1).Shl(2)).Xor(e.st.turn(chunk).Shl(1)), 16).Elem(pair.And(3), 4).StH2(k.PackH2(mean[0], mean[1]))
	}
}
