package ptx

// loop is a natural loop: a block that dominates the ends of its back edges.
type loop struct {
	head    int
	body    map[int]bool
	latches []int
	done    bool
	busy    bool
	max     int64 // rounds after the first, at most
	exact   bool  // every entry goes exactly max rounds after the first
	single  bool  // one way out
	test    test  // of the way out that gave max
}

// test is a loop's way out at the end of a block: it stays while form, which grows or falls by
// step each round, is in stays. Once out of it, it never comes back in.
type test struct {
	known bool
	block int
	form  linear
	step  int64
	stays interval
}

func (a *analyzer) findLoops() {
	a.loops = map[int]*loop{}
	for _, b := range a.f.Order {
		for _, h := range a.f.Blocks[b].Succ {
			if h == len(a.f.Blocks) || !a.f.Dominates(h, b) {
				continue
			}
			l := a.loops[h]
			if l == nil {
				l = &loop{head: h, body: map[int]bool{h: true}}
				a.loops[h] = l
			}
			l.latches = append(l.latches, b)
			work := []int{b}
			for len(work) > 0 {
				x := work[len(work)-1]
				work = work[:len(work)-1]
				if !l.body[x] {
					l.body[x] = true
					work = append(work, a.f.Blocks[x].Pred...)
				}
			}
		}
	}
}

// trips is an upper bound on the rounds after the first one.
func (l *loop) trips(a *analyzer) int64 {
	if l.done {
		return l.max
	}
	if l.busy {
		return infinity
	}
	l.busy = true
	most, exits, exact := infinity, 0, false
	for b := range l.body {
		for _, s := range a.f.Blocks[b].Succ {
			if l.body[s] {
				continue
			}
			exits++
			every := true
			for _, latch := range l.latches {
				every = every && a.f.Dominates(b, latch)
			}
			if !every {
				continue
			}
			if n, sharp, t, ok := l.exit(a, b, s); ok && n <= most {
				most, exact, l.test = n, sharp, t
			}
		}
	}
	l.busy, l.done, l.max, l.single = false, true, most, exits == 1
	l.exact = exact && l.single
	return most
}

// stayed is the condition that every round meets: the round before it stayed. ok is false when
// the first round, which has none before it, need not meet it; outer is what holds before the loop.
func (l *loop) stayed(a *analyzer, outer []fact) (f fact, ok bool) {
	f = fact{lin: l.test.form, rng: l.test.stays, linear: true, from: -1}
	f.lin.con -= l.test.step
	first := linear{con: f.lin.con}
	for _, t := range f.lin.terms {
		if t.sym != (symbol{kind: symIter, id: l.head}) {
			first.terms = append(first.terms, t)
		}
	}
	return f, a.boundBy(first, a.f.IDom[l.head], nil, outer, 3).within(f.rng)
}

// exit bounds the rounds by one way out: the branch at the end of block b to block s.
func (l *loop) exit(a *analyzer, b, s int) (n int64, exact bool, t test, ok bool) {
	blk := a.f.Blocks[b]
	if len(blk.Succ) != 2 {
		return 0, false, t, false
	}
	last := a.f.Code[blk.End-1]
	stay := (blk.Succ[0] != s) != last.GuardNot // value of the guard that stays
	v := a.s.find(a.s.guards[blk.End-1])
	x := &a.s.vals[v]
	for x.kind == valInstr && (x.in.Spec.Name == "not" || x.in.Spec.Name == "mov" && x.typ == Pred) {
		if x.in.Spec.Name == "not" {
			stay = !stay
		}
		v = a.s.find(x.args[0])
		x = &a.s.vals[v]
	}
	if x.kind != valInstr || x.in.Spec.Name != "setp" || x.dst != 0 || len(x.args) != 2 {
		return 0, false, t, false
	}
	rel, typ, signed, good := comparison(x, stay)
	if !good {
		return 0, false, t, false
	}
	p, q := a.lin(x.args[0], b), a.lin(x.args[1], b)
	if signed || rel == "ne" {
		p, q = small(p, typ), small(q, typ)
	}
	d := p.plus(q, -1)
	iter := symbol{kind: symIter, id: l.head}
	var k int64
	rest := linear{con: d.con}
	for _, tm := range d.terms {
		switch {
		case tm.sym == iter:
			k = tm.coef
		case tm.sym.kind <= symVar || tm.sym.kind == symIter && l.body[tm.sym.id]:
			return 0, false, t, false
		case tm.sym.kind == symOpaque && l.defines(a, tm.sym.id):
			return 0, false, t, false
		default:
			rest.terms = append(rest.terms, tm)
		}
	}
	r := a.bound(rest, b, nil)
	if k == 0 {
		return 0, false, t, false
	}
	switch stays, known := within[rel], rel != "ne"; {
	case !known: // counts until it meets the limit exactly
		if r.lo != r.hi || -r.lo%k != 0 || -r.lo/k < 0 {
			return 0, false, t, false
		}
		n = -r.lo / k
	case k > 0 && stays.hi < infinity && stays.lo <= -infinity:
		n = floorDiv(addInf(stays.hi, -r.lo), k) + 1
	case k < 0 && stays.lo > -infinity && stays.hi >= infinity:
		n = floorDiv(addInf(r.hi, -stays.lo), -k) + 1
	default:
		return 0, false, t, false
	}
	n = max(n, 0)
	if n >= infinity/2 {
		return 0, false, t, false
	}
	// nothing may wrap on the way
	if bits := typ.Bits(); bits < 64 {
		for _, f := range [2]linear{p, q} {
			span := point(f.con)
			for _, tm := range f.terms {
				if tm.sym == iter {
					span = span.add(interval{0, n}.scale(tm.coef))
				} else {
					span = span.add(a.symRange(tm.sym, b).scale(tm.coef))
				}
			}
			if !span.within(rangeOf(bits, signed)) && !(rel == "ne" && span.within(rangeOf(bits, true))) {
				return 0, false, t, false
			}
		}
	}
	if rel != "ne" {
		t = test{true, b, d, k, within[rel]}
	}
	return n, r.lo == r.hi, t, true
}

// defines reports whether value v changes within the loop.
func (l *loop) defines(a *analyzer, v int) bool {
	x := &a.s.vals[v]
	return (x.kind == valInstr || x.kind == valPhi || x.kind == valSelect) && l.body[x.at]
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}
