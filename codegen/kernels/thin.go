package kernels

import (
	"math"

	"dsac/codegen"
)

// To find the k largest of many keys takes a block long: each key is looked at in every round of
// a search. So keys below one that is not above the k-th are dropped first, and what remains, a
// few for each thread, lies in shared memory in order of position. At the first level such a key
// is guessed from a sample; below it is the key of the smallest node chosen, which is a child
// too. Where the guess is wrong, or too many keys are equal, the search takes them all.

const fewEach = 4 // candidates of a thread, at most

// few is the number of candidates that a block takes.
func (d *descent) few() int { return fewEach * d.threads }

// thins says whether candidates are likely to be fewer than keys, and enough.
func (d *descent) thins() bool { return d.width > d.few() && 2*d.few() >= 3*d.k }

// guess sets least from the first keys of all threads, which lie evenly over the nodes: to the
// one of a rank that is three standard deviations past that at which k would be expected.
func (w *descending) guess(sample codegen.I32) {
	if !w.thins() {
		return
	}
	k := w.kernel
	per := w.groups * run
	expected := float64(w.descent.k) / float64(per)
	rank := int(math.Ceil(expected + 3*math.Sqrt(expected)))
	k.If(w.nodes.Get().Gt(w.few()), func() {
		keys := []codegen.I32{sample}
		lo, hi := w.extremes(keys)
		samples := w.nodes.Get().Add(per - 1).Shr(log2(per))
		least, _ := w.search(lo, hi, samples.Min(rank), func(look func([]codegen.I32)) { look(keys) })
		w.least.Set(least)
	})
}

// pick lists the k largest of the keys in chosen.
func (w *descending) pick(vars, under []*codegen.Var[codegen.I32]) {
	k := w.kernel
	keys := make([]codegen.I32, len(vars))
	for j, v := range vars {
		keys[j] = v.Get()
	}
	at := func(j int) codegen.I32 { return under[j/run].Get().Mul(run).Add(j % run) }
	if !w.thins() {
		w.pickOf(keys, at)
		return
	}
	n := w.thin(keys, at)
	k.IfElse(n.Ge(w.descent.k).And(n.Le(w.few())), func() {
		k.Sync()
		w.pickOf(w.candidates(n))
	}, func() { w.pickOf(keys, at) })
}

// thin collects the keys that are not below least, if they are few, with their positions, and
// returns how many there are.
func (w *descending) thin(keys []codegen.I32, at func(j int) codegen.I32) codegen.I32 {
	k := w.kernel
	stay := marks(keys, w.least.Get().Sub(1).ULt) // least is 1 or more
	before, total := w.scan(stay.Popc())
	k.If(total.Le(w.few()), func() {
		slot := before
		for j, key := range keys {
			stays := stay.Field(j, 1)
			w.candidate(slot).When(stays.Ne(0)).StI32x2([2]codegen.I32{key, at(j)})
			slot = slot.Add(stays)
		}
	})
	return total
}

// candidate is the place of candidate i.
func (w *descending) candidate(i codegen.I32) codegen.Ptr {
	return w.chosen.Elem(i, 8)
}

// candidates loads this thread's of n candidates: zeros past the last.
func (w *descending) candidates(n codegen.I32) (keys []codegen.I32, at func(j int) codegen.I32) {
	var places []codegen.I32
	for j := range fewEach {
		i := w.thread.Mul(fewEach).Add(j)
		x := w.candidate(i).When(i.Lt(n)).LdI32x2()
		keys, places = append(keys, x[0]), append(places, x[1])
	}
	return keys, func(j int) codegen.I32 { return places[j] }
}

// pickOf lists the k largest of the keys in chosen, by their positions.
func (w *descending) pickOf(keys []codegen.I32, at func(j int) codegen.I32) {
	k := w.kernel
	some := k.I32(0)
	for _, key := range keys {
		some = some.Or(key)
	}
	lo, hi := w.extremes(keys)
	threshold, quota := w.search(lo, hi, k.I32(w.descent.k), func(look func([]codegen.I32)) {
		k.If(some.Ne(0), func() { look(keys) })
	})
	w.least.Set(threshold)
	w.emit(w.chosen, w.descent.k, keys, at, threshold, quota, k.I32(0), k.I32(0))
}
