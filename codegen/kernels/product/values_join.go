package product

import "dsac/codegen"

// join stages the rows of a head. Means of what caches hold as f16 are no larger than that: they
// need no scaling.
func (e *valuing) join() {
	k, threads := e.k, 32*valueWarps
	room := e.Room(k, valueWarps)
	items := e.slots * e.columns() / 2
	var puts []func()
	for u := 0; u < items; u += threads {
		i := k.Thread().Add(u)
		if u+threads > items {
			k.If(i.Lt(items), func() { e.joinPair(room, i)() })
			break
		}
		puts = append(puts, e.joinPair(room, i)) // all loads ahead of the first use
	}
	for _, put := range puts {
		put()
	}
}

// joinPair starts to load two columns of a row of all parts; what it returns stages their mean.
func (e *valuing) joinPair(room codegen.Ptr, item codegen.I32) (put func()) {
	k, pairs := e.k, e.columns()/2
	row, pair := k.I32(0), item
	if e.slots > 1 {
		row = item.UDiv(pairs)
		pair = item.Sub(row.Mul(pairs)).Clamp(0, pairs-1)
	}
	live, t := k.Bool(true), row.Clamp(0, e.rows-1)
	if e.rows > 1 {
		live = row.Lt(e.live)
	}
	there := live
	if pairs > e.Rank/2 {
		there = live.And(pair.Lt(e.Rank / 2))
	}
	x := e.Load(k, t, e.head, pair.Min(e.Rank/2-1), there)
	return func() {
		mean := e.Join(k, room, t, e.head, x, live)
		e.place(row.Clamp(0, e.slots-1), pair).StH2(k.PackH2(mean[0], mean[1]))
	}
}

// place is where columns 2*pair and the next of a row are staged. Runs of eight columns, s = 0..7
// of chunk c, lie at (c*slots + row)*128 + 16*(s ^ 4*(row&1)), so that the 16-byte loads of eight
// neighbouring lanes meet different banks; which run is whose is for package repack to say.
func (e *valuing) place(row, pair codegen.I32) codegen.Ptr {
	run := pair.Shr(2)
	chunk, slot := run.Shr(3), run.And(7)
	if e.w.spread() {
		chunk, slot = run.Shr(5).Shl(2).Or(run.And(3)), run.Shr(2).And(7)
	}
	slot = slot.Xor(row.And(1).Shl(2))
	return e.x.Elem(chunk.Mul(e.slots).Add(row), rowBytes).Elem(slot, 16).Elem(pair.And(3), 4)
}
