package kernels

import "dsac/codegen"

// feeder is a warp that fills a buffer: it copies some rows of tiles.
type feeder struct {
	buffer codegen.I32
	place  codegen.I32 // its first row of a tile
}

// feeder finds out anew what this warp fills: registers to keep it in are few.
func (w *parting) feeder() feeder {
	n := w.k.Thread().Here().Shr(5).Sub(w.warps)
	buffer := n.UDiv(feeders)
	return feeder{buffer, n.Sub(buffer.Mul(feeders)).Mul(w.tile / feeders)}
}

// ask begins to copy a tile to each buffer. The second buffer's copies begin when the first tile has
// been asked for, so that it is not late.
func (w *parting) ask(f feeder) {
	k := w.k
	mine := w.entriesOf(f.buffer, f.place)
	if w.buffers() > 1 {
		order := func() { k.Meet(barrierOrder, 2*32*feeders) }
		k.If(f.buffer.Ne(0), order)
		w.copyTile(f, mine)
		k.If(f.buffer.Eq(0), order)
	} else {
		w.copyTile(f, mine)
	}
}

// feed fills the buffers, once.
func (w *parting) feed() {
	f := w.feeder()
	w.ask(f)
	w.k.CopyWait(0)
	for i := range w.buffers() {
		w.k.If(f.buffer.Eq(i), func() { w.arrived(i) })
	}
}

// feedFirst fills the buffers for the first time, and finds out what is copied next.
func (w *parting) feedFirst(next *codegen.Var[codegen.I32]) {
	k, f := w.k, w.feeder()
	w.ask(f)
	next.Set(w.entriesOf(f.buffer.Add(2), f.place))
	k.If(f.buffer.Eq(0), func() {
		k.CopyWait(0)
		w.arrived(0)
	})
}

// feedNext sees to it that tile i+1 is there when others have worked on tile i: it copies the tile,
// but for the first two, to the buffer of the tile before i, which is free now.
func (w *parting) feedNext(i codegen.I32, next *codegen.Var[codegen.I32]) {
	k, f := w.k, w.feeder()
	k.If(i.And(1).Ne(f.buffer), func() {
		k.If(i.Gt(0).And(i.Add(1).Lt(w.tiles)), func() {
			w.copyTile(f, next.Get())
			next.Set(w.entriesOf(i.Add(3), f.place))
		})
		k.CopyWait(0)
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
func (w *parting) copyTile(f feeder, mine codegen.I32) {
	k, per := w.k, w.tile/feeders
	to := w.memory.Elem(f.buffer, w.tileBytes()).Elem(f.place, w.stride())
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
	at := w.memory.At(w.entriesAt()).Elem(f.buffer, w.tile*4).Elem(f.place.Add(k.Lane()), 4)
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
