package ptx

func formShift(a *analyzer, v int, x *value, b int) linear {
	t := x.in.Spec.Types[0]
	n := a.lin(x.args[1], b)
	if !n.isConst() || n.con < 0 || n.con >= int64(min(t.Bits(), 62)) {
		return opaque(v)
	}
	l := a.lin(x.args[0], b)
	if x.in.Spec.Name == "shl" {
		return linear{}.plus(l, 1<<n.con)
	}
	if q, _, ok := a.split(a.widen(l, x.args[0], t.Bits(), t.Signed(), b, nil), 1<<n.con, b); ok {
		return q
	}
	return opaque(v)
}

// split writes l as d*q + r with 0 <= r < d; ok is false when the bounds do not show it.
func (a *analyzer) split(l linear, d int64, b int) (q, r linear, ok bool) {
	q.over, r.over = l.over, l.over
	r.con = l.con % d
	if r.con < 0 {
		r.con += d
	}
	q.con = (l.con - r.con) / d
	for _, t := range l.terms {
		if t.sym.kind <= symVar {
			return q, r, false
		}
		if t.coef%d == 0 {
			q.terms = append(q.terms, term{t.sym, t.coef / d})
		} else {
			r.terms = append(r.terms, t)
		}
	}
	return q, r, a.bound(r, b, nil).within(interval{0, d - 1})
}

// formAnd: masks of low bits are remainders, masks of high bits take that off.
func formAnd(a *analyzer, v int, x *value, b int) linear {
	t := x.in.Spec.Types[0]
	if t == Pred {
		return opaque(v)
	}
	l, m := a.lin(x.args[0], b), a.lin(x.args[1], b)
	if l.isConst() {
		l, m = m, l
	}
	if !m.isConst() {
		return opaque(v)
	}
	mask := uint64(m.con)
	if t.Bits() < 64 {
		mask &= 1<<t.Bits() - 1
	}
	if d := mask + 1; mask&d == 0 && d > 0 && d < 1<<62 {
		if _, r, ok := a.split(l, int64(d), b); ok {
			return r
		}
	}
	if low := ^mask & (1<<t.Bits() - 1); t.Bits() == 64 || t.Bits() == 32 {
		if t.Bits() == 64 {
			low = ^mask
		}
		if d := low + 1; low&d == 0 && d < 1<<32 {
			base, rest, ok := l.base()
			if ok {
				if _, r, ok := a.split(rest, int64(d), b); ok && (base == nil || d <= 16) {
					return l.plus(r, -1) // parameters are aligned to 16 bytes or the plan says so
				}
			}
		}
	}
	return opaque(v)
}

// formOr: disjoint bits add up.
func formOr(a *analyzer, v int, x *value, b int) linear {
	if x.in.Spec.Types[0] == Pred {
		return opaque(v)
	}
	l, m := a.lin(x.args[0], b), a.lin(x.args[1], b)
	for range 2 {
		if r := a.bound(m, b, nil); r.lo >= 0 && r.hi < 1<<31 {
			d := int64(1)
			for d <= r.hi {
				d *= 2
			}
			ok := l.con%d == 0
			for _, t := range l.terms {
				ok = ok && t.coef%d == 0 && t.sym.kind > symVar
			}
			if ok {
				return l.plus(m, 1)
			}
		}
		l, m = m, l
	}
	return opaque(v)
}

func formExtract(a *analyzer, v int, x *value, b int) linear {
	t := x.in.Spec.Types[0]
	pos, n := a.lin(x.args[1], b), a.lin(x.args[2], b)
	if t.Signed() || !pos.isConst() || !n.isConst() || pos.con < 0 || n.con <= 0 || pos.con+n.con > int64(min(t.Bits(), 60)) {
		return opaque(v)
	}
	l := a.widen(a.lin(x.args[0], b), x.args[0], t.Bits(), false, b, nil)
	if q, _, ok := a.split(l, 1<<pos.con, b); ok {
		if _, r, ok := a.split(q, 1<<n.con, b); ok {
			return r
		}
	}
	return opaque(v)
}
