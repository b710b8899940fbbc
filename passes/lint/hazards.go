package lint

import (
	"fmt"

	"dsac/runtime/plan"
)

// Family O: order. Every pair of effects on intersecting bytes, at least one of them a write,
// must be ordered. Which of the codes an unordered pair gets is the first that holds.
var orderRules = []Rule{
	{Code: "O05", Repair: "wait for the grid (gw) before the first global access", race: func(r *race) bool { return r.w.order.early(r.w.execs, r.first, r.w.x) }},
	{Code: "O07", Repair: "let the host wait for an event that the device records after the op", race: (*race).host},
	{Code: "O08", Repair: "record an event after the last use and wait for it before the next step's write", race: (*race).nextStep},
	{Code: "O01", Repair: "record an event after the writer and wait for it before the reader", race: func(r *race) bool { return r.wrote && r.access.Effect != plan.W && r.access.Effect != plan.Scr }},
	{Code: "O02", Repair: "record an event after the last reader and wait for it before the writer", race: func(r *race) bool { return !r.wrote }},
	{Code: "O03", Repair: "order the two writers, or give each bytes of its own", race: func(*race) bool { return true }},
	{Code: "O04", Repair: "record each event once, before it is waited for", entry: misusedEvents},
	{Code: "O06", Repair: "launch cooperatively (coop=1), or name the counter that orders the blocks (sem=)", step: blockDependency},
}

// race is a pair of accesses to the same bytes that nothing orders.
type race struct {
	w      *walk
	access *access // of the execution at hand
	first  int32   // the execution that comes earlier in the items
	wrote  bool    // it wrote; otherwise it read
	lo, hi int64
}

func (r *race) host() bool {
	h := r.w.order.host
	return h != none && (r.w.execs[r.first].lane == h || r.w.execs[r.w.x].lane == h)
}

func (r *race) nextStep() bool { return r.w.execs[r.first].iter != r.w.execs[r.w.x].iter }

// conflicts checks an access against the earlier accesses of a span. A read conflicts with
// writers and adders; an addition with writers and readers; a write with all.
func (w *walk) conflicts(a *access, s *span, writing bool) {
	if !writing || a.Effect != plan.RW {
		w.pairUp(a, s, s.write, true)
	}
	for u := s.users; u != none; u = w.users[u].next {
		old := &w.users[u]
		switch {
		case writing && a.Effect == plan.RW && old.adds, a.Effect == plan.Acc && old.adds:
			// Seen when it was read; additions commute.
		case writing || old.adds || a.Effect == plan.Acc:
			w.pairUp(a, s, old.exec, old.adds)
		}
	}
}

func (w *walk) pairUp(a *access, s *span, first int32, wrote bool) {
	if first == none || first == w.x || w.order.before(w.execs, first, w.x) {
		return
	}
	r := race{w, a, first, wrote, max(s.lo, a.lo), min(s.hi, a.hi)}
	for _, rule := range raceRules {
		if rule.race(&r) {
			r.report(rule)
			return
		}
	}
}

func (r *race) report(rule *Rule) {
	m := r.w.m
	f := r.w.finding(rule, r.access.index)
	now, then := m.op(r.w.execs[r.w.x].step), m.op(r.w.execs[r.first].step)
	f.Ops = []Op{now, then}
	f.Bytes = []Bytes{m.bytes(r.access.Buf, r.lo, r.hi)}
	past := "reads"
	if r.wrote {
		past = "writes"
	}
	f.Summary = fmt.Sprintf("%s (stream %s) %s %s while %s (stream %s) may still be at it: %s these bytes and nothing orders the two",
		now.Name, stream(now), presents[r.access.Effect], f.Bytes[0], then.Name, stream(then), past)
	r.w.out.add(f)
}

var presents = [...]string{plan.R: "reads", plan.RW: "changes", plan.Acc: "adds to", plan.W: "writes", plan.Scr: "uses as scratch"}

func stream(o Op) string {
	if o.Stream == "" {
		return "main"
	}
	return o.Stream
}

// misusedEvents is O04.
func misusedEvents(u *unit, _ []mark) {
	r := rule("O04")
	for i, e := range u.faults {
		f := u.finding(r, none, int32(i))
		f.Summary = fmt.Sprintf("event %s %s (stream %s)", u.m.p.Str(e.item.Name), e.why, stream(Op{Stream: u.m.p.Str(e.item.Stream)}))
		u.out.add(f)
	}
}

// blockDependency is O06: an op says that its blocks read what other blocks of the launch
// wrote (xcta=), and nothing makes them wait; or it follows another in the blocks of its launch,
// of which there are several: barriers order the threads of one.
func blockDependency(s *site) {
	st := &s.m.p.Steps[s.step]
	if at := st.Launch; at != plan.None && s.step > s.m.p.Launches[at].First && st.Flags&plan.Par == 0 {
		if share := s.m.p.Share(s.step); share.Hi-share.Lo > 1 {
			f := s.finding(none)
			f.Summary = fmt.Sprintf("%s follows in the %d blocks of the op before it, and a block does not wait for the others", s.name(), share.Hi-share.Lo)
			s.out.add(f)
		}
	}
	bufs := s.attr("xcta")
	if bufs == "" || s.attr("coop") != "" || s.attr("sem") != "" {
		return
	}
	f := s.finding(none)
	f.Summary = fmt.Sprintf("blocks of %s read %s, which other blocks of the same launch write, and nothing makes them wait", s.name(), bufs)
	s.out.add(f)
}
