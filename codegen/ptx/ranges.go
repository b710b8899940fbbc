package ptx

// valueRange bounds the number that an unknown value stands for: of a pointer, its distance
// from what it points into.
func (a *analyzer) valueRange(v, b int) interval {
	k := key{v, a.ctx[b]}
	if r, ok := a.ranges[k]; ok {
		return r
	}
	x := &a.s.vals[v]
	full := rangeOf(x.typ.Bits(), false)
	if x.typ.Bits() >= 64 || x.typ == NoType {
		full = everything
	}
	busy := key{-1 - v, k.b}
	if a.busy[busy] {
		return full
	}
	a.busy[busy] = true
	r := full
	switch x.kind {
	case valInstr:
		if f := rangeRules[x.in.Spec.Name]; f != nil {
			r = f(a, x, k.b, full)
		}
	case valPhi:
		r = a.phiRange(x, full)
	case valSelect:
		r = a.alternatives(x.args[0], x.args[1], x.pred, !x.not, k.b)
	case valReg:
		r = registerRange(a, x.name, full)
	}
	delete(a.busy, busy)
	a.ranges[k] = r
	return r
}

func registerRange(a *analyzer, name string, full interval) interval {
	switch name {
	case "%laneid":
		return interval{0, 31}
	case "%warpid":
		return interval{0, int64(a.l.Threads()+31)/32 - 1}
	case "%nwarpid":
		return point(int64(a.l.Threads()+31) / 32)
	case "%smid", "%nsmid":
		return interval{0, 1 << 16}
	case "%dynamic_smem_size":
		return point(int64(a.l.DynShared))
	case "%clock64", "%globaltimer":
		return everything
	}
	if n := int64(a.s.e.Cluster()); name == "%cluster_ctarank" {
		return interval{0, max(n, 1) - 1}
	}
	return interval{0, 1<<32 - 1}
}

// distance bounds value v in block b, without what it points into.
func (a *analyzer) distance(v, b int, extra []fact) interval {
	_, rest, ok := a.lin(v, b).base()
	if !ok {
		return everything
	}
	return a.bound(rest, b, extra)
}

func (a *analyzer) phiRange(x *value, full interval) interval {
	preds := a.f.Blocks[x.at].Pred
	if len(preds) != len(x.args) {
		return full
	}
	r := interval{1, 0}
	for i, p := range preds {
		if a.f.IDom[p] < 0 && p != 0 {
			continue // unreachable
		}
		r = r.join(a.distance(x.args[i], p, a.edge(p, x.at)))
	}
	return r
}

// alternatives bounds a choice: the first value where predicate p is truth, the second elsewhere.
func (a *analyzer) alternatives(yes, no, p int, truth bool, b int) interval {
	return a.distance(yes, b, a.predicate(p, truth, b)).join(a.distance(no, b, a.predicate(p, !truth, b)))
}

// read bounds source i of x, read as type t.
func (a *analyzer) read(x *value, i int, t Type, b int) interval {
	return a.bound(a.widen(a.lin(x.args[i], b), x.args[i], t.Bits(), t.Signed(), b, nil), b, nil)
}

// powerAbove is the least power of two above n.
func powerAbove(n int64) int64 {
	p := int64(1)
	for p <= n && p < infinity {
		p *= 2
	}
	return p
}

func product(x, y interval) interval {
	a, b, c, d := mulInf(x.lo, y.lo), mulInf(x.lo, y.hi), mulInf(x.hi, y.lo), mulInf(x.hi, y.hi)
	return interval{min(a, b, c, d), max(a, b, c, d)}
}

// rangeRules bounds what instructions give when their form is not linear.
var rangeRules map[string]func(a *analyzer, x *value, b int, full interval) interval

func init() {
	rangeRules = map[string]func(a *analyzer, x *value, b int, full interval) interval{
		"ld": rangeTyped, "ldu": rangeTyped, "mov": rangeMove, "cvt": rangeConvert, "min": rangeMinMax, "max": rangeMinMax,
		"and": rangeBits, "or": rangeBits, "xor": rangeBits, "shl": rangeShift, "shr": rangeShift, "mul": rangeMul, "mad": rangeMul,
		"div": rangeDivide, "rem": rangeDivide, "selp": rangeSelect, "shfl": rangeShuffle, "popc": rangeCount, "clz": rangeCount,
		"abs": rangeAbs, "bfe": rangeExtract, "prmt": rangePermute,
	}
}
