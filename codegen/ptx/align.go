package ptx

// maxAlign is the greatest alignment that is told apart, in bytes.
const maxAlign = 256

// alignment is the greatest power of two, at most maxAlign, that divides every value of l.
func (a *analyzer) alignment(l linear) int64 {
	all := l.con | maxAlign
	for _, t := range l.terms {
		c := t.coef
		switch t.sym.kind {
		case symOpaque:
			c = mulInf(c, a.valueAlignment(t.sym.id))
		case symWide: // wrapping keeps the low bits
			c = mulInf(c, a.alignment(a.lin(t.sym.id, a.s.vals[t.sym.id].at)))
		}
		all |= c
	}
	return all & -all
}

// valueAlignment is the alignment of an unknown value's distance from what it points into.
func (a *analyzer) valueAlignment(v int) int64 {
	x := &a.s.vals[v]
	busy := key{v, -1}
	if a.busy[busy] {
		return maxAlign // a loop adds nothing of its own
	}
	a.busy[busy] = true
	defer delete(a.busy, busy)
	among := func(args ...int) int64 {
		al := int64(maxAlign)
		for _, v := range args {
			_, rest, ok := a.lin(v, x.at).base()
			if !ok {
				return 1
			}
			al = min(al, a.alignment(rest))
		}
		return al
	}
	switch x.kind {
	case valPhi:
		return among(x.args...)
	case valSelect:
		return among(x.args[0], x.args[1])
	case valInstr:
		switch x.in.Spec.Name {
		case "selp", "min", "max":
			return among(x.args[0], x.args[1])
		case "shfl":
			return among(x.args[0])
		case "and": // a mask clears the bits below its lowest one
			for _, v := range x.args[:2] {
				if m := a.lin(v, x.at); m.isConst() && m.con != 0 {
					return min(m.con&-m.con, maxAlign)
				}
			}
		}
	}
	return 1
}
