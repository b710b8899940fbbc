package ptx

// rangeTyped: a narrow load fills its register with zeros or signs.
func rangeTyped(a *analyzer, x *value, b int, full interval) interval {
	if as := a.assumed(x, b); as != nil {
		return interval{as.Lo, as.Hi}
	}
	if t := x.in.Spec.Types[0]; isInteger(t) && t.Bits() < x.typ.Bits() {
		return rangeOf(t.Bits(), t.Signed())
	}
	return full
}

func rangeMove(a *analyzer, x *value, _ int, full interval) interval {
	if x.in.Args[0].Kind == OpVec {
		return rangeOf(x.typ.Bits(), false)
	}
	return full
}

func rangeConvert(a *analyzer, x *value, b int, full interval) interval {
	ts := x.in.Spec.Types
	if len(ts) < 2 || !isInteger(ts[0]) {
		return full
	}
	limit := rangeOf(ts[0].Bits(), ts[0].Signed())
	if !isInteger(ts[1]) || !x.in.Spec.Has("sat") {
		return limit
	}
	r := a.read(x, 0, ts[1], b)
	return interval{min(max(r.lo, limit.lo), limit.hi), max(min(r.hi, limit.hi), limit.lo)}
}

func rangeMinMax(a *analyzer, x *value, b int, full interval) interval {
	t := x.in.Spec.Types[0]
	if !isInteger(t) {
		return full
	}
	p, q := a.read(x, 0, t, b), a.read(x, 1, t, b)
	if l := a.lin(x.args[1], b); l.isConst() && !t.Signed() && t.Bits() < 64 {
		q = point(int64(uint64(l.con) & (1<<t.Bits() - 1)))
	}
	if x.in.Spec.Name == "min" {
		if !t.Signed() { // an unsigned number is not below 0, whatever its width
			p.lo, q.lo = max(p.lo, 0), max(q.lo, 0)
			if t.Bits() == 64 { // a negative reading is above 2^62
				p, q = unsigned64(p), unsigned64(q)
			}
		}
		return interval{min(p.lo, q.lo), min(p.hi, q.hi)}
	}
	if !t.Signed() && t.Bits() == 64 && (p.lo < 0 || q.lo < 0) {
		return full
	}
	return interval{max(p.lo, q.lo), max(p.hi, q.hi)}
}

func unsigned64(r interval) interval {
	if r.lo < 0 {
		return interval{0, infinity}
	}
	return r
}

func rangeBits(a *analyzer, x *value, b int, full interval) interval {
	t := x.in.Spec.Types[0]
	if t == Pred {
		return full
	}
	var r [2]interval
	low := int64(0) // bits that a mask clears below its lowest one
	for i := range r {
		l := a.lin(x.args[i], b)
		if l.isConst() && l.con != 0 {
			low |= l.con&-l.con - 1
		}
		r[i] = a.bound(l, b, nil)
		if !r[i].within(rangeOf(t.Bits(), false)) {
			r[i] = rangeOf(t.Bits(), false)
		}
	}
	if t.Bits() == 64 && x.in.Spec.Name == "and" { // one known side is enough
		return interval{0, min(r[0].hi, r[1].hi) &^ low}
	}
	hi := max(r[0].hi, r[1].hi)
	if hi >= infinity {
		return full
	}
	switch x.in.Spec.Name {
	case "and":
		return interval{0, min(r[0].hi, r[1].hi) &^ low}
	case "or":
		return interval{max(r[0].lo, r[1].lo), powerAbove(hi) - 1}
	}
	return interval{0, powerAbove(hi) - 1}
}

func rangeShift(a *analyzer, x *value, b int, full interval) interval {
	t := x.in.Spec.Types[0]
	n := a.read(x, 1, U32, b)
	v := a.read(x, 0, t, b)
	n = n.meet(interval{0, 62})
	switch {
	case x.in.Spec.Name == "shr" && !t.Signed() && t.Bits() == 64 && !n.empty() && n.lo > 2 && (v.lo < 0 || v.hi >= infinity):
		return interval{0, 1<<(64-n.lo) - 1}
	case n.empty() || v.lo < 0 || v.hi >= infinity:
		return full
	case x.in.Spec.Name == "shl":
		return interval{mulInf(v.lo, 1<<n.lo), mulInf(v.hi, 1<<min(n.hi, 61))}
	}
	return interval{v.lo >> n.hi, v.hi >> n.lo}
}

func rangeMul(a *analyzer, x *value, b int, full interval) interval {
	t := x.in.Spec.Types[0]
	if !isInteger(t) {
		return full
	}
	p := product(a.read(x, 0, t, b), a.read(x, 1, t, b))
	if x.in.Spec.Has("hi") {
		if t.Bits() != 32 || t.Signed() && p.lo < 0 {
			return full
		}
		p = interval{p.lo >> 32, p.hi >> 32}
	}
	if x.in.Spec.Name == "mad" {
		base, rest, ok := a.lin(x.args[2], b).base()
		if !ok || base == nil && x.in.Spec.Has("hi") {
			return full
		}
		p = p.add(a.bound(rest, b, nil))
	}
	return p
}

func rangeDivide(a *analyzer, x *value, b int, full interval) interval {
	t := x.in.Spec.Types[0]
	if !isInteger(t) {
		return full
	}
	n, d := a.read(x, 0, t, b), a.read(x, 1, t, b)
	if n.lo < 0 || d.lo <= 0 {
		if x.in.Spec.Name == "rem" && d.lo > 0 && t.Signed() {
			return interval{1 - d.hi, d.hi - 1}
		}
		if x.in.Spec.Name == "rem" && d.lo > 0 {
			return interval{0, d.hi - 1}
		}
		return full
	}
	if x.in.Spec.Name == "div" {
		return interval{n.lo / d.hi, n.hi / d.lo}
	}
	return interval{0, min(n.hi, d.hi-1)}
}

func rangeSelect(a *analyzer, x *value, b int, _ interval) interval {
	return a.alternatives(x.args[0], x.args[1], x.args[2], true, b)
}

func rangeShuffle(a *analyzer, x *value, b int, full interval) interval {
	if x.dst != 0 {
		return full
	}
	return a.distance(x.args[0], b, nil)
}

func rangeCount(_ *analyzer, x *value, _ int, _ interval) interval {
	return interval{0, int64(x.in.Spec.Types[0].Bits())}
}

func rangeAbs(a *analyzer, x *value, b int, full interval) interval {
	t := x.in.Spec.Types[0]
	if !isInteger(t) {
		return full
	}
	r := a.read(x, 0, t, b)
	return interval{0, max(-r.lo, r.hi)}
}

func rangeExtract(a *analyzer, x *value, b int, full interval) interval {
	n := a.lin(x.args[2], b)
	if !n.isConst() || n.con < 0 || n.con > 60 || x.in.Spec.Types[0].Signed() {
		return full
	}
	return interval{0, 1<<n.con - 1}
}

// rangePermute: picks of zero bytes at the top make a small number.
func rangePermute(a *analyzer, x *value, b int, full interval) interval {
	second, sel := a.lin(x.args[1], b), a.lin(x.args[2], b)
	if !second.isConst() || second.con != 0 || !sel.isConst() || len(x.in.Spec.Mods) != 1 {
		return full
	}
	n := 4
	for n > 0 && sel.con>>(4*(n-1))&12 == 4 { // bytes 4 to 7, not their signs
		n--
	}
	return rangeOf(8*n, false)
}
