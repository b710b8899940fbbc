package ptx

// fact is a condition that holds in a block: lin is in rng. A condition that is not linear is
// kept with linear false: it restricts who gets there, in a way not known.
type fact struct {
	lin    linear
	rng    interval
	linear bool
	from   int // block whose branch decided it; -1: a guard
}

// facts lists what the dominating branches say in block b.
func (a *analyzer) facts(b int) []fact {
	b = a.ctx[b]
	if a.known[b] != nil {
		return a.known[b]
	}
	a.known[b] = []fact{} // while they are worked out, fewer are known
	var out []fact
	if d := a.f.IDom[b]; d >= 0 {
		out = append(out, a.facts(d)...)
		if p := a.entry(b); p >= 0 {
			out = append(out, a.edge(p, b)...)
		}
		if lp := a.loops[b]; lp != nil && a.counted && lp.test.known {
			if f, ok := lp.stayed(a, out); ok {
				out = append(out, f)
			}
		}
	}
	if out == nil {
		out = []fact{}
	}
	a.known[b] = out
	return out
}

// edge lists what taking the edge from p to b says.
func (a *analyzer) edge(p, b int) []fact {
	blk := a.f.Blocks[p]
	if len(blk.Succ) != 2 || blk.Succ[0] == blk.Succ[1] {
		return nil
	}
	taken := blk.Succ[0] == b
	last := a.f.Code[blk.End-1]
	fs := a.predicate(a.s.guards[blk.End-1], taken != last.GuardNot, p)
	for i := range fs {
		fs[i].from = p
	}
	return fs
}

// predicate lists what it says that predicate v is truth, as seen in block b.
func (a *analyzer) predicate(v int, truth bool, b int) []fact {
	v = a.s.find(v)
	x := &a.s.vals[v]
	unknown := []fact{{from: -1}}
	if x.kind != valInstr {
		return unknown
	}
	switch x.in.Spec.Name {
	case "not":
		return a.predicate(x.args[0], !truth, b)
	case "mov":
		return a.predicate(x.args[0], truth, b)
	case "and", "or":
		if truth == (x.in.Spec.Name == "and") {
			return append(a.predicate(x.args[0], truth, b), a.predicate(x.args[1], truth, b)...)
		}
	case "setp":
		if x.dst != 0 {
			truth = !truth
		}
		var out []fact
		switch {
		case len(x.args) == 2:
		case x.dst == 0 && truth && x.in.Spec.Has("and"), x.dst == 0 && !truth && x.in.Spec.Has("or"):
			out = a.predicate(x.args[2], truth, b)
		default:
			return unknown
		}
		if f, ok := a.compare(x, truth, b); ok {
			return append(out, f)
		}
		return append(out, unknown...)
	}
	return unknown
}

var negated = map[string]string{"eq": "ne", "ne": "eq", "lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}
var unsignedNames = map[string]string{"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}

// comparison normalises a setp: its relation when truth, and whether it reads signed numbers.
func comparison(x *value, truth bool) (rel string, t Type, signed, ok bool) {
	rel, t = x.in.Spec.Mods[0], x.in.Spec.Types[0]
	signed = t.Signed()
	if u := unsignedNames[rel]; u != "" {
		rel, signed = u, false
	}
	if !truth {
		rel = negated[rel]
	}
	return rel, t, signed, !t.Float() && rel != ""
}

// within is the range of x-y that a relation says.
var within = map[string]interval{
	"eq": {0, 0}, "lt": {-infinity, -1}, "le": {-infinity, 0}, "gt": {1, infinity}, "ge": {0, infinity},
}

// compare is the fact of a setp being truth.
func (a *analyzer) compare(x *value, truth bool, b int) (fact, bool) {
	rel, t, signed, ok := comparison(x, truth)
	if !ok {
		return fact{}, false
	}
	n := t.Bits()
	l, m := a.lin(x.args[0], b), a.lin(x.args[1], b)
	if m.isConst() && !signed && m.con < 0 && n < 64 {
		m.con += 1 << n
	}
	if signed {
		l, m = small(l, t), small(m, t)
	}
	rl, rm := a.bound(l, b, nil), a.bound(m, b, nil)
	full := rangeOf(n, signed)
	fits := rl.within(full) && rm.within(full)
	if rel == "eq" || rel == "ne" { // equal modulo 2^n: fine if both fit one reading
		s, u := rangeOf(n, true), rangeOf(n, false)
		m = small(m, t)
		rm = a.bound(m, b, nil)
		fits = rl.within(s) && rm.within(s)
		if !fits && m.isConst() && m.con < 0 && n < 64 {
			m.con += 1 << n
			rm = point(m.con)
		}
		fits = fits || rl.within(u) && rm.within(u)
	}
	if !fits && !signed && n < 64 && (rel == "lt" || rel == "le") && rm.lo >= 0 && rl.hi <= full.hi && rl.lo >= rm.hi-full.hi {
		// a negative number reads as one above the limit: below the limit means at least 0
		f := fact{lin: l, rng: interval{0, rm.hi}, linear: true}
		if rel == "lt" {
			f.rng.hi--
		}
		return f, true
	}
	if !fits && signed && n < 64 && (rel == "gt" || rel == "ge") && rm.lo >= -1 && rl.within(rangeOf(n, false)) {
		// a number above the signed limit reads as negative: at least 0 means below that limit
		f := fact{lin: l, rng: interval{max(rm.lo, 0), 1<<(n-1) - 1}, linear: true}
		if rel == "gt" {
			f.rng.lo = rm.lo + 1
		}
		return f, rel == "gt" || rm.lo >= 0
	}
	if !fits {
		return fact{}, false
	}
	d := l.plus(m, -1)
	if rel != "ne" {
		return fact{lin: d, rng: within[rel], linear: true}, true
	}
	switch r := a.bound(d, b, nil); {
	case r.lo == 0:
		return fact{lin: d, rng: interval{1, infinity}, linear: true}, true
	case r.hi == 0:
		return fact{lin: d, rng: interval{-infinity, -1}, linear: true}, true
	case r.lo > 0 || r.hi < 0:
		return fact{lin: d, rng: r, linear: true}, true
	}
	return fact{}, false
}
