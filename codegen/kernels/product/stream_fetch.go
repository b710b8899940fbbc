package product

import "dsac/codegen"

// cursor is where a warp fetches next. Words are fetched in the order in which they are used:
// iterations of a tile, held tiles of a window, windows of a group, groups of the block.
type cursor struct {
	group, held, lo, iter *codegen.Var[codegen.I32] // lo: first iteration of the window
}

// start fetches the first words of a group.
func (e *streaming) start(group codegen.I32) {
	e.at.group.Set(group)
	e.at.held.Set(e.k.I32(0))
	e.at.lo.Set(e.k.I32(0))
	e.at.iter.Set(e.wk)
	e.keep(e.fetch(0))
}

// keep makes words those that are multiplied next.
func (e *streaming) keep(words []codegen.I32) {
	for i, w := range words {
		e.words[i].Set(w)
	}
}

// next fetches what follows the words at hand, those of weight m.
func (e *streaming) next(m int) []codegen.I32 {
	if m+1 < len(e.weights) {
		return e.fetch(m + 1)
	}
	e.advance()
	return e.fetch(0)
}

// advance goes to the next iteration. Past the last group it stays there.
func (e *streaming) advance() {
	at := &e.at
	next := at.iter.Get().Add(e.split)
	end := next.Ge(e.iters)
	if !e.resident() {
		lo, held := at.lo.Get(), at.held.Get()
		end = next.Ge(lo.Add(e.window).Min(e.iters))
		held = codegen.Select(end, held.Add(1), held)
		next = codegen.Select(end, lo.Add(e.wk), next)
		end = held.Ge(e.held)
		at.held.Set(codegen.Select(end, e.k.I32(0), held))
		lo = codegen.Select(end, lo.Add(e.window), lo)
		next = codegen.Select(end, lo.Add(e.wk), next)
		end = next.Ge(e.iters)
		at.lo.Set(codegen.Select(end, e.k.I32(0), lo))
	}
	at.iter.Set(codegen.Select(end, e.wk, next))
	group := at.group.Get()
	at.group.Set(codegen.Select(end, group.Add(e.k.GridX()).Min(e.groups-1), group))
}

// fetch loads the words of weight m at the cursor.
func (e *streaming) fetch(m int) (words []codegen.I32) {
	w := e.weights[m]
	unit := e.at.iter.Get().Mul(e.quantum)
	seg := e.k.I32(0)
	if e.segs > 1 {
		seg = unit.UDiv(w.units()).UMin(e.segs - 1)
		unit = unit.Sub(seg.Mul(w.units()))
	}
	tile := e.at.group.Get().Mul(e.warps / e.split).Add(e.wr).Mul(e.held).Add(e.at.held.Get())
	tile = e.matrix(seg).Mul(w.tiles()).Add(tile.UMin(w.tiles() - 1))
	for q := range e.quantum {
		p := w.unit(e.k.Arg(e.args[m]), tile, unit.Add(q).UMin(w.units()-1))
		words = append(words, w.load(e.k, p)...)
	}
	return words
}

// matrix returns the number of the matrix for a segment.
func (e *streaming) matrix(seg codegen.I32) codegen.I32 {
	if e.known != nil {
		return e.known(e.k.BlockY())
	}
	return e.b.matrix(seg)
}
