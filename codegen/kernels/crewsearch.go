package kernels

import "dsac/codegen"

// Keys go to threads in units of as many as a thread has.

// pad makes the last unit of keys and of the list whole.
func (w *sharing) pad(list codegen.Ptr, n codegen.I32) {
	k := w.k
	at := n.Add(w.thread)
	k.If(w.thread.Lt(w.each-1).And(at.Lt(w.few())), func() {
		w.keys.Elem(at, 4).StI32(k.I32(0))
		list.Elem(at, 4).StI32(k.I32(0))
	})
}

// units is how many units n keys are.
func (w *sharing) units(n codegen.I32) codegen.I32 { return n.Add(w.each - 1).Shr(log2(w.each)) }

// tell puts where others look it up how many keys there are, and the largest.
func (w *sharing) tell(n codegen.I32) {
	k := w.k
	w.largest.Elem(k.Warp(), 4).When(k.Lane().Eq(0)).StI32(k.WarpMaxU32(w.most.Get()))
	k.Sync()
	k.If(k.Warp().Eq(0), func() {
		most := k.WarpMaxU32(w.largest.Elem(k.Lane().Min(w.warps-1), 4).LdI32())
		w.kept.When(k.Lane().Eq(0)).StI32x2([2]codegen.I32{n.Min(tooMany), most})
	})
}

// tooMany is more than all blocks have room for.
const tooMany = 1 << 20

// choices chooses among what all blocks have kept, and lists those of this one. It ends with an
// arrival at the barrier of the cluster.
func (w *sharing) choices(b bar, list codegen.Ptr) (done codegen.Pred) {
	k := w.k
	x := w.kept.Peer(k.Lane().And(w.blocks - 1)).LdI32x2()
	hi := k.WarpMaxU32(x[1])
	total, units := k.I32(0), k.I32(0)
	owner, start := k.I32(0), k.I32(0) // of this thread's unit: its block, and the first of this block
	for i := range w.blocks {
		if i > 0 {
			past := w.thread.Ge(units)
			owner, start = codegen.Select(past, k.I32(i), owner), codegen.Select(past, units, start)
		}
		n := codegen.ShflIdx(x[0], i)
		total, units = total.Add(n), units.Add(w.units(n))
	}
	good := total.Ge(w.count).And(units.Le(w.threads))
	busy := good.And(w.thread.Lt(units))
	unit := 4 * w.each // bytes
	at := w.thread.Sub(start).Clamp(0, w.threads-1)
	var keys []codegen.I32
	for j := 0; j < w.each; j += 4 {
		keys = append(keys, w.keys.Peer(owner).Elem(at, unit).At(4*j).When(busy).LdI32s(4)...)
	}
	k.ClusterArrive()
	k.If(good, func() {
		threshold, quota := w.search(sortKey(b.x), hi, k.I32(w.count), func(look func([]codegen.I32)) {
			k.If(busy, func() { look(keys) })
		})
		var four []codegen.I32
		place := func(j int) codegen.I32 {
			if j%4 == 0 {
				four = list.Elem(at, unit).At(4 * j).LdI32s(4)
			}
			return four[j%4]
		}
		w.emit(w.list, w.count, keys, busy.And(owner.Eq(w.rank)), place, threshold, quota, k.I32(0), k.I32(0))
	})
	return good
}
