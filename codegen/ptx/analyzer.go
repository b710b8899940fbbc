package ptx

// analyzer finds, for values of an entry, linear forms over thread and block numbers, loop
// counters and unknowns, and bounds on them that hold in a given block.
//
// In a register of n < 64 bits a form is right modulo 2^n; widen turns it into an integer where
// its bounds show that nothing wrapped.
type analyzer struct {
	s       *ssa
	f       *Flow
	l       Launch
	axes    [6]uint32 // sizes of tid.x,y,z and ctaid.x,y,z
	loops   map[int]*loop
	counted bool // loops have been worked out
	lins    map[key]linear
	ranges  map[key]interval
	busy    map[key]bool
	known   [][]fact // by block, nil: not yet asked
	ctx     []int    // by block: the dominator that has the same facts
	ipdom   []int    // immediate postdominators, when asked for
}

// key is a value as seen in a block.
type key struct{ v, b int }

func newAnalyzer(e *Entry, f *Flow, l Launch) *analyzer {
	a := &analyzer{s: buildSSA(e, f), f: f, l: l, lins: map[key]linear{}, ranges: map[key]interval{}, busy: map[key]bool{},
		known: make([][]fact, len(f.Blocks)), ctx: make([]int, len(f.Blocks))}
	a.axes = [6]uint32{l.Block[0], l.Block[1], l.Block[2], l.Grid[0], l.Grid[1], l.Grid[2]}
	a.findLoops()
	a.shareContexts()
	for _, lp := range a.loops {
		lp.trips(a)
	}
	// what was worked out without knowing how long loops run may now be sharper
	a.counted = true
	a.lins, a.ranges, a.known = map[key]linear{}, map[key]interval{}, make([][]fact, len(f.Blocks))
	a.shareContexts()
	return a
}

// shareContexts lets blocks share what is known in their dominator when they add nothing.
func (a *analyzer) shareContexts() {
	for _, b := range a.f.Order {
		a.ctx[b] = b
		lp := a.loops[b]
		if d := a.f.IDom[b]; d >= 0 && a.entry(b) < 0 && (lp == nil || !a.counted || !lp.test.known) {
			a.ctx[b] = a.ctx[d]
		}
	}
}

// entry returns the block whose conditional branch alone leads to block b, back edges of b's
// own loop aside, or -1.
func (a *analyzer) entry(b int) int {
	from := -1
	for _, p := range a.f.Blocks[b].Pred {
		if a.f.Dominates(b, p) {
			continue
		}
		if from >= 0 {
			return -1
		}
		from = p
	}
	if b == 0 || from < 0 || len(a.f.Blocks[from].Succ) != 2 || a.f.Blocks[from].Succ[0] == a.f.Blocks[from].Succ[1] {
		return -1
	}
	return from
}

func opaque(v int) linear { return single(symbol{kind: symOpaque, id: v}) }

// lin is the form of value v as seen in block b.
func (a *analyzer) lin(v, b int) linear {
	v = a.s.find(v)
	k := key{v, a.ctx[b]}
	if l, ok := a.lins[k]; ok {
		return l
	}
	if a.busy[k] {
		return opaque(v)
	}
	a.busy[k] = true
	l := a.form(v, k.b)
	delete(a.busy, k)
	a.lins[k] = l
	return l
}

func (a *analyzer) form(v, b int) linear {
	x := &a.s.vals[v]
	switch x.kind {
	case valInt:
		return constant(clampInf(x.num))
	case valReg:
		return a.axis(v, x.name)
	case valSym:
		if d := a.s.e.Var(x.name); d != nil && d.Space == Global {
			for i, m := range a.s.e.Module.Vars {
				if m == d {
					return single(symbol{kind: symVar, id: i})
				}
			}
		} else if d != nil {
			return single(symbol{kind: symSpace, id: int(d.Space)}).plus(opaque(v), 1)
		}
	case valPhi:
		return a.phi(v, b)
	case valSelect:
		return a.merged(v, a.lin(x.args[0], b), a.lin(x.args[1], b))
	case valInstr:
		if f := forms[x.in.Spec.Name]; f != nil && x.dst == 0 {
			return f(a, v, x, b)
		}
	}
	return opaque(v)
}

// merged is the form of v, which is one of several: what they have in common.
func (a *analyzer) merged(v int, ls ...linear) linear {
	base, _, ok := ls[0].base()
	same := true
	for _, l := range ls[1:] {
		same = same && equal(l, ls[0])
		b, _, ok2 := l.base()
		ok = ok && ok2 && (b == nil) == (base == nil) && (b == nil || *b == *base)
	}
	switch {
	case same:
		return ls[0]
	case ok && base != nil:
		return single(*base).plus(opaque(v), 1)
	}
	return opaque(v)
}

func equal(l, m linear) bool {
	if l.con != m.con || len(l.terms) != len(m.terms) || l.over != m.over {
		return false
	}
	for i := range l.terms {
		if l.terms[i] != m.terms[i] {
			return false
		}
	}
	return true
}

var axisNames = [6]string{"%tid.x", "%tid.y", "%tid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z"}
var sizeNames = [6]string{"%ntid.x", "%ntid.y", "%ntid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z"}

// axis is the form of a special register. Thread and block numbers come apart into bits, as far
// as their size is divisible by two, so that shifts and masks of them stay linear.
func (a *analyzer) axis(v int, name string) linear {
	for i, n := range sizeNames {
		if n == name {
			return constant(int64(a.axes[i]))
		}
	}
	for i, n := range axisNames {
		if n != name {
			continue
		}
		l := linear{}
		for bit := int8(0); a.axes[i]>>bit > 1; bit++ {
			l.terms = append(l.terms, term{symbol{symAxis, i, bit}, 1 << bit})
			if a.axes[i]>>bit&1 != 0 {
				break // the rest is one part
			}
		}
		return l
	}
	return opaque(v)
}

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

// maxShared is the most terms of a fact that is tried although not all of them are in the form.
const maxShared = 3

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
			k, ok := l.ratio(f.lin)
			if !ok && len(f.lin.terms) <= maxShared {
				k, ok = l.shares(f.lin)
			}
			if !ok {
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
