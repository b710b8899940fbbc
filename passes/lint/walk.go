package lint

import "dsac/runtime/plan"

// def is one definition: an operand of an execution that wrote bytes, or the start of the step.
type def struct {
	exec    int32 // none: defined before the step
	operand int32 // index in Plan.Operands, none at the start
	buf     int32
	root    int32
	over    int32 // a definition that it replaced, or none; for the chain
	unread  int64 // bytes of it that went without a reader
	dist    uint64
	effect  plan.Effect
	summed  bool // it went through a collective
	read    bool // somebody read some byte
	lost    bool // some byte was overwritten through the same root, unread
}

// user is a reader of a span, or an op that adds to it, since its last exclusive write.
type user struct {
	exec int32
	next int32
	adds bool
}

// access is an operand at a point: bytes [lo, hi) of its region.
type access struct {
	*plan.Operand
	index    int32 // in Plan.Operands, none for the implicit read of the control buffer
	root     int32
	cluster  int32
	lo, hi   int64
	fullLo   int64 // before it was cut to its buffer (S10)
	fullHi   int64
	implicit bool
}

func (a *access) empty() bool { return a.lo >= a.hi }

// mark says what one walk saw of one operand's definitions; walks are joined with or and and.
type mark uint8

const (
	ran     mark = 1 << iota // it defined at least one byte
	wasRead                  // somebody read at least one
	wasLost                  // some were overwritten unread
	unread                   // some had no reader
)

// walk takes an entry in the order of its items at one point and follows every byte: which
// definition reaches it, who used it since, and whether these are ordered.
type walk struct {
	*unit
	point   plan.Point
	world   int64
	out     *collector
	maps    []spans // per cluster
	defs    []def
	users   []user
	defined map[int32]bool // roots of which some byte has been defined
	acc     []access       // operands of the execution at hand
	x       int32          // it
	parts   partial        // partial sums that it met
	edges   func(from, to int32)
	visits  int // spans looked at: the work, for the test of growth
}

// walk runs one walk and returns the marks of the entry's operands.
func (u *unit) walk(world, point int, out *collector) []mark {
	w := &walk{unit: u, point: u.points[point], world: u.worlds[world], out: out, defined: make(map[int32]bool, 256)}
	w.run()
	return w.marks()
}

func (w *walk) run() {
	w.defs = make([]def, 0, len(w.execs)*2)
	w.begin()
	for i := range w.execs {
		x := &w.execs[i]
		if alt := w.m.steps[x.step].alt; alt != int64(none) && alt != w.world {
			continue
		}
		w.x = int32(i)
		w.bind(x.step)
		for _, r := range pointRules {
			r.point(w)
		}
		w.parts = partial{}
		for j := range w.acc {
			if a := &w.acc[j]; reads(a.Effect) {
				w.read(a)
			}
		}
		w.dist()
		for j := range w.acc {
			if a := &w.acc[j]; a.Effect != plan.R {
				w.write(a)
			}
		}
	}
	for _, r := range endRules {
		r.end(w)
	}
}

// begin defines what is defined when a step starts: inputs, and of state what valid= says,
// or all of it. What the host fills is a definition of its own: the host may not read it back.
func (w *walk) begin() {
	w.maps = make([]spans, len(w.extent))
	for c, e := range w.extent {
		w.maps[c] = spans{{lo: e.lo, hi: e.hi, def: none, write: none, users: none}}
	}
	partly := map[int32]bool{}
	for _, b := range w.initial {
		if r := w.m.root[b]; r != b {
			partly[r] = true
		}
	}
	for _, b := range w.initial {
		buf, pl := &w.m.p.Bufs[b], w.m.place[b]
		hi := pl.hi
		if buf.HasValid {
			hi = min(hi, pl.lo+max(buf.Valid.At(w.point), 0))
		} else if partly[b] {
			continue
		}
		root := w.m.root[b]
		hi = min(hi, w.m.place[root].hi)
		if c := w.cluster[b]; c != none && pl.lo < hi {
			w.defined[root] = true
			w.maps[c].join(span{lo: pl.lo, hi: hi, def: w.define(def{exec: none, operand: none, buf: b, root: root, over: none}), write: none, users: none})
		}
	}
}

func (w *walk) define(d def) int32 {
	w.defs = append(w.defs, d)
	return int32(len(w.defs) - 1)
}

func reads(e plan.Effect) bool { return e == plan.R || e == plan.RW || e == plan.Acc }

