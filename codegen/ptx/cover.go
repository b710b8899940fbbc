package ptx

import (
	"slices"
	"sort"
)

// progression is n numbers step apart, from 0.
type progression struct{ step, n int64 }

// piece is the bytes that one store certainly writes in the launch: width bytes at start plus
// every sum of one number from each progression.
type piece struct {
	start, width int64
	progs        []progression // by ascending step
}

// free is one symbol of a store's address that takes all of its values.
type free struct {
	coef   int64
	lo, hi int64
}

// piece works out what a store covers; a piece of no width is a store that nobody executes. It succeeds only where the set of threads and rounds
// that execute it is known exactly: the conditions on the way are linear, and each restricts
// symbols in a way that can be counted.
func (a *analyzer) piece(x *access) (piece, bool) {
	facts, ok := a.conditions(x)
	if !ok {
		return piece{}, false
	}
	vars := map[symbol]free{}
	for _, t := range x.form.terms {
		hi := int64(0)
		switch t.sym.kind {
		case symAxis:
			hi = a.parts(t.sym) - 1
		case symIter:
			lp := a.loops[t.sym.id]
			if hi = lp.trips(a); !lp.exact && !lp.test.known || !lp.body[x.block] {
				return piece{}, false
			}
		default:
			return piece{}, false
		}
		vars[t.sym] = free{t.coef, 0, hi}
	}
	// loops that do not show in the address repeat the store: they need one round
	p := piece{start: x.form.con, width: x.bytes}
	for _, f := range facts {
		if a.follows(f.lin, nil, 0).meet(f.rng).empty() {
			return piece{}, true // never executed
		}
	}
	used := map[symbol]bool{}
	for _, f := range a.needed(facts) {
		if !a.restrict(f, vars, used, &p) {
			return piece{}, false
		}
	}
	for _, v := range vars {
		p.addFree(v)
	}
	sort.Slice(p.progs, func(i, j int) bool { return p.progs[i].step < p.progs[j].step })
	return p, true
}

func (p *piece) addFree(v free) {
	p.start += v.coef * v.lo
	n := v.hi - v.lo + 1
	if n == 1 {
		return
	}
	step := v.coef
	if step < 0 {
		p.start += step * (n - 1)
		step = -step
	}
	p.progs = append(p.progs, progression{step, n})
}

// restrict applies a condition to the free symbols of a store; each symbol can be used once.
func (a *analyzer) restrict(f fact, vars map[symbol]free, used map[symbol]bool, p *piece) bool {
	for _, t := range f.lin.terms {
		if used[t.sym] {
			return false
		}
		used[t.sym] = true
	}
	inside := 0
	for _, t := range f.lin.terms {
		if _, ok := vars[t.sym]; ok {
			inside++
		} else if t.sym.kind != symAxis {
			return false
		}
	}
	if inside > 0 && inside < len(f.lin.terms) {
		return false
	}
	// the values that the form takes must be evenly spaced without holes
	type part struct {
		sym     symbol
		coef, n int64
	}
	var parts []part
	low := f.lin.con
	for _, t := range f.lin.terms {
		v, ok := vars[t.sym]
		if !ok {
			v = free{0, 0, a.parts(t.sym) - 1}
		}
		low += t.coef * v.lo
		c := t.coef
		if c < 0 {
			low += c * (v.hi - v.lo)
			c = -c
		}
		parts = append(parts, part{t.sym, c, v.hi - v.lo + 1})
	}
	slices.SortFunc(parts, func(x, y part) int { return int(min(max(x.coef-y.coef, -1), 1)) })
	if len(parts) == 0 {
		return false
	}
	step, n := parts[0].coef, int64(1)
	for _, q := range parts {
		if q.coef%step != 0 || q.coef > step*n {
			return false
		}
		n += q.coef / step * (q.n - 1)
	}
	// first and last of the values low + i*step that the condition allows
	first := max(-floorDiv(low-f.rng.lo, step), 0)
	last := min(floorDiv(f.rng.hi-low, step), n-1)
	if f.rng.lo <= -infinity {
		first = 0
	}
	if f.rng.hi >= infinity {
		last = n - 1
	}
	if first > last {
		return false
	}
	if inside == 0 {
		return true // other threads or blocks than the address tells apart: some pass
	}
	// in the address the same symbols must appear in the same proportion
	t0 := f.lin.terms[0]
	v0 := vars[t0.sym]
	if v0.coef%t0.coef != 0 {
		return false
	}
	k := v0.coef / t0.coef
	for _, t := range f.lin.terms {
		if vars[t.sym].coef != k*t.coef {
			return false
		}
	}
	for _, t := range f.lin.terms {
		delete(vars, t.sym)
	}
	// together they add k*(value - con) to the address
	p.start += k * (low - f.lin.con)
	p.addFree(free{k * step, first, last})
	return true
}
