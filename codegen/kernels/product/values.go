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
	f.whole = nil // sums of x are not there
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
	e.st.place(dyn.At(v.dataBytes()))
	e.parts = dyn.At(v.shared() - v.partsKept()*v.partBytes())
	e.parity = k.I32(0)
	e.x = e.st.reader(k)
	e.wk, e.wr = k.Warp().And(v.split-1), k.Warp().UDiv(v.split)
	e.words = codegen.Lets(v.quantum*v.weights[0].words(), k.I32(0))
	e.at = cursor{codegen.Let(k.I32(0)), codegen.Let(k.I32(0)), codegen.Let(k.I32(0)), codegen.Let(k.I32(0))}
	group := k.BlockX()
	e.start(group)
	e.st.reset(k)
	k.GridWait()
	e.b = v.bind(k, k.BlockY())
	v.join(&e)
	k.Sync()
	if v.iters == v.split { // nothing is left to fetch
		sums := sums(codegen.Lets(4*e.chains()*e.rowGroups(), k.F32(0)))
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
	chunks := v.iters * v.iterChunks()
	pairs := chunks * chunkCols / 2
	type item struct {
		t, pair codegen.I32
		there   codegen.Pred
		x       []codegen.H2
	}
	var items []item
	for u := 0; u < v.slots*pairs; u += v.threads() { // all loads ahead of the first use
		i := k.Thread().Add(u)
		t := i.UDiv(pairs)
		it := item{t: t, pair: i.Sub(t.Mul(pairs)), there: t.Lt(v.slots)}
		ok := t.Lt(e.b.live).And(it.pair.Lt(v.Rank / 2))
		it.x = v.Load(k, t.Clamp(0, v.rows-1), k.BlockY(), it.pair.Clamp(0, v.Rank/2-1), ok)
		items = append(items, it)
	}
	for _, it := range items {
		sum := v.Join(k, it.t.Clamp(0, v.rows-1), k.BlockY(), it.x, it.t.Lt(e.b.live))
		chunk, slot, _ := e.st.source(it.pair.Shr(2), k.I32(0), chunks)
		slot = slot.Xor(it.t.And(1).Shl(2))
		to := e.st.data.Elem(chunk.Mul(v.slots).Add(it.t.Min(v.slots-1)), rowBytes).Elem(slot, 16).Elem(it.pair.And(3), 4)
		to.When(it.there).StH2(k.PackH2(sum[0], sum[1]))
	}
}