// bind evaluates the operands of a step at the point, cut to their buffers.
func (w *walk) bind(step int32) {
	p := w.m.p
	w.acc = w.acc[:0]
	sp := p.Steps[step].Operands
	for i := sp.Off; i < sp.Off+sp.Len; i++ {
		w.acc = append(w.acc, w.access(&p.Operands[i], int32(i)))
	}
	if w.m.ctl != none && p.Bufs[w.m.ctl].Size >= plan.CtlRead {
		a := w.access(&plan.Operand{Buf: w.m.ctl, Effect: plan.R, Hi: plan.Fixed(plan.CtlRead)}, none)
		a.implicit = true
		w.acc = append(w.acc, a)
	}
}

func (w *walk) access(o *plan.Operand, index int32) access {
	a := access{Operand: o, index: index, root: w.m.root[o.Buf], cluster: w.cluster[o.Buf]}
	pl := w.m.place[o.Buf]
	if !pl.ok {
		a.cluster = none
		return a
	}
	lo, hi := w.m.p.Range(o, w.point)
	a.fullLo, a.fullHi = pl.lo+lo, pl.lo+hi
	owner := w.m.place[a.root]
	a.lo, a.hi = max(a.fullLo, pl.lo, owner.lo), min(a.fullHi, pl.hi, owner.hi)
	return a
}

// read looks at every span that an operand reads.
func (w *walk) read(a *access) {
	if a.cluster == none || a.empty() {
		return
	}
	us := use{w: w, access: a, def: none}
	over := w.maps[a.cluster].over(a.lo, a.hi)
	w.visits += len(over)
	for i := range over {
		s := &over[i]
		us.lo, us.hi, us.def, us.d = s.lo, s.hi, s.def, nil
		if s.def != none {
			us.d = &w.defs[s.def]
		}
		us.decide()
		us.meaning()
		if us.d != nil {
			us.d.read = true
			if w.edges != nil && us.d.exec != none {
				w.edges(us.d.exec, w.x)
			}
			w.parts.meet(w, a, us.d)
		}
		s.read = true
		if w.lanes {
			w.conflicts(a, s, false)
			w.use(s, a.Effect == plan.Acc)
		}
	}
}

// write defines every byte that an operand writes.
func (w *walk) write(a *access) {
	if a.cluster == none || a.empty() {
		return
	}
	d := def{exec: w.x, operand: a.index, buf: a.Buf, root: a.root, over: none, effect: a.Effect, dist: w.parts.out, summed: w.parts.summed}
	over := w.maps[a.cluster].over(a.lo, a.hi)
	w.visits += len(over)
	users := none
	for i := range over {
		s := &over[i]
		if w.lanes && a.Effect != plan.Acc {
			w.conflicts(a, s, true)
		}
		if s.def != none {
			w.retire(s, a)
			d.over = s.def
		}
	}
	if a.Effect == plan.Acc && w.lanes {
		// Additions commute with each other: keep the fill and all adders, each span its own.
		for i := range over {
			over[i].def, over[i].read = int32(len(w.defs)), false
		}
		w.define(d)
	} else {
		w.maps[a.cluster].join(span{lo: a.lo, hi: a.hi, def: w.define(d), write: w.x, users: users})
	}
	if a.Effect != plan.Scr {
		w.defined[a.root] = true
	}
}

// retire notes what is lost when a span is overwritten.
func (w *walk) retire(s *span, a *access) {
	old := &w.defs[s.def]
	if s.read || old.exec == w.x {
		return
	}
	old.unread += s.hi - s.lo
	sameStep := old.exec != none && w.execs[old.exec].iter == w.execs[w.x].iter
	if sameStep && old.root == a.root && a.Effect != plan.Scr {
		old.lost = true
	}
}

// use adds the execution at hand to the users of a span. Of earlier ones on the same lane the
// new one speaks for all.
func (w *walk) use(s *span, adds bool) {
	head := int32(len(w.users))
	w.users = append(w.users, user{w.x, none, adds})
	lane := w.execs[w.x].lane
	tail := head
	for u := s.users; u != none; u = w.users[u].next {
		if old := w.users[u]; w.execs[old.exec].lane != lane || old.adds != adds {
			w.users = append(w.users, user{old.exec, none, old.adds})
			w.users[tail].next = int32(len(w.users) - 1)
			tail = w.users[tail].next
		}
	}
	s.users = head
}

// marks sums up what became of every definition.
func (w *walk) marks() []mark {
	for c := range w.maps {
		for i := range w.maps[c] {
			if s := &w.maps[c][i]; s.def != none && !s.read {
				w.defs[s.def].unread += s.hi - s.lo
			}
		}
	}
	out := make([]mark, w.numOps)
	for i := range w.defs {
		d := &w.defs[i]
		if d.operand == none {
			continue
		}
		k := ran
		if d.read {
			k |= wasRead
		}
		if d.lost {
			k |= wasLost
		}
		if d.unread > 0 {
			k |= unread
		}
		out[uint32(d.operand)-w.firstOp] |= k
	}
	return out
}
