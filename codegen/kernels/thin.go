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
func (d *descent) few() int { return 4 * d.threads }

// fewEach is the number of candidates of a searcher.
func (d *descent) fewEach() int { return d.few() / d.searchers() }

// searchers is the number of threads that search candidates.
func (d *descent) searchers() int { return d.threads }

// thins says whether candidates are likely to be fewer than keys, and enough.
func (d *descent) thins() bool {
	return d.threads >= 128 && d.width > d.few() && 2*d.few() >= 3*d.count
}

// closest is the highest level whose nodes are thinned out: others would have to be worked out
// again.
func (d *descent) closest() int { return min(d.levels, 1) }

// guess sets least from the first keys of all threads, which lie evenly over the nodes: to the
// one of a rank that is three standard deviations past that at which k would be expected.
func (w *descending) guess() {
	if !w.thins() {
		return
	}
	k := w.k
	per := w.groups * run
	expected := float64(w.count) / float64(per)
	rank := int(math.Ceil(expected + 3*math.Sqrt(expected)))
	k.If(w.nodes.Get().Gt(w.few()), func() {
		first := codegen.Select(w.valid().Field(0, 1).Ne(0), sortKey(w.held[0].Get()), k.I32(0))
		w.chosen.Elem(w.thread, 4).StI32(first)
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

// pick lists the k largest of the nodes that the block holds in chosen.
func (w *descending) pick() {
	k := w.k
	everything := func() {
		valid := w.valid()
		keys := make([]codegen.I32, len(w.held))
		for j, x := range w.held {
			keys[j] = codegen.Select(valid.Field(j, 1).Ne(0), sortKey(x.Get()), k.I32(0))
		}
		w.least.Set(w.pickOf(&w.all, keys, func() places { return w.place }))
	}
	if !w.thins() {
		everything()
		return
	}
	n := w.thin()
	small := n.Ge(w.count).And(n.Le(w.few())).And(w.level.Get().Le(w.closest()))
	k.IfElse(small, func() {
		k.Sync()
		w.search(func() codegen.I32 {
			return w.pickOf(&w.some, w.candidates(n), func() places {
				at := w.candidatePlaces(n)
				return func(j int) codegen.I32 { return at[j] }
			})
		})
	}, everything)
}

// thin collects the positions of nodes that are not below least, if they are few, and returns
// how many there are. Numbers that are none stay: they count as minus infinity.
func (w *descending) thin() codegen.I32 {
	k := w.k
	bar := floatOf(w.least.Get())
	stay := k.I32(0)
	for j, x := range w.held {
		stay = stay.Or(codegen.Select(x.Get().Lt(bar), k.I32(0), k.I32(1<<j)))
	}
	stay = stay.And(w.valid())
	before, total := w.all.scan(stay.Popc())
	k.If(total.Le(w.few()), func() {
		slot := before
		for j := range w.held {
			stays := stay.Field(j, 1)
			w.chosen.Elem(slot, 4).When(stays.Ne(0)).StI32(w.place(j))
			slot = slot.Add(stays)
		}
		pad := total.Add(w.thread) // the last vector is read as a whole
		k.If(w.thread.Lt(3).And(pad.Lt(w.few())), func() { w.chosen.Elem(pad, 4).StI32(k.I32(0)) })
	})
	return total
}

// candidatePlaces loads the positions of this searcher's of n candidates.
func (w *descending) candidatePlaces(n codegen.I32) (at []codegen.I32) {
	for j := 0; j < w.fewEach(); j += 4 {
		i := w.thread.Mul(w.fewEach()).Add(j)
		at = append(at, w.chosen.Elem(i, 4).When(i.Lt(n)).LdI32s(4)...)
	}
	return at
}

// candidates makes the keys of this searcher's of n candidates: zeros past the last.
func (w *descending) candidates(n codegen.I32) []codegen.I32 {
	at := w.candidatePlaces(n)
	xs := codegen.Lets(len(at), w.k.F32(0))
	w.atLevel(w.closest(), func(level int) {
		for j, p := range at {
			xs[j].Set(w.value(level, p))
		}
	})
	keys := make([]codegen.I32, len(at))
	for j, x := range xs {
		i := w.thread.Mul(w.fewEach()).Add(j)
		keys[j] = codegen.Select(i.Lt(n), sortKey(x.Get()), w.k.I32(0))
	}
	return keys
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
