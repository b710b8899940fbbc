package product

import (
	"errors"
	"math"

	"dsac/codegen"
	"dsac/ir/ops"
)

// values is the kernel that joins the parts of attention and multiplies what they give with a
// matrix per head: a stream whose x no kernel has stored. All of a warp's weights are on their
// way before it waits for the parts. Blocks are as large as can be, as each joins the parts of its
// head anew.
type values struct {
	stream
	parts int
}

const (
	valueWarps = 16
	valueWords = 40 // of weights that a lane holds at once
)

// attended is the job of mqa_values: a batch is a head.
func attended(s *codegen.Spec) (*job, error) {
	part, y := s.Operands[0], s.Operands[2]
	heads := y.Inner()
	j := &job{spec: s, args: []int{1}, rows: s.Rows, batch: heads, segs: 1, value: first}
	if err := j.bindWeights(); err != nil {
		return nil, err
	}
	if part.Width()-ops.PartTail != j.cols() {
		return nil, errors.New("parts and weights differ in columns")
	}
	j.known = func(h codegen.I32) codegen.I32 { return h }
	j.bind = func(k *codegen.K, h codegen.I32) bound {
		return bound{live: j.liveRows(k), store: func(r, col codegen.I32, ok codegen.Pred, v codegen.F32) {
			k.Arg(2).Elem(r.Mul(heads).Add(h), y.Width()*f32).Elem(col, f32).When(ok).StF32(v)
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
	v := &values{stream{job: j, slots: pow2(j.rows), warps: valueWarps, perSM: 1, held: 1}, j.spec.Operands[0].Shape[1]}
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

// join stages the rows of a head: a thread has a column, whose parts it loads before it knows
// their factors. Means of what caches hold as f16 are no larger than that: they need no scaling.
func (v *values) join(e *streaming) {
	k, heads, rank := e.k, v.batch, v.cols()
	row := func(t, i any) codegen.Ptr { // of part i
		p := k.Arg(0).Elem(t, v.parts*heads*(rank+ops.PartTail)*f32).Elem(k.BlockY(), (rank+ops.PartTail)*f32)
		return p.Elem(i, heads*(rank+ops.PartTail)*f32)
	}
	chunks := v.iters * v.iterChunks()
	k.Each(k.Thread(), v.threads(), chunks*chunkCols, func(col codegen.I32) {
		c := col.Min(rank - 1)
		x := make([][]codegen.F32, v.rows)
		there := make([]codegen.Pred, v.rows)
		for t := range x {
			there[t] = k.Bool(true)
			if v.rows > 1 {
				there[t] = k.I32(t).Lt(e.b.live)
			}
			for i := range v.parts {
				x[t] = append(x[t], row(t, i).Elem(c, f32).When(there[t].And(col.Lt(rank))).LdF32())
			}
		}
		chunk, slot, _ := e.st.source(col.Shr(3), k.I32(0), chunks)
		to := e.st.data.Elem(chunk.Mul(v.slots), rowBytes).Elem(col.And(7), 2)
		for t := range x {
			factors, total := PartFactors(k, v.parts, func(i codegen.I32) codegen.Ptr { return row(t, i).At(rank * f32).When(there[t]) })
			sum := k.F32(0)
			for i := range x[t] {
				sum = x[t][i].Fma(codegen.ShflIdx(factors[i/32], i%32), sum)
			}
			to.At(t*rowBytes).Elem(slot.Xor(t&1<<2), 16).StU16(k.PackH2(sum.Div(total), k.F32(0)).Bits())
		}
		for t := v.rows; t < v.slots; t++ {
			to.At(t*rowBytes).Elem(slot.Xor(t&1<<2), 16).StU16(k.I32(0))
		}
	})
}

// PartFactors gives lane i of word j the factor of part 32j+i of attention, and all lanes the sum
// of the weights. stats is where the largest score and the sum of a part lie.
func PartFactors(k *codegen.K, parts int, stats func(i codegen.I32) codegen.Ptr) (factors []codegen.F32, total codegen.F32) {
	var top, sum []codegen.F32
	most := k.F32(math.Inf(-1))
	for i := 0; i < parts; i += 32 {
		part := k.Lane().Add(i)
		x := stats(part.Min(parts - 1)).LdF32x2()
		ok := part.Lt(parts)
		top = append(top, codegen.Select(ok, x[0], k.F32(math.Inf(-1))))
		sum = append(sum, codegen.Select(ok, x[1], k.F32(0)))
		most = most.Max(top[len(top)-1])
	}
	most = k.WarpMax(most)
	total = k.F32(0)
	for i := range top {
		f := codegen.Select(sum[i].Eq(0), k.F32(0), top[i].Sub(most).Exp())
		factors = append(factors, f)
		total = total.Add(f.Mul(sum[i]))
	}
	return factors, k.WarpSum(total)
}
