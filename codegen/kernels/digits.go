package kernels

import (
	"math/bits"

	"dsac/codegen"
)

// digits finds the key of a given rank among the keys that the threads of a block hold. A
// histogram of the highest bits in which keys differ leaves the range of one bin, whose
// histogram leaves another, until all of a bin is wanted or its keys are equal: at most four
// rounds, two for usual scores.
type digits struct {
	blockSums
	thread codegen.I32
	bins   codegen.Ptr // shared, a word each; zero between searches; one more counts the others
	size   int         // bins, a power of two
	found  codegen.Ptr // shared: bin, keys above it, keys in it
}

// Adding up bins costs the threads that do it more than counting keys does, so few of them do.
const (
	foundSize  = 16
	otherBin   = 16
	binsEach   = 4 // of a thread that has some
	mostOwners = 256
)

func newDigits(k *codegen.K, threads int) digits {
	d := digits{blockSums: newBlockSums(k, threads), thread: k.Thread(), size: binsOf(threads)}
	d.bins, d.found = k.Shared("bins", 4*d.size+otherBin), k.Shared("found", foundSize)
	d.bins.At(4 * d.size).When(d.thread.Eq(0)).StI32(k.I32(0))
	d.own(func(at codegen.Ptr) { d.empty(at) })
	if d.warps == 1 {
		k.Sync() // others come to the barrier of extremes or most first
	}
	return d
}

// binsOf is the number of bins for a block: a power of two.
func binsOf(threads int) int { return binsEach * min(mostOwners, 1<<(bits.Len(uint(threads))-1)) }

// sharedDigits is the static shared memory of digits.
func sharedDigits(threads int) int { return 4*binsOf(threads) + otherBin + foundSize + sharedSums }

// owners is the number of threads that have bins: the first, whole warps.
func (d *digits) owners() int { return d.size / binsEach }

// own runs body where this thread has bins, with their place: those of thread 0 are the highest.
func (d *digits) own(body func(at codegen.Ptr)) {
	owners := d.owners()
	at := d.bins.Elem(d.kernel.I32(owners-1).Sub(d.thread).Max(0), 4*binsEach)
	if owners == 32*d.warps {
		body(at)
		return
	}
	d.kernel.If(d.thread.Lt(owners), func() { body(at) })
}

func (d *digits) empty(at codegen.Ptr) {
	zeros := make([]codegen.I32, binsEach)
	for i := range zeros {
		zeros[i] = d.kernel.I32(0)
	}
	at.StI32s(zeros...)
}

// search finds the key of rank want: of keys equal to the threshold, quota are to be taken
// beside all greater ones. Keys lie in [lo, hi], at least want of them; visit has every thread
// look at its keys, others than those in the range among them or not.
func (d *digits) search(lo, hi, want codegen.I32, visit func(look func(keys []codegen.I32))) (threshold, quota codegen.I32) {
	k := d.kernel
	from, to, left := codegen.Let(lo), codegen.Let(hi), codegen.Let(want)
	more := codegen.Let(k.I32(1))
	k.While(func() codegen.Pred { return more.Get().Ne(0) }, func() {
		span := to.Get().Sub(from.Get())
		shift := k.I32(32 - log2(d.size)).Sub(span.Clz()).Max(0)
		visit(func(keys []codegen.I32) { d.tally(keys, from.Get(), span, shift) })
		bin, above, in := d.cut(left.Get())
		left.Set(left.Get().Sub(above))
		from.Set(from.Get().Add(bin.Shl(shift)))
		to.Set(from.Get().Add(to.Get().Sub(from.Get()).UMin(k.I32(1).Shl(shift).Sub(1))))
		more.Set(shift.Ne(0).And(in.Ne(left.Get())).I32())
	})
	return from.Get(), left.Get()
}

// tally counts the keys in [from, from+span] in their bins, one by one: equal ones of a warp cost no
// more than others. It has no branches.
func (d *digits) tally(keys []codegen.I32, from, span, shift codegen.I32) {
	k := d.kernel
	for _, key := range keys {
		at := key.Sub(from)
		bin := codegen.Select(span.ULt(at), k.I32(d.size), at.Shr(shift))
		d.bins.Elem(bin, 4).Count(k.I32(1))
	}
}

