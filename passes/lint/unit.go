package lint

import (
	"cmp"
	"slices"

	"dsac/runtime/plan"
)

// unit is one entry made ready for walking: its executions and their order, its points, and
// its buffers in clusters. A cluster is a maximal set of buffers connected by shared bytes;
// each has spans of its own, so that a plan that reuses nothing costs no more than one that does.
type unit struct {
	m        *model
	e        int32
	entry    *plan.Entry
	execs    []exec
	order    order
	faults   []eventFault
	when     []int32 // [step - first step]: its first execution, or none
	iters    int32
	lanes    bool // more than one lane is in use: order must be checked
	usesN    bool
	usesPos  bool
	points   []plan.Point
	worlds   []int64 // alternatives (alt=) of which only one runs; one element, none, without any
	cluster  []int32 // per buffer: its cluster, or none if its bytes are not followed
	extent   []place // per cluster
	initial  []int32 // roots, and views with valid=, that may be defined when a step starts
	advances bool    // it writes a cache whose valid rows grow, or the position
	firstOp  uint32  // index of its first operand
	numOps   uint32
	out      *collector // of the rules that run once; see finish
}

func newUnit(m *model, e int32) *unit {
	u := &unit{m: m, e: e, entry: &m.p.Entries[e]}
	u.execs, u.order, u.faults = buildOrder(m.p, u.entry)
	u.when = make([]int32, u.entry.Steps.Len)
	for i := range u.when {
		u.when[i] = none
	}
	for i, x := range u.execs {
		if w := &u.when[u.local(x.step)]; *w == none {
			*w = int32(i)
		}
		u.lanes = u.lanes || x.lane != u.execs[0].lane
		u.iters = max(u.iters, x.iter+1)
		if a := m.steps[x.step].alt; a != int64(none) && !slices.Contains(u.worlds, a) {
			u.worlds = append(u.worlds, a)
		}
	}
	if u.worlds == nil {
		u.worlds = []int64{int64(none)}
	}
	slices.Sort(u.worlds)
	u.symbols()
	u.clusters()
	u.points = append(u.points, u.crossings(int64(u.entry.Rows), u.m.ctx)...)
	return u
}

func (u *unit) local(step int32) int32 { return step - int32(u.entry.Steps.Off) }

// operands calls f for every operand of every step of the entry.
func (u *unit) operands(f func(step int32, i uint32, o *plan.Operand)) {
	for s := u.entry.Steps.Off; s < u.entry.Steps.Off+u.entry.Steps.Len; s++ {
		sp := u.m.p.Steps[s].Operands
		for i := sp.Off; i < sp.Off+sp.Len; i++ {
			f(int32(s), i, &u.m.p.Operands[i])
		}
	}
}

func (u *unit) symbols() {
	first, end := uint32(0), uint32(0)
	note := func(l plan.Lin) {
		u.usesN = u.usesN || l.Sym == plan.SymN
		u.usesPos = u.usesPos || l.Sym == plan.SymPos || l.Sym == plan.SymLen
	}
	u.operands(func(_ int32, i uint32, o *plan.Operand) {
		if end == 0 {
			first, end = i, i+1
		}
		first, end = min(first, i), max(end, i+1)
		note(o.Lo)
		note(o.Hi)
		if b := &u.m.p.Bufs[o.Buf]; writes(o.Effect) && (grows(b) || o.Buf == u.m.ctl && o.Lo.C < plan.CtlPos+8) {
			u.advances = true
		}
	})
	u.firstOp, u.numOps = first, end-first
	u.points = corners(int64(u.entry.Rows), u.m.ctx, u.usesN, u.usesPos)
}

// grows says whether the valid bytes of a buffer depend on the position.
func grows(b *plan.Buf) bool {
	return b.HasValid && b.Valid.K != 0 && (b.Valid.Sym == plan.SymPos || b.Valid.Sym == plan.SymLen)
}

// follows says whether definitions of bytes in a region are followed. Weights are not: they
// are defined before any step, and S14 forbids to write them.
func follows(k plan.RegionKind) bool { return k != plan.Const }

// startsDefined says whether bytes of a region may be defined when a step starts.
func startsDefined(k plan.RegionKind) bool {
	return k == plan.In || k == plan.State || k == plan.Host
}

func (u *unit) clusters() {
	p := u.m.p
	u.cluster = make([]int32, len(p.Bufs))
	var roots []int32
	for i := range p.Bufs {
		u.cluster[i] = none
		b := &p.Bufs[i]
		if b.Entry != plan.None && b.Entry != u.e || !follows(u.m.kind(int32(i))) || !u.m.place[i].ok {
			continue
		}
		if u.m.root[i] == int32(i) && b.Size > 0 {
			roots = append(roots, int32(i))
		}
		if startsDefined(u.m.kind(int32(i))) && (u.m.root[i] == int32(i) || b.HasValid) {
			u.initial = append(u.initial, int32(i))
		}
	}
	slices.SortFunc(roots, func(a, b int32) int {
		return cmp.Or(cmp.Compare(p.Bufs[a].Region, p.Bufs[b].Region), cmp.Compare(p.Bufs[a].Off, p.Bufs[b].Off), cmp.Compare(a, b))
	})
	region := none
	for _, r := range roots {
		pl := u.m.place[r]
		n := len(u.extent)
		if n == 0 || p.Bufs[r].Region != region || pl.lo >= u.extent[n-1].hi {
			u.extent = append(u.extent, pl)
			region = p.Bufs[r].Region
			n++
		}
		u.extent[n-1].hi = max(u.extent[n-1].hi, pl.hi)
		u.cluster[r] = int32(n - 1)
	}
	for i := range p.Bufs {
		if r := u.m.root[i]; u.cluster[i] == none && p.Bufs[i].Entry == p.Bufs[r].Entry {
			u.cluster[i] = u.cluster[r]
		}
	}
}
