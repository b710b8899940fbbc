package kernels

import "dsac/codegen"

// Keys go to other blocks, and to threads, in units of as many as a thread has.

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

// slot is how many units of keys a block sends to each.
func (w *sharing) slot() int { return w.threads / w.blocks }

// send tells every block, this one too, how many of n keys there are, and the largest; and the keys,
// unless they are more than an even share.
func (w *sharing) send(n codegen.I32) {
	k := w.k
	k.If(k.Warp().Eq(0), func() {
		most := k.WarpMaxU32(w.largest.Elem(k.Lane().Min(w.warps-1), 4).LdI32())
		to := w.kept.Peer(w.thread.Min(w.blocks-1)).Elem(w.rank, 8)
		to.When(w.thread.Lt(w.blocks)).StI32x2([2]codegen.I32{n.Min(tooMany), most})
	})
	units := w.units(n)
	k.If(units.Le(w.slot()), func() {
		k.For(w.thread, units.Mul(w.each/4).Shl(log2(w.blocks)), w.threads, func(i codegen.I32) {
			at := i.Shr(log2(w.blocks))
			to := w.inbox.Peer(i.And(w.blocks-1)).Elem(w.rank, 4*w.each*w.slot())
			to.Elem(at, 16).StI32x4(w.keys.Elem(at, 16).LdI32x4())
		})
	})
}

// tooMany is more than all blocks have room for.
const tooMany = 1 << 20

// choices chooses among what all blocks have kept, and lists those of this one.
func (w *sharing) choices(b bar, list codegen.Ptr) (done codegen.Pred) {
	k := w.k
	total, units, even, hi := k.I32(0), k.I32(0), k.Bool(true), k.I32(0)
	owner, start := k.I32(0), k.I32(0) // of this thread's unit: its block, and the first of this block
	for i := 0; i < w.blocks; i += 2 {
		x := w.kept.Elem(k.I32(i), 8).LdI32x4()
		for j, n := range []codegen.I32{x[0], x[2]} {
			if i+j > 0 {
				past := w.thread.Ge(units)
				owner, start = codegen.Select(past, k.I32(i+j), owner), codegen.Select(past, units, start)
			}
			u := w.units(n)
			total, units, even, hi = total.Add(n), units.Add(u), even.And(u.Le(w.slot())), hi.UMax(x[2*j+1])
		}
	}
	good := total.Ge(w.count).And(units.Le(w.threads))
	at := w.thread.Sub(start)
	busy := good.And(w.thread.Lt(units))
	keys := codegen.Lets(w.each, k.I32(0))
	take := func(from codegen.Ptr) {
		for j := 0; j < w.each; j += 4 {
			for i, key := range from.At(4 * j).When(busy).LdI32s(4) {
				keys[j+i].Set(key)
			}
		}
	}
	unit := 4 * w.each // bytes
	k.IfElse(even, func() {
		take(w.inbox.Elem(owner, unit*w.slot()).Elem(at.Clamp(0, w.slot()-1), unit))
	}, func() {
		take(w.keys.Peer(owner).Elem(at.Clamp(0, w.threads-1), unit))
		k.ClusterArrive()
	})
	k.If(good, func() {
		threshold, quota := w.search(sortKey(b.x), hi, k.I32(w.count), func(look func([]codegen.I32)) {
			k.If(busy, func() { look(values(keys)) })
		})
		places := list.Elem(at.Clamp(0, w.threads-1), unit)
		var four []codegen.I32
		place := func(j int) codegen.I32 {
			if j%4 == 0 {
				four = places.At(4 * j).LdI32s(4)
			}
			return four[j%4]
		}
		w.emit(w.list, w.count, values(keys), busy.And(owner.Eq(w.rank)), place, threshold, quota, k.I32(0), k.I32(0))
	})
	k.If(even.Not(), k.ClusterWait) // for those that load from here
	return good
}
