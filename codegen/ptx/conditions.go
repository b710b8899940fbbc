package ptx

import "slices"

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
