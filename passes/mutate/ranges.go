package mutate

import "dsac/runtime/plan"

// Operators that change which bytes of a buffer an operand touches.
var rangeOperators = []Operator{
	{"shift-read", "read from 64 bytes further on", func(m *mutant) bool { return m.reach(plan.R, shift(64)) }},
	{"shift-read-row", "read from a row further on", func(m *mutant) bool { return m.reachRow(plan.R, 1, 1) }},
	{"shift-write", "write 64 bytes further on", func(m *mutant) bool { return m.reach(plan.W, shift(64)) }},
	{"shift-write-row", "write a row further on", func(m *mutant) bool { return m.reachRow(plan.W, 1, 1) }},
	{"shrink-read", "leave out the last 16 bytes of a read", func(m *mutant) bool { return m.reach(plan.R, cut(16)) }},
	{"shrink-write", "leave out the last 16 bytes of a write", func(m *mutant) bool { return m.reach(plan.W, cut(16)) }},
	{"drop-row-read", "leave out the last row of a read", func(m *mutant) bool { return m.reachRow(plan.R, 0, -1) }},
	{"drop-row-write", "leave out the last row of a write", func(m *mutant) bool { return m.reachRow(plan.W, 0, -1) }},
	{"widen-read", "read all rows, not only the live ones", func(m *mutant) bool { return m.widen(plan.R) }},
	{"widen-write", "write all rows, not only the live ones", func(m *mutant) bool { return m.widen(plan.W) }},
	{"first-row-only", "read the first row only", firstRow},
	{"stride", "read with another row stride", stride},
	{"columns-shift", "take other columns of each row", func(m *mutant) bool { return m.columns(func(o *plan.Operand) { o.Col += 8 }) }},
	{"columns-shrink", "take fewer columns of each row", func(m *mutant) bool { return m.columns(func(o *plan.Operand) { o.Cols -= 8 }) }},
	{"columns-all", "take all columns of each row", func(m *mutant) bool { return m.columns(func(o *plan.Operand) { o.Col, o.Cols = 0, 0 }) }},
	{"append-early", "append one row too early", func(m *mutant) bool { return m.append(-1) }},
	{"append-late", "append one row too late", func(m *mutant) bool { return m.append(1) }},
	{"append-everything", "append over all rows of the cache", appendAll},
	{"stale-cache", "read the cache without this step's rows", staleCache},
	{"cache-overread", "read the cache past its valid rows", overread},
	{"control-range", "write the control buffer's head in the middle of a step", controlHead},
}

// fixedEnds returns the ends of an operand with the buffer's size in place of Whole.
func (m *mutant) fixedEnds(o *plan.Operand) (lo, hi plan.Lin) {
	if o.Hi == plan.Whole {
		return plan.Lin{}, plan.Fixed(int64(m.Bufs[o.Buf].Size))
	}
	return o.Lo, o.Hi
}

func shift(n int64) func(lo, hi *plan.Lin) { return func(lo, hi *plan.Lin) { lo.C += n; hi.C += n } }
func cut(n int64) func(lo, hi *plan.Lin)   { return func(_, hi *plan.Lin) { hi.C -= n } }

// reach changes the range of a random operand with that effect.
func (m *mutant) reach(e plan.Effect, change func(lo, hi *plan.Lin)) bool {
	s, ok := pick(m, m.sites(func(o *plan.Operand, b *plan.Buf, k plan.RegionKind) bool {
		return o.Effect == e && k != plan.Const && b.Size > 64
	}))
	if !ok {
		return false
	}
	o := m.at(s)
	lo, hi := m.fixedEnds(o)
	change(&lo, &hi)
	o.Lo, o.Hi = lo, hi
	return true
}

// byRows are operands whose range depends on n.
func (m *mutant) byRows(e plan.Effect) []site {
	return m.sites(func(o *plan.Operand, b *plan.Buf, _ plan.RegionKind) bool {
		return o.Effect == e && o.Hi.Sym == plan.SymN && o.Hi.K > 0
	})
}

func (m *mutant) reachRow(e plan.Effect, lo, hi int64) bool {
	s, ok := pick(m, m.byRows(e))
	if ok {
		o := m.at(s)
		o.Lo.C += lo * o.Hi.K
		o.Hi.C += hi * o.Hi.K
	}
	return ok
}

func (m *mutant) widen(e plan.Effect) bool {
	s, ok := pick(m, m.byRows(e))
	if ok {
		m.at(s).Lo, m.at(s).Hi = plan.Lin{}, plan.Whole
	}
	return ok
}

func firstRow(m *mutant) bool {
	s, ok := pick(m, m.byRows(plan.R))
	if ok {
		m.at(s).Hi = plan.Fixed(m.at(s).Hi.K)
	}
	return ok
}

func stride(m *mutant) bool {
	s, ok := pick(m, m.byRows(plan.R))
	if ok {
		m.at(s).Hi.K /= 2
	}
	return ok
}

func (m *mutant) columns(change func(o *plan.Operand)) bool {
	s, ok := pick(m, m.sites(func(o *plan.Operand, _ *plan.Buf, _ plan.RegionKind) bool { return o.Effect == plan.R && o.Cols > 8 }))
	if ok {
		change(m.at(s))
	}
	return ok
}

func (m *mutant) append(rows int64) bool {
	s, ok := pick(m, m.sites(cacheWrite))
	if ok {
		o := m.at(s)
		o.Lo.C += rows * o.Lo.K
		o.Hi.C += rows * o.Lo.K
	}
	return ok
}

func appendAll(m *mutant) bool {
	s, ok := pick(m, m.sites(cacheWrite))
	if ok {
		m.at(s).Lo = plan.Lin{}
	}
	return ok
}

func staleCache(m *mutant) bool {
	s, ok := pick(m, m.sites(cacheRead))
	if ok {
		m.at(s).Hi.Sym = plan.SymPos
	}
	return ok
}

func overread(m *mutant) bool {
	s, ok := pick(m, m.sites(cacheRead))
	if ok {
		m.at(s).Hi.C += m.at(s).Hi.K
	}
	return ok
}

func controlHead(m *mutant) bool {
	ctl := m.buffers(func(b *plan.Buf, _ plan.RegionKind) bool { return b.Role == plan.Control })
	s, ok := pick(m, m.sites(tempWrite))
	if !ok || len(ctl) == 0 {
		return false
	}
	o := m.at(s)
	o.Buf, o.Lo, o.Hi = ctl[0], plan.Lin{}, plan.Fixed(8)
	return true
}
