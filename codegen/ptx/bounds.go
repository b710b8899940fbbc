package ptx

// parts is how many values a piece of an axis has.
func (a *analyzer) parts(s symbol) int64 {
	if n := a.axes[s.id] >> s.bit; n&1 != 0 {
		return int64(n)
	}
	return 2
}

// symRange bounds a symbol as seen in block b.
func (a *analyzer) symRange(s symbol, b int) interval {
	switch s.kind {
	case symAxis:
		return interval{0, a.parts(s) - 1}
	case symIter:
		return interval{0, a.loops[s.id].trips(a)}
	case symOpaque:
		return a.valueRange(s.id, b)
	case symWide:
		if s.bit < 0 {
			return rangeOf(int(-s.bit), true)
		}
		return rangeOf(int(s.bit), false)
	}
	return everything
}

// bound is the range of l in block b, by the ranges of its symbols and the facts that hold
// there, extra ones included.
func (a *analyzer) bound(l linear, b int, extra []fact) interval {
	return a.boundBy(l, b, extra, a.facts(b), 3)
}

// maxLeft is how many new symbols a fact may bring into a form for it to be worth a try.
const maxLeft = 2

func (a *analyzer) boundBy(l linear, b int, extra, facts []fact, depth int) interval {
	r := point(l.con)
	for _, t := range l.terms {
		r = r.add(a.symRange(t.sym, b).scale(t.coef))
	}
	if depth == 0 || l.isConst() {
		return r
	}
	for _, list := range [2][]fact{extra, facts} {
		for i := range list {
			f := &list[i]
			if !f.linear {
				continue
			}
			k, left, ok := l.shares(f.lin)
			if !ok || left > maxLeft {
				continue
			}
			rest := l.plus(f.lin, -k)
			r = r.meet(f.rng.scale(k).add(a.boundBy(rest, b, extra, facts, depth-1)))
		}
	}
	return r
}

// widen reads the form l of value v, an n-bit register, as an integer: the form itself when its
// bounds show that it fits, else an unknown of that width.
func (a *analyzer) widen(l linear, v, n int, signed bool, b int, extra []fact) linear {
	full := rangeOf(n, signed)
	if n >= 64 {
		return l
	}
	r := a.bound(l, b, extra)
	computed := n == 32 && (l.over || a.computed(l))
	switch {
	case r.within(full):
		if computed && r.hi >= 1<<31 {
			l.over = true
		}
		return l
	case !signed && r.hi < 0 && r.lo >= -1<<n:
		l.con += 1 << n
		return l
	case signed && r.lo >= 1<<(n-1) && r.hi < 1<<n:
		l.con -= 1 << n
		return l
	}
	w := symbol{symWide, a.s.find(v), int8(n)}
	if signed {
		w.bit = -w.bit
	}
	wide := single(w)
	wide.over = computed && (r.hi > full.hi || r.lo < -1<<31)
	return wide
}

// computed reports whether l stands for a multiplication or sum, not for a value as loaded.
func (a *analyzer) computed(l linear) bool {
	if len(l.terms) != 1 || l.terms[0].coef != 1 || l.con != 0 {
		return len(l.terms) > 0
	}
	if t := l.terms[0].sym; t.kind == symOpaque {
		x := &a.s.vals[t.id]
		if x.kind == valInstr {
			switch x.in.Spec.Name {
			case "mul", "mad", "shl", "add", "sub":
				return true
			}
		}
	}
	return false
}
