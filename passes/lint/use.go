package lint

import (
	"fmt"
	"slices"

	"dsac/runtime/plan"
)

// use is one range of bytes that an operand reads, with the definition that reaches it.
type use struct {
	*access
	w      *walk
	lo, hi int64
	def    int32
	d      *def // nil: no op ever wrote these bytes
}

// decide names the range: the first rule that matches gives its code.
func (u *use) decide() {
	for _, r := range readRules {
		if r.read(u) {
			if r.Code != "" {
				u.report(r)
			}
			return
		}
	}
}

func (u *use) step() int32      { return u.w.execs[u.w.x].step }
func (u *use) iter() int32      { return u.w.execs[u.w.x].iter }
func (u *use) expects() []int32 { return u.w.m.p.Expected(u.Operand) }
func (u *use) state() bool      { return u.w.m.kind(u.Buf) == plan.State }

// start says whether the definition is older than this step: the start, or an earlier
// iteration of a text that spells several steps out.
func (u *use) start() bool { return u.d != nil && u.age() > 0 }

// age counts the steps since the definition; the start of the first one is step -1.
func (u *use) age() int32 {
	if u.d.exec == none {
		return u.iter() + 1
	}
	return u.iter() - u.w.execs[u.d.exec].iter
}

// undefined says whether the bytes hold nothing that this op may use: never written, left by
// scratch use, left by an earlier step in a region that does not survive, or filled by the
// host and read back by it without a copy from the device (O07).
func (u *use) undefined() bool {
	d := u.d
	switch {
	case d == nil:
		return true
	case d.root != u.root:
		return false
	case d.effect == plan.Scr:
		return true
	case d.exec == none:
		return u.w.m.kind(u.Buf) == plan.Host && u.onHost()
	}
	return u.age() > 0 && !u.survives()
}

func (u *use) onHost() bool { return u.w.execs[u.w.x].lane == u.w.order.host }

// survives says whether bytes of the operand keep their value from step to step.
func (u *use) survives() bool {
	b := &u.w.m.p.Bufs[u.Buf]
	return startsDefined(u.w.m.kind(u.Buf)) || b.Role == plan.Result || b.Flags&plan.Parity != 0 || u.w.m.flags(u.step())&plan.Prev != 0
}

// foreign says whether the bytes belong to another buffer by now.
func (u *use) foreign() bool { return u.d != nil && u.d.root != u.root }

// expected says whether the definition is one of those that the front end named.
func (u *use) expected() bool {
	ex := u.expects()
	if len(ex) == 0 || u.d == nil {
		return len(ex) == 0
	}
	return u.d.exec != none && slices.Contains(ex, u.w.execs[u.d.exec].step)
}

// appended says whether an op that the reader expects has run before it in this step: then
// older rows of the same cache are what the reader wants to see beside the new ones.
func (u *use) appended() bool {
	return slices.ContainsFunc(u.expects(), func(s int32) bool {
		if s == plan.None || !u.w.contains(s) {
			return false
		}
		at := u.w.when[u.w.local(s)]
		return at != none && at < u.w.x
	})
}

// contains says whether a step is one of the entry's.
func (u *unit) contains(step int32) bool {
	return step >= int32(u.entry.Steps.Off) && step < int32(u.entry.Steps.Off+u.entry.Steps.Len)
}

// masked says whether the op promises not to use undefined bytes (mayread). A reduction over
// rows cannot promise that (D09).
func (u *use) masked() bool {
	f := u.w.m.flags(u.step())
	return f&plan.MayRead != 0 && f&plan.XRow == 0 && u.Effect == plan.R
}

// everOwn says whether the operand's own buffer had these bytes defined in this step; slow,
// asked only for masked reads of foreign bytes.
func (u *use) everOwn() bool {
	return slices.ContainsFunc(u.w.defs, func(d def) bool { return d.root == u.root && d.effect != plan.Scr })
}

func (u *use) report(r *Rule) {
	m := u.w.m
	reader := m.op(u.step())
	f := u.w.finding(r, u.index)
	f.Ops = append(f.Ops, reader)
	f.Bytes = append(f.Bytes, m.bytes(u.Buf, u.lo, u.hi))
	what := "nobody has written"
	if u.d != nil && !u.undefined() {
		what = "hold " + u.origin(u.def)
		if u.d.exec != none {
			f.Ops = append(f.Ops, m.op(u.w.execs[u.d.exec].step))
			f.Bytes = append(f.Bytes, m.bytes(u.d.buf, u.lo, u.hi))
		}
	}
	f.Summary = fmt.Sprintf("%s reads %s, which %s%s", reader.Name, m.bytes(u.Buf, u.lo, u.hi), what, u.wanted())
	f.Chain = u.chain()
	u.w.out.add(f)
}

// wanted says what the reader should have found.
func (u *use) wanted() string {
	ex := u.expects()
	if len(ex) == 0 {
		return ""
	}
	s := "; it wants the output of "
	for i, e := range ex {
		if i > 0 {
			s += " or "
		}
		if e == plan.None {
			s += "an op that is not in the plan"
		} else {
			s += u.w.m.stepName(e)
		}
	}
	return s
}

func (u *use) origin(i int32) string {
	d := &u.w.defs[i]
	if d.exec == none {
		return u.w.m.bufName(d.buf) + " as it was before the step"
	}
	return fmt.Sprintf("%s of %s", u.w.m.bufName(d.buf), u.w.m.stepName(u.w.execs[d.exec].step))
}

// verbs say what an effect does to bytes.
var verbs = [...]string{plan.RW: "changed", plan.Acc: "added to", plan.W: "wrote", plan.Scr: "used as scratch"}

// chain tells how the bytes got there, oldest first.
func (u *use) chain() []string {
	const most = 4
	m := u.w.m
	c := []string{fmt.Sprintf("%s reads them as %s", m.stepName(u.step()), m.bufName(u.Buf))}
	for i := u.def; i != none && len(c) < most; i = u.w.defs[i].over {
		d := &u.w.defs[i]
		if d.exec == none {
			c = append(c, u.origin(i))
			break
		}
		c = append(c, fmt.Sprintf("%s %s %s", m.stepName(u.w.execs[d.exec].step), verbs[d.effect], m.bufName(d.buf)))
	}
	slices.Reverse(c)
	return c
}

// finding starts a finding of the execution at hand.
func (w *walk) finding(r *Rule, operand int32) Finding {
	f := w.unit.finding(r, w.execs[w.x].step, operand)
	f.Point = pointText(w.point, w.usesN, w.usesPos)
	return f
}

// finding starts a finding about a step of the entry, or about the entry if step is none.
func (u *unit) finding(r *Rule, step, operand int32) Finding {
	f := Finding{Code: r.Code, Severity: r.Severity, Repair: r.Repair, Entry: u.m.p.Str(u.entry.Name), entry: u.e, step: step, operand: operand}
	if step != none {
		f.Source = u.m.source(step)
	}
	return f
}