// cut finds the bin, from the highest down, that holds the key of rank want, the number of keys
// above it and in it, and empties all bins. Threads without bins wait at every barrier as well: one
// for the others alone would do, but tools that look for races do not understand it.
func (d *digits) cut(want codegen.I32) (bin, above, in codegen.I32) {
	k := d.kernel
	k.Sync()
	n := codegen.Lets(binsEach, k.I32(0))
	sum, upTo := codegen.Let(k.I32(0)), codegen.Let(k.I32(0)) // of this thread, of the lanes up to it
	row := d.next()
	d.own(func(at codegen.Ptr) {
		for i, x := range at.LdI32s(binsEach) {
			n[i].Set(x)
			sum.Set(sum.Get().Add(x))
		}
		d.empty(at)
		upTo.Set(sumUpTo(sum.Get()))
		if d.warps > 1 {
			row.Elem(k.Warp(), 4).When(k.Lane().Eq(31)).StI32(upTo.Get())
		}
	})
	if d.warps > 1 {
		k.Sync()
	}
	d.own(func(codegen.Ptr) {
		above := upTo.Get().Sub(sum.Get())
		if d.warps > 1 {
			above = above.Add(d.earlier(d.ofWarps(row, d.owners()/32, 0)))
		}
		for i := binsEach - 1; i >= 0; i-- {
			upTo := above.Add(n[i].Get())
			k.If(above.Lt(want).And(want.Le(upTo)), func() {
				bin := k.I32(d.size - binsEach + i).Sub(d.thread.Mul(binsEach))
				d.found.StI32x4([4]codegen.I32{bin, above, n[i].Get(), k.I32(0)})
			})
			above = upTo
		}
	})
	k.Sync()
	x := d.found.LdI32x4()
	return x[0], x[1], x[2]
}

// emit puts into a list of a size the positions of keys greater than the threshold and, as far as the quota reaches,
// of those equal to it; with places for all but those of threads for which mine holds only. above and
// equal count those of earlier calls; with this one's they are returned.
func (d *digits) emit(list codegen.Ptr, size int, keys []codegen.I32, mine codegen.Pred, position func(j int) codegen.I32, threshold, quota, above, equal codegen.I32) (codegen.I32, codegen.I32) {
	k := d.kernel
	more, same := marks(keys, threshold.ULt), marks(keys, threshold.Eq)
	before, total := d.scan(more.Popc().Add(same.Popc().Shl(16))) // greater keys in the low half
	a, e := above.Add(before.And(0xffff)), equal.Add(before.Shr(16))
	k.If(mine.And(more.Or(same).Ne(0)), func() {
		left := quota.Sub(e).Max(0)
		taken := codegen.Let(codegen.Select(left.Eq(0), k.I32(0), same)) // the lowest are
		k.While(func() codegen.Pred { return taken.Get().Popc().Gt(left) }, func() {
			taken.Set(taken.Get().Xor(k.I32(1).Shl(k.I32(31).Sub(taken.Get().Clz()))))
		})
		chosen, rank := more.Or(taken.Get()), a.Add(e.Min(quota))
		for j := range keys {
			bit := chosen.Field(j, 1)
			list.Elem(rank.Clamp(0, size-1), 4).When(bit.Ne(0)).StI32(position(j))
			rank = rank.Add(bit)
		}
	})
	return above.Add(total.And(0xffff)), equal.Add(total.Shr(16))
}

// marks sets a bit for each key, at most 32, of which is holds.
func marks(keys []codegen.I32, is func(any) codegen.Pred) codegen.I32 {
	k := codegen.KernelOf(keys[0])
	word := k.I32(0)
	for j, key := range keys {
		word = word.Or(codegen.Select(is(key), k.I32(1<<j), k.I32(0)))
	}
	return word
}

// near is a search among numbers that ends with the first histogram, of bins of one width, where
// that has a number that want of the keys are not below, and at most spare more. It does as long
// as the numbers are of one order of magnitude.
func (d *digits) near(xs []codegen.F32, keys []codegen.I32, lo, hi, want, spare codegen.I32) codegen.I32 {
	k := d.kernel
	least := floatOf(lo)
	width := floatOf(hi).Sub(least)
	perUnit := width.Rcp().Mul(float64(d.size))
	for _, x := range xs {
		bin := x.Sub(least).Mul(perUnit).Max(0).Min(float64(d.size - 1)).Trunc()
		d.bins.Elem(bin, 4).Count(k.I32(1))
	}
	bin, above, in := d.cut(want)
	key := codegen.Let(sortKey(least.Add(bin.F32().Mul(width).Mul(1 / float64(d.size)))))
	k.If(above.Add(in).Sub(want).Gt(spare), func() {
		x, _ := d.search(lo, hi, want, func(look func([]codegen.I32)) { look(keys) })
		key.Set(x)
	})
	return key.Get()
}
