package ptx

// phi is the form of a phi: where a loop starts and counts by a constant, its start plus the
// rounds times the step.
func (a *analyzer) phi(v, b int) linear {
	x := &a.s.vals[v]
	preds := a.f.Blocks[x.at].Pred
	if len(x.args) != len(preds) {
		return opaque(v)
	}
	lp := a.loops[x.at]
	if lp == nil {
		ls := make([]linear, len(preds))
		for i, p := range preds {
			ls[i] = a.lin(x.args[i], p)
		}
		return a.merged(v, ls...)
	}
	var starts []linear
	step, counted, first := int64(0), true, true
	for i, p := range preds {
		if !lp.body[p] {
			starts = append(starts, a.lin(x.args[i], p))
			continue
		}
		s, ok := a.step(x.args[i], v, p, 16)
		counted = counted && ok && (first || s == step)
		step, first = s, false
	}
	if len(starts) == 0 {
		return opaque(v)
	}
	start := a.merged(v, starts...)
	if counted && (len(starts) == 1 || equal(start, starts[0])) {
		return start.plus(single(symbol{kind: symIter, id: x.at}), step)
	}
	if base, _, ok := start.base(); ok && base != nil && a.keepsBase(v, *base, lp, preds) {
		return single(*base).plus(opaque(v), 1)
	}
	return opaque(v)
}

// keepsBase reports whether every round leaves the pointer v in the thing it points into.
func (a *analyzer) keepsBase(v int, base symbol, lp *loop, preds []int) bool {
	for i, p := range preds {
		if !lp.body[p] {
			continue
		}
		// the round's result, with v (in work now) as an unknown: v itself plus numbers
		l := a.lin(a.s.vals[v].args[i], p)
		rest, found := l, false
		for _, t := range l.terms {
			switch {
			case t.sym == symbol{kind: symOpaque, id: v} && t.coef == 1:
				found = true
			case t.sym.kind <= symVar && t.sym != base:
				return false
			}
		}
		if b, _, ok := rest.base(); !found && (!ok || b == nil || *b != base) {
			return false
		}
	}
	return true
}

// step is the constant by which value v differs from phi.
func (a *analyzer) step(v, phi, b, depth int) (int64, bool) {
	v = a.s.find(v)
	if v == phi {
		return 0, true
	}
	x := &a.s.vals[v]
	if x.kind != valInstr || depth == 0 {
		return 0, false
	}
	switch x.in.Spec.Name {
	case "mov":
		if len(x.args) == 1 {
			return a.step(x.args[0], phi, b, depth-1)
		}
	case "add", "sub":
		t := x.in.Spec.Types[0]
		if !isInteger(t) {
			return 0, false
		}
		for i := range 2 {
			s, ok := a.step(x.args[i], phi, b, depth-1)
			if !ok {
				continue
			}
			k := small(a.lin(x.args[1-i], b), t)
			switch {
			case !k.isConst():
				return 0, false
			case x.in.Spec.Name == "add":
				return s + k.con, true
			case i == 0:
				return s - k.con, true
			}
		}
	}
	return 0, false
}
