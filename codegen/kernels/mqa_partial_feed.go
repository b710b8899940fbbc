package kernels

import "dsac/codegen"

// feed is what the warps do that fill the buffers, some each: they copy the tiles with the
// buffer's number modulo two. The second buffer's begin when the first tile has been asked for, so
// that it is not late.
func (w *parting) feed() {
	k := w.k
	feeder := k.Warp().Sub(w.warps)
	buffer := feeder.UDiv(feeders)
	place := feeder.Sub(buffer.Mul(feeders)).Mul(w.tile / feeders)
	mine := w.entriesOf(buffer, place)
	if w.buffers() > 1 {
		order := func() { k.Meet(barrierOrder, 2*32*feeders) }
		k.If(buffer.Ne(0), order)
		w.copyTile(buffer, place, mine)
		k.If(buffer.Eq(0), order)
	} else {
		w.copyTile(buffer, place, mine)
	}
	if !w.many() {
		k.CopyWait(0)
		for i := range w.buffers() {
			k.If(buffer.Eq(i), func() { w.arrived(i) })
		}
		return
	}
	next := codegen.Let(w.entriesOf(buffer.Add(2), place))
	k.For(0, w.tiles, 1, func(i codegen.I32) {
		own := i.And(1).Eq(buffer)
		k.If(own, func() { k.CopyWait(0) })
		k.IfElse(i.Eq(0), func() { k.If(buffer.Eq(0), func() { w.arrived(0) }) }, w.everyone)
		// nobody reads the tile before i
		k.If(own.Not().And(i.Gt(0)).And(i.Add(1).Lt(w.tiles)), func() {
			w.copyTile(buffer, place, next.Get())
			next.Set(w.entriesOf(i.Add(3), place))
		})
	})
}

// entriesOf loads the entries of a tile from place on whose rows this warp copies, one a lane.
func (w *parting) entriesOf(tile, place codegen.I32) codegen.I32 {
	per := w.tile / feeders
	first := w.first.Add(tile.Mul(w.tile)).Add(place)
	return w.entry(w.k, w.t, first.Add(w.k.Lane().And(per-1)), w.end)
}

// copyTile starts copying this warp's rows of a tile to a buffer, and leaves their entries where
// those who weigh them look. Of a row lanes copy 16 bytes each as often as all of them do; what is
// left of the rows they copy together.
func (w *parting) copyTile(buffer, place, mine codegen.I32) {
	k, per := w.k, w.tile/feeders
	to := w.memory.Elem(buffer, w.tileBytes()).Elem(place, w.stride())
	chunks := w.width() / 8
	full, rest := chunks/32, chunks%32
	const together = 8
	k.For(0, per, together, func(row codegen.I32) {
		for i := range together {
			entry := codegen.ShflIdx(mine, row.Add(i))
			for c := range full {
				w.copyChunk(to.Elem(row.Add(i), w.stride()).Elem(k.Lane(), 16).At(512*c), entry, k.Lane().Add(32*c))
			}
		}
	})
	k.For(0, per*rest, 32, func(c codegen.I32) {
		i := k.Lane().Add(c)
		row := i.UDiv(rest)
		column := i.Sub(row.Mul(rest)).Clamp(0, rest-1).Add(32 * full)
		entry := codegen.ShflIdx(mine, row)
		one := func() { w.copyChunk(to.Elem(row, w.stride()).Elem(column, 16), entry, column) }
		if per*rest%32 == 0 {
			one()
		} else {
			k.If(row.Lt(per), one)
		}
	})
	k.CopyCommit()
	at := w.memory.At(w.entriesAt()).Elem(buffer, w.tile*4).Elem(place.Add(k.Lane()), 4)
	at.When(k.Lane().Lt(per)).StI32(mine)
}

// copyChunk copies eight elements of a row of the cache, or zeros past the end of the list.
func (w *parting) copyChunk(to codegen.Ptr, entry, column codegen.I32) {
	k, size := w.k, w.cache.size
	from := k.Arg(2).Elem(entry.Clamp(0, w.rows-1), w.width()*size).Elem(column, 8*size)
	if w.cache.async {
		k.CopyAsyncZero(to, from, 16, codegen.Select(entry.Ge(0), k.I32(16), k.I32(0)))
		return
	}
	to.StI32x4(w.cache.load8(k, from.When(entry.Ge(0))))
}
