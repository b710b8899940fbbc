package ptx

// forms says how instructions combine linear forms; those without a row give unknowns.
var forms map[string]func(a *analyzer, v int, x *value, b int) linear

func init() {
	forms = map[string]func(a *analyzer, v int, x *value, b int) linear{
		"ld": formLoad, "mov": formMove, "cvta": formMove, "cvt": formConvert, "add": formAdd, "sub": formAdd,
		"mul": formMul, "mad": formMad, "shl": formShift, "shr": formShift, "and": formAnd, "or": formOr,
		"rem": formDivide, "div": formDivide, "bfe": formExtract, "selp": formSelect, "shfl": formShuffle, "neg": formNegate,
	}
}

// formLoad: the pointers in the parameters are where provenance starts.
func formLoad(a *analyzer, v int, x *value, b int) linear {
	o, spec := &x.in.Args[1], x.in.Spec
	if spec.Space != ParamSpace {
		if as := a.assumed(x, b); as != nil && as.Lo == as.Hi {
			return constant(as.Lo)
		}
		return opaque(v)
	}
	if spec.Types[0].Bits() == 64 && spec.Vec() == 1 {
		for i, p := range a.s.e.Params {
			if p.Name == o.Name && o.Int == 0 && p.Bytes() == 8 {
				return single(symbol{kind: symParam, id: i})
			}
		}
	}
	return opaque(v)
}

// assumed returns what is taken for granted of the number that x loads, or nil.
func (a *analyzer) assumed(x *value, b int) *Assume {
	if len(a.assume) == 0 || x.in.Spec.Vec() != 1 || x.in.Spec.Row.Effect != Load || !isInteger(x.in.Spec.Types[0]) {
		return nil
	}
	base, rest, ok := a.lin(x.args[0], b).base()
	if !ok || base == nil || base.kind != symParam || !rest.isConst() {
		return nil
	}
	for i := range a.assume {
		as := &a.assume[i]
		if as.Param == base.id && as.Off == rest.con+x.in.Args[1].Int && as.Bytes == x.in.Spec.Types[0].Bytes() {
			return as
		}
	}
	return nil
}

func formMove(a *analyzer, v int, x *value, b int) linear {
	switch {
	case len(x.args) == 1 && x.in.Args[0].Kind != OpVec:
		return a.lin(x.args[0], b)
	case len(x.args) == 2 && x.in.Spec.Types[0].Bits() == 64: // {low, 0}
		if hi := a.lin(x.args[1], b); hi.isConst() && hi.con == 0 {
			return a.widen(a.lin(x.args[0], b), x.args[0], 32, false, b, nil)
		}
	}
	return opaque(v)
}

func isInteger(t Type) bool { return !t.Float() && t != Pred }

func formConvert(a *analyzer, v int, x *value, b int) linear {
	if len(x.in.Spec.Types) != 2 || x.in.Spec.Has("sat") {
		return opaque(v)
	}
	to, from := x.in.Spec.Types[0], x.in.Spec.Types[1]
	if !isInteger(to) || !isInteger(from) {
		return opaque(v)
	}
	l := a.lin(x.args[0], b)
	if n := min(to.Bits(), from.Bits()); x.typ.Bits() > n {
		signed := from.Signed()
		if to.Bits() < from.Bits() {
			signed = to.Signed()
		}
		return a.widen(l, x.args[0], n, signed, b, nil)
	}
	return l
}

// small reads constants of narrow registers as signed: adding 0xffffffff is taking one away.
func small(l linear, t Type) linear {
	if n := t.Bits(); n < 64 && l.isConst() && l.con >= 1<<(n-1) && l.con < 1<<n {
		l.con -= 1 << n
	}
	return l
}

func formAdd(a *analyzer, v int, x *value, b int) linear {
	t := x.in.Spec.Types[0]
	if !isInteger(t) || x.in.Spec.Has("sat") {
		return opaque(v)
	}
	k := int64(1)
	if x.in.Spec.Name == "sub" {
		k = -1
	}
	return small(a.lin(x.args[0], b), t).plus(small(a.lin(x.args[1], b), t), k)
}

func formNegate(a *analyzer, v int, x *value, b int) linear {
	if !isInteger(x.in.Spec.Types[0]) {
		return opaque(v)
	}
	return linear{}.plus(a.lin(x.args[0], b), -1)
}

// times is the product of two forms when one is a number; ok is false otherwise.
func (a *analyzer) times(l, m linear, b int) (linear, bool) {
	if r := a.bound(l, b, nil); !l.isConst() && r.lo == r.hi {
		l = linear{con: r.lo, over: l.over}
	}
	if l.isConst() {
		l, m = m, l
	}
	if !m.isConst() {
		if r := a.bound(m, b, nil); r.lo != r.hi {
			return linear{}, false
		} else {
			m = linear{con: r.lo, over: m.over}
		}
	}
	p := linear{}.plus(l, m.con)
	p.over = l.over || m.over
	return p, true
}

// product is the form of a multiplication's operands x.args[0] and [1].
func (a *analyzer) product(x *value, b int) (linear, bool) {
	t := x.in.Spec.Types[0]
	l, m := a.lin(x.args[0], b), a.lin(x.args[1], b)
	if x.in.Spec.Has("wide") {
		l = a.widen(l, x.args[0], t.Bits(), t.Signed(), b, nil)
		m = a.widen(m, x.args[1], t.Bits(), t.Signed(), b, nil)
	} else {
		l, m = small(l, t), small(m, t)
	}
	return a.times(l, m, b)
}

func formMul(a *analyzer, v int, x *value, b int) linear {
	if !isInteger(x.in.Spec.Types[0]) || x.in.Spec.Has("hi") {
		return opaque(v)
	}
	if p, ok := a.product(x, b); ok {
		return p
	}
	return opaque(v)
}

func formMad(a *analyzer, v int, x *value, b int) linear {
	t := x.in.Spec.Types[0]
	if !isInteger(t) || x.in.Spec.Has("hi") {
		return opaque(v)
	}
	add := a.lin(x.args[2], b)
	if !x.in.Spec.Has("wide") {
		add = small(add, t)
	}
	p, ok := a.product(x, b)
	if !ok { // an unknown product keeps the pointer it is added to
		base, _, one := add.base()
		if !one || base == nil {
			return opaque(v)
		}
		return single(*base).plus(opaque(v), 1)
	}
	return p.plus(add, 1)
}

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

func formDivide(a *analyzer, v int, x *value, b int) linear {
	t := x.in.Spec.Types[0]
	d := a.lin(x.args[1], b)
	if !isInteger(t) || !d.isConst() || d.con <= 0 {
		return opaque(v)
	}
	l := a.widen(a.lin(x.args[0], b), x.args[0], t.Bits(), t.Signed(), b, nil)
	if a.bound(l, b, nil).lo < 0 {
		return opaque(v)
	}
	q, r, ok := a.split(l, d.con, b)
	switch {
	case !ok:
		return opaque(v)
	case x.in.Spec.Name == "div":
		return q
	}
	return r
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

func formSelect(a *analyzer, v int, x *value, b int) linear {
	return a.merged(v, a.lin(x.args[0], b), a.lin(x.args[1], b))
}

// formShuffle: another lane's value points into the same thing.
func formShuffle(a *analyzer, v int, x *value, b int) linear {
	if base, _, ok := a.lin(x.args[0], b).base(); ok && base != nil {
		return single(*base).plus(opaque(v), 1)
	}
	return opaque(v)
}
