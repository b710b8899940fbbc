package ptx

// forms says how instructions combine linear forms; those without a row give unknowns.
var forms map[string]func(a *analyzer, v int, x *value, b int) linear

func init() {
	forms = map[string]func(a *analyzer, v int, x *value, b int) linear{
		"ld": formLoad, "mov": formMove, "cvta": formMove, "cvt": formConvert, "add": formAdd, "sub": formAdd,
		"mul": formMul, "mad": formMad, "shl": formShift, "shr": formShift, "and": formAnd, "or": formOr,
		"rem": formDivide, "div": formDivide, "bfe": formExtract, "selp": formSelect, "shfl": formShuffle, "neg": formNegate, "min": formMinMax, "max": formMinMax,
		"mapa": formPeer,
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

func formSelect(a *analyzer, v int, x *value, b int) linear {
	if truth, ok := a.decided(x.args[2], b); ok && truth {
		return a.lin(x.args[0], b)
	} else if ok {
		return a.lin(x.args[1], b)
	}
	return a.merged(v, a.lin(x.args[0], b), a.lin(x.args[1], b))
}

// decided reports whether predicate p is always true, or always false, in block b.
func (a *analyzer) decided(p, b int) (truth, ok bool) {
	fs := a.predicate(p, true, b)
	all := true
	for _, f := range fs {
		if !f.linear {
			all = false
			continue
		}
		r := a.bound(f.lin, b, nil)
		if r.meet(f.rng).empty() {
			return false, true
		}
		all = all && r.within(f.rng)
	}
	return true, all
}

// formMinMax: a clamp that never bites leaves its operand as it is.
func formMinMax(a *analyzer, v int, x *value, b int) linear {
	t := x.in.Spec.Types[0]
	if !isInteger(t) {
		return opaque(v)
	}
	var l [2]linear
	var r [2]interval
	for i := range l {
		l[i] = a.widen(a.lin(x.args[i], b), x.args[i], t.Bits(), t.Signed(), b, nil)
		if r[i] = a.bound(l[i], b, nil); t.Bits() == 64 && !t.Signed() && r[i].lo < 0 {
			return opaque(v) // reads as a number above 2^62
		}
	}
	least, most := 0, 1
	switch {
	case r[1].hi <= r[0].lo:
		least, most = 1, 0
	case r[0].hi > r[1].lo:
		return opaque(v)
	}
	if x.in.Spec.Name == "min" {
		return l[least]
	}
	return l[most]
}

// formShuffle: another lane's value points into the same thing.
func formShuffle(a *analyzer, v int, x *value, b int) linear {
	if base, _, ok := a.lin(x.args[0], b).base(); ok && base != nil {
		return single(*base).plus(opaque(v), 1)
	}
	return opaque(v)
}
