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
	assume  []Assume
	sizes   [6]uint32 // of tid.x,y,z and ctaid.x,y,z
	axes    [6]uint32 // how many values of each the window has
	from    [6]uint32 // the first of them
	loops   map[int]*loop
	counted bool // loops have been worked out
	lins    map[key]linear
	ranges  map[key]interval
	busy    map[key]bool
	known   [][]fact // by block, nil: not yet asked
	ctx     []int    // by block: the dominator that has the same facts
	ipdom   []int    // immediate postdominators, when asked for
	waits   []bool   // by block, see gridwait.go
}

// key is a value as seen in a block.
type key struct{ v, b int }

func newAnalyzer(e *Entry, f *Flow, l Launch, w Window, assume []Assume) *analyzer {
	s := buildSSA(e, f)
	a := &analyzer{s: s, f: f, l: l, assume: assume, lins: make(map[key]linear, len(s.vals)), ranges: map[key]interval{}, busy: map[key]bool{},
		known: make([][]fact, len(f.Blocks)), ctx: make([]int, len(f.Blocks)), waits: f.gridWaits()}
	a.sizes = [6]uint32{l.Block[0], l.Block[1], l.Block[2], l.Grid[0], l.Grid[1], l.Grid[2]}
	a.axes = a.sizes
	a.axes[0], a.from[0] = w.Threads[1]-w.Threads[0], w.Threads[0]
	a.axes[3], a.from[3] = w.Blocks[1]-w.Blocks[0], w.Blocks[0]
	a.findLoops()
	a.shareContexts()
	for _, lp := range a.loops {
		lp.trips(a)
	}
	// what was worked out without knowing how long loops run may now be sharper
	a.counted = true
	clear(a.lins)
	clear(a.ranges)
	clear(a.known)
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
	if x := &a.s.vals[v]; x.kind == valInstr && equal(l, opaque(v)) && settles[x.in.Spec.Name] {
		if r := a.valueRange(v, k.b); r.lo == r.hi {
			l = constant(r.lo)
		}
	}
	delete(a.busy, k)
	a.lins[k] = l
	return l
}

// settles names instructions whose result may be one number although their operands are not.
var settles = map[string]bool{"min": true, "max": true, "selp": true, "and": true, "div": true, "mul": true, "shr": true}

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
		if truth, ok := a.decided(x.pred, b); ok {
			return a.lin(x.args[map[bool]int{true: 0, false: 1}[truth != x.not]], b)
		}
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
			return constant(int64(a.sizes[i]))
		}
	}
	for i, n := range axisNames {
		if n == name {
			return a.number(i)
		}
	}
	if of := clusterRegisters[name]; of != nil {
		if l, ok := of(a, int64(a.s.e.Cluster())); ok {
			return l
		}
	}
	return opaque(v)
}

// number is the form of a thread or block number.
func (a *analyzer) number(axis int) linear {
	l := constant(int64(a.from[axis]))
	for bit := int8(0); a.axes[axis]>>bit > 1; bit++ {
		l.terms = append(l.terms, term{symbol{symAxis, axis, bit}, 1 << bit})
		if a.axes[axis]>>bit&1 != 0 {
			break // the rest is one part
		}
	}
	return l
}
