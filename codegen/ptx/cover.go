package ptx

import (
	"fmt"
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

// piece works out what a store covers. It succeeds only where the set of threads and rounds
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

// conditions lists all that decides whether the store is executed; ok is false when something
// unknown does.
func (a *analyzer) conditions(x *access) ([]fact, bool) {
	facts := slices.Clone(x.extra)
	post := a.postdominators()
	tested := map[int]bool{} // blocks whose branch is among the conditions
	for b := x.block; b != 0; {
		d := a.f.IDom[b]
		switch left := a.leaves(d, b); {
		case left != nil:
			if left.trips(a); !left.single {
				return nil, false // which way out it takes may depend on anything
			}
		case a.entry(b) == d:
			facts = append(facts, a.edge(d, b)...)
			tested[d] = true
		case !post(b, d):
			return nil, false
		}
		b = d
	}
	for _, lp := range a.loops {
		if !lp.body[x.block] {
			continue
		}
		lp.trips(a)
		switch t := lp.test; {
		case !lp.single, !lp.exact && !t.known:
			return nil, false
		case !lp.exact && !tested[t.block]:
			// tested after the store: a later round is executed if the one before stayed
			f, ok := lp.stayed(a, a.facts(a.f.IDom[lp.head]))
			if p := a.entry(lp.head); !ok && p >= 0 {
				f, ok = lp.stayed(a, append(slices.Clone(a.facts(a.f.IDom[lp.head])), a.edge(p, lp.head)...))
			}
			if !ok {
				return nil, false
			}
			facts = append(facts, f)
		}
	}
	for _, f := range facts {
		if !f.linear {
			return nil, false
		}
	}
	return facts, true
}

// leaves returns the outermost loop that the step from block d to block b leaves, or nil.
func (a *analyzer) leaves(d, b int) (out *loop) {
	for _, lp := range a.loops {
		if lp.body[d] && !lp.body[b] && (out == nil || len(lp.body) > len(out.body)) {
			out = lp
		}
	}
	return out
}

// needed merges conditions on the same form, and drops those that the others imply.
func (a *analyzer) needed(facts []fact) []fact {
	var out []fact
next:
	for _, f := range facts {
		f.rng = f.rng.add(point(-f.lin.con))
		f.lin.con = 0
		for i := range out {
			if equal(out[i].lin, f.lin) {
				out[i].rng = out[i].rng.meet(f.rng)
				continue next
			}
			if minus := (linear{}).plus(f.lin, -1); equal(out[i].lin, minus) {
				out[i].rng = out[i].rng.meet(f.rng.scale(-1))
				continue next
			}
		}
		out = append(out, f)
	}
	for i := 0; i < len(out); {
		others := append(slices.Clone(out[:i]), out[i+1:]...)
		if a.follows(out[i].lin, others, 3).within(out[i].rng) {
			out = others
		} else {
			i++
		}
	}
	return out
}

// follows bounds l by the ranges of its symbols and by the facts, each of which may bring in
// other symbols.
func (a *analyzer) follows(l linear, facts []fact, depth int) interval {
	r := point(l.con)
	for _, t := range l.terms {
		r = r.add(a.symRange(t.sym, 0).scale(t.coef))
	}
	for i, f := range facts {
		if k, _, ok := l.shares(f.lin); ok && depth > 0 {
			rest := append(slices.Clone(facts[:i]), facts[i+1:]...)
			r = r.meet(f.rng.scale(k).add(a.follows(l.plus(f.lin, -k), rest, depth-1)))
		}
	}
	return r
}

// postdominators returns a test whether every path from d to any exit goes through b.
func (a *analyzer) postdominators() func(b, d int) bool {
	n := len(a.f.Blocks)
	if a.ipdom == nil {
		succ, pred := make([][]int, n+1), make([][]int, n+1)
		for b := range a.f.Blocks {
			succ[b] = a.f.Blocks[b].Succ
			for _, s := range succ[b] {
				pred[s] = append(pred[s], b)
			}
		}
		a.ipdom = dominators(pred, succ, reversePostorder(pred, n), n)
	}
	return func(b, d int) bool {
		for d >= 0 && d != b {
			d = a.ipdom[d]
		}
		return d == b
	}
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

// maxRuns bounds how many separate ranges a coverage may consist of.
const maxRuns = 1 << 14

// union adds up the pieces; ok is false when there are too many separate ranges to list.
func union(pieces []piece) (out []Span, ok bool) {
	// stores that differ only in their constant (an unrolled row) may fill each other's gaps
	groups := map[string][]piece{}
	var order []string
	for _, p := range pieces {
		k := fmt.Sprint(p.progs)
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], p)
	}
	ok = true
	for _, k := range order {
		g := groups[k]
		var spans []Span
		for _, p := range g {
			spans = append(spans, Span{p.start, p.start + p.width})
		}
		for _, pr := range g[0].progs {
			spans = merge(spans)
			if len(spans) == 1 && pr.step <= spans[0].Hi-spans[0].Lo {
				spans[0].Hi += pr.step * (pr.n - 1)
				continue
			}
			if int64(len(spans))*pr.n > maxRuns {
				ok = false
				spans = nil
				break
			}
			base := spans
			for i := int64(1); i < pr.n; i++ {
				for _, s := range base {
					spans = append(spans, Span{s.Lo + i*pr.step, s.Hi + i*pr.step})
				}
			}
		}
		out = append(out, spans...)
	}
	return merge(out), ok
}

// merge sorts spans and joins those that touch.
func merge(spans []Span) []Span {
	slices.SortFunc(spans, func(x, y Span) int {
		switch {
		case x.Lo < y.Lo:
			return -1
		case x.Lo > y.Lo:
			return 1
		}
		return 0
	})
	var out []Span
	for _, s := range spans {
		if n := len(out); n > 0 && s.Lo <= out[n-1].Hi {
			out[n-1].Hi = max(out[n-1].Hi, s.Hi)
		} else {
			out = append(out, s)
		}
	}
	return out
}
