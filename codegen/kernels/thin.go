package kernels

import (
	"math"

	"dsac/codegen"
)

// To find the k largest of many keys takes a block long: each key is looked at in every round of
// a search, and every thread issues its instructions. So keys below one that is not above the
// k-th are dropped first, and what remains lies in shared memory in order of position, where
// half of the threads search it. At the first level such a key is guessed from a sample; below
// it is the key of the smallest node chosen, which is a child too. Where the guess is wrong, or
// too many keys are equal, all threads search all keys.

// few is the number of candidates that are searched, at most.
func (d *descent) few() int { return run * d.threads }

// fewEach is the number of candidates of a searcher.
func (d *descent) fewEach() int { return d.few() / d.searchers() }

// candidateBytes is the size of the keys of candidates.
func (d *descent) candidateBytes() int { return 4 * (d.few() + d.searchers()) }

// searchers is the number of threads that search candidates.
func (d *descent) searchers() int { return max(32, d.threads/2) }

// thins says whether candidates are likely to be fewer than keys, and enough.
func (d *descent) thins() bool { return d.width > d.few() && 2*d.few() >= 3*d.count }

// guess sets least from the first keys of all threads, which lie evenly over the nodes: to the
// one of a rank that is three standard deviations past that at which k would be expected.
func (w *descending) guess(sample codegen.I32) {
	if !w.thins() {
		return
	}
	k := w.k
	per := w.groups * run
	expected := float64(w.count) / float64(per)
	rank := int(math.Ceil(expected + 3*math.Sqrt(expected)))
	k.If(w.nodes.Get().Gt(w.few()), func() {
		w.chosen.Elem(w.thread, 4).StI32(sample)
		k.Sync()
		w.search(func() codegen.I32 {
			each := w.threads / w.searchers()
			keys := w.chosen.Elem(w.thread, 4*each).LdI32s(each)
			lo, hi := w.some.extremes(keys)
			samples := w.nodes.Get().Add(per - 1).Shr(log2(per))
			least, _ := w.some.search(lo, hi, samples.Min(rank), func(look func([]codegen.I32)) { look(keys) })
			return least
		})
	})
}

// search has the searchers run body and tells all threads the key that it returns, as least.
func (w *descending) search(body func() codegen.I32) {
	k := w.k
	k.If(w.thread.Lt(w.searchers()), func() {
		least := body()
		k.If(w.thread.Eq(0), func() { w.told.StI32(least) })
	})
	k.Sync()
	w.least.Set(w.told.LdI32())
}

// pick lists the k largest of the keys in chosen.
func (w *descending) pick(vars, under []*codegen.Var[codegen.I32]) {
	k := w.k
	keys := make([]codegen.I32, len(vars))
	for j, v := range vars {
		keys[j] = v.Get()
	}
	at := func(j int) codegen.I32 { return under[j/run].Get().Mul(run).Add(j % run) }
	everything := func() { w.least.Set(w.pickOf(&w.all, keys, func() places { return at })) }
	if !w.thins() {
		everything()
		return
	}
	n := w.thin(keys, at)
	k.IfElse(n.Ge(w.count).And(n.Le(w.few())), func() {
		k.Sync()
		w.search(func() codegen.I32 {
			return w.pickOf(&w.some, w.candidates(n), w.placesOf(n))
		})
	}, everything)
}

// thin collects the keys that are not below least, if they are few, with their positions, and
// returns how many there are.
func (w *descending) thin(keys []codegen.I32, at func(j int) codegen.I32) codegen.I32 {
	stay := marks(keys, w.least.Get().Sub(1).ULt) // least is 1 or more
	before, total := w.all.scan(stay.Popc())
	w.k.If(total.Le(w.few()), func() {
		slot := before
		for j, key := range keys {
			stays := stay.Field(j, 1)
			to := w.candidate(slot).When(stays.Ne(0))
			to.StI32(key)
			to.At(w.candidateBytes()).StI32(at(j))
			slot = slot.Add(stays)
		}
	})
	return total
}

// candidate is where the key of candidate i lies; its position lies candidateBytes further on.
// Runs of a searcher are one word apart, in different banks.
func (w *descending) candidate(i codegen.I32) codegen.Ptr {
	return w.chosen.Elem(i.Add(i.UDiv(w.fewEach())), 4)
}

// candidates loads a searcher's of n candidates: zeros past the last.
func (w *descending) candidates(n codegen.I32) (keys []codegen.I32) {
	for j := range w.fewEach() {
		i := w.thread.Mul(w.fewEach()).Add(j)
		keys = append(keys, w.candidate(i).When(i.Lt(n)).LdI32())
	}
	return keys
}

// placesOf loads their positions.
func (w *descending) placesOf(n codegen.I32) func() places {
	return func() places {
		var at []codegen.I32
		for j := range w.fewEach() {
			i := w.thread.Mul(w.fewEach()).Add(j)
			at = append(at, w.candidate(i).At(w.candidateBytes()).When(i.Lt(n)).LdI32())
		}
		return func(j int) codegen.I32 { return at[j] }
	}
}

// pickOf lists the k largest of the keys that some threads have in chosen, by their positions,
// and returns a key that none of them is below.
func (w *descending) pickOf(d *digits, keys []codegen.I32, at func() places) codegen.I32 {
	k := w.k
	any := k.I32(0)
	for _, key := range keys {
		any = any.Or(key)
	}
	lo, hi := d.extremes(keys)
	threshold, quota := d.search(lo, hi, k.I32(w.count), func(look func([]codegen.I32)) {
		k.If(any.Ne(0), func() { look(keys) })
	})
	d.emit(w.chosen, w.count, keys, at, threshold, quota, k.I32(0), k.I32(0))
	return threshold
}
