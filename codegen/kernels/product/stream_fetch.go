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
	for m := range e.weights[:len(e.weights)-e.last()] {
		for q := range e.quantum {
			e.refill(m, q, e.unit(m, q), func(part) bool { return true })
		}
	}
}

// advance goes to the next iteration. Past the last group it stays there.
func (e *streaming) advance() {
	at := &e.at
	next, first := at.iter.Get().Add(e.split), e.wk
	end := next.Ge(e.iters)
	if !e.resident() {
		lo := at.lo.Get()
		end, first = next.Ge(lo.Add(e.window).Min(e.iters)), lo.Add(e.wk)
	}
	next = codegen.Select(end, first, next)
	if !e.resident() || e.held > 1 {
		held := at.held.Get()
		held = codegen.Select(end, held.Add(1), held)
		end = held.Ge(e.held)
		at.held.Set(codegen.Select(end, e.k.I32(0), held))
	}
	if !e.resident() {
		lo := at.lo.Get()
		lo = codegen.Select(end, lo.Add(e.window), lo)
		next = codegen.Select(end, lo.Add(e.wk), next)
		end = next.Ge(e.iters)
		at.lo.Set(codegen.Select(end, e.k.I32(0), lo))
		next = codegen.Select(end, e.wk, next)
	}
	at.iter.Set(next)
	group := at.group.Get()
	at.group.Set(codegen.Select(end, group.Add(e.stride()).Min(e.groups-1), group))
}

// turns says whether two weights have the same words in turn, which spares registers.
func (s *stream) turns() bool {
	return len(s.weights) == 2 && s.weights[0].format == s.weights[1].format
}

// follows returns the weight whose words follow those of weight m in their place.
func (s *stream) follows(m int) int {
	if s.turns() {
		return 1 - m
	}
	return m
}

// last returns the weight from which on words of the next iteration follow.
func (s *stream) last() int {
	if s.turns() {
		return 1
	}
	return 0
}

// unit returns the address of a unit of weight m of the iteration at the cursor.
func (e *streaming) unit(m, q int) codegen.Ptr {
	w := e.weights[m]
	unit := e.at.iter.Get().Add(e.rank.Mul(e.iters)).Mul(e.quantum)
	seg := e.k.I32(0)
	if e.segs > 1 {
		seg = unit.UDiv(w.units()).UMin(e.segs - 1)
		unit = unit.Sub(seg.Mul(w.units()))
	}
	tile := e.at.group.Get().Mul(e.warps / e.split).Add(e.wr).Mul(e.held).Add(e.at.held.Get())
	tile = e.matrix(seg).Mul(w.tiles()).Add(tile.UMin(w.tiles() - 1))
	return w.unit(e.k.Arg(e.args[m]), tile, unit.Add(q).UMin(w.units()-1))
}

// refill loads words of a unit from p, those of parts that are asked for.
func (e *streaming) refill(m, q int, p codegen.Ptr, which func(part) bool) {
	w := e.weights[m]
	word := q * w.words()
	for _, part := range w.parts {
		if which(part) {
			for i, x := range part.load(e.k, p) {
				e.words[m][word+i].Set(x)
			}
		}
		word += part.words
	}
}

// matrix returns the number of the matrix for a segment.
func (e *streaming) matrix(seg codegen.I32) codegen.I32 {
	if e.known != nil {
		return e.known(e.k.BlockY())
	}
	return e.b.matrix(seg)
}
