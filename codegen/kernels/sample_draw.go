package kernels

import (
	"dsac/codegen"
	"dsac/ir/ops"
	"dsac/runtime/plan"
)

// drawThreads is the number of threads of the last kernel, one block: each has a block of ids,
// a bin of a histogram, and an id of the block that is drawn from.
const drawThreads = 1024

// sampleDraw: the token, from what the kernels before it found; then hist[token]++. Where no
// choice is possible (a NaN or +Inf among the logits, everything masked) the token is -1 and hist
// stays.
func sampleDraw(s *codegen.Spec) (Kernel, error) {
	return samplerKernel(s, drawThreads, 1, 6, func(d *sampler) {
		k := d.k
		out := k.Arg(7)
		if s.Operands[7].Width() >= plan.CtlSize { // the whole control buffer
			out = out.At(plan.CtlRNG)
		}
		kept, length := d.kept(), k.Ctl().At(plan.CtlLen).LdI64()
		top, possible := d.peak(k.Arg(3))
		chosen := codegen.Let(codegen.Select(possible, top.id, k.I32(-1)))
		k.If(possible.And(d.temperature.Ne(0)), func() {
			l := newSifted(d, kept)
			chosen.Set(l.draw(floatOf(top.key), length))
		})
		k.If(k.Thread().Eq(0), func() {
			id := chosen.Get()
			out.StI64(length)
			out.At(plan.CtlToken - plan.CtlRNG).StI32(id)
			k.If(id.Ge(0), func() {
				d.hist.Elem(id.UMin(d.vocab-1), 4).Count(k.I32(1))
			})
		})
	})
}

// sifted is what the last kernel knows of the ids in the bucket where top-k or top-p ends.
type sifted struct {
	*sampler
	kept
	list  codegen.Ptr
	each  codegen.I32 // ranks of a list, by four, of the longest
	bins  codegen.Ptr // shared, see tally; zeros between uses
	found codegen.Ptr // shared: what one thread tells the others
}

// kept is what sample_sift says: for all, and for this thread's block.
type kept struct {
	goal      codegen.I64 // mass to take of bucket lo, 0: all
	lo, above codegen.I32 // lists are of buckets from lo on; from above on all ids stay anyway
	sum       codegen.I64 // of the weights that stay anyway
	listed    codegen.I32
}

func (d *sampler) kept() kept {
	const entry = ops.SampleKept * 8
	k := d.k
	head := k.Arg(4).LdI64x2()
	own := k.Arg(4).At(entry).Elem(k.Thread().Min(d.blocks-1), entry).When(k.Thread().Lt(d.blocks)).LdI64x2()
	return kept{head[0], head[1].High().Clamp(0, ops.SampleBuckets-1), head[1].I32(), own[0], own[1].I32().Clamp(0, ops.SampleBlock)}
}

func newSifted(d *sampler, x kept) *sifted {
	k := d.k
	l := &sifted{sampler: d, kept: x, list: k.Arg(5), bins: k.Shared("bins", drawThreads*binSize), found: k.Shared("found", 16)}
	l.empty(l.bins.Elem(k.Thread(), binSize))
	k.If(k.Thread().Eq(0), l.none)
	l.each = d.most(best{x.listed, k.I32(0)}).key.Add(3).Shr(2) // and a barrier
	return l
}

// look runs body for the ranks of this thread, four at a time, zeros among them. What is read
// again comes from the L1.
func (l *sifted) look(body func(r codegen.I64)) {
	k := l.k
	k.For(k.Thread(), l.each.Mul(l.blocks), drawThreads, func(i codegen.I32) {
		block := i.UDiv(l.each)
		at := i.Sub(block.Mul(l.each)).Clamp(0, ops.SampleBlock/4-1)
		p := l.list.Elem(block.Clamp(0, l.blocks-1), ops.SampleBlock*8).Elem(at, 32)
		first, last := p.LdI64x2(), p.At(16).LdI64x2()
		for _, r := range append(first[:], last[:]...) {
			body(r)
		}
	})
}

// draw returns the id at the random point, that of the token's position, of the weights that
// top-k, top-p and min-p leave.
func (l *sifted) draw(top codegen.F32, position codegen.I64) codegen.I32 {
	k, d := l.k, l.sampler
	chance := k.Shared("chance", 8)
	k.If(k.Warp().Eq(drawThreads/32-1), func() { // all would take longer
		seed := k.Arg(1).At(plan.SmpSeed).LdI64()
		u := philox(k, seed, position)
		k.If(k.Lane().Eq(0), func() { chance.StI64(u) })
	})
	floor := codegen.Let(edge(l.lo)) // the lowest rank that stays
	mine, before, total := codegen.Let(k.I64(0)), codegen.Let(k.I64(0)), codegen.Let(k.I64(0))
	least := d.least()
	counted := d.topK.Gt(0)
	k.For(codegen.Select(counted, k.I32(0), k.I32(1)), 2, 1, func(round codegen.I32) {
		last := round.Ne(0) // top-p, the other is top-k
		goal := codegen.Let(l.goal)
		k.If(last.And(counted), func() { goal.Set(share(d.topP, total.Get())) })
		off := last.And(d.topP.Ge(1)).Or(goal.Get().Eq(0))
		end := codegen.Select(last.And(counted), k.I32(ops.SampleBuckets-1), l.lo) // bucket
		k.If(off.Not(), func() { floor.Set(l.search(floor.Get(), ceiling(end), goal.Get(), last)) })
		bar := floor.Get().UMax(codegen.Select(last, least, k.I64(0)).Shl(rankBits))
		l.look(func(r codegen.I64) {
			id := k.I32(1<<rankBits - 1).Sub(r.I32().And(1<<rankBits - 1))
			l.tally(id.Shr(log2(ops.SampleBlock)).Clamp(0, drawThreads-1), r.Shr(rankBits), r.UGe(bar), k.Bool(true))
		})
		k.Sync()
		sum := l.take(l.bins.Elem(k.Thread(), binSize)).mass.Add(l.kept.sum)
		b, t := d.scan(sum, d.blocks)
		mine.Set(sum)
		before.Set(b)
		total.Set(t)
	})
	point := chance.LdI64().MulHi(total.Get())
	block, from := l.holder(point, before.Get(), mine.Get())
	id := block.Clamp(0, d.blocks-1).Mul(ops.SampleBlock).Add(k.Thread())
	w := d.weights(id, 1, top)[0]
	stays := w.Ne(0).And(bucket(w).Ge(l.above).Or(rank(w, id).UGe(floor.Get()))).And(w.UGe(least))
	w = codegen.Select(stays, w, k.I64(0))
	b, _ := d.scan(w, drawThreads)
	at, _ := l.holder(point.Sub(from), b, w)
	return block.Mul(ops.SampleBlock).Add(at)
}

// none is what others find where no thread has an answer: numbers that no kernel of ours made.
func (l *sifted) none() {
	l.found.StI64x2([2]codegen.I64{l.k.Join(l.k.I32(0), l.k.I32(1)), l.k.I64(0)})
}

// holder returns the thread whose part of a running sum holds the point, and the sum before it.
func (l *sifted) holder(point, before, mine codegen.I64) (thread codegen.I32, sum codegen.I64) {
	k := l.k
	k.If(before.ULt(point.Add(1)).And(point.ULt(before.Add(mine))), func() {
		l.found.StI64x2([2]codegen.I64{k.Thread().I64(), before})
	})
	k.Sync()
	x := l.found.LdI64x2()
	k.Sync() // found is free again
	return x[0].I32(), x[1]
}
