package lint

import "dsac/runtime/plan"

// precedence decides what is wrong with a range of bytes that an op reads: the first row that
// holds gives the code, "" means that nothing is (docs/spec/alias-faults.md, section 1, "One
// code per offending range").
var precedence = []struct {
	code string
	is   func(*use) bool
}{
	{"", maskedGarbage},
	{"K08", otherHalf},
	{"S08", func(u *use) bool { return u.foreign() && u.w.m.root[u.Buf] != u.Buf }},
	{"S02", (*use).foreign},
	{"S03", overwrittenControl},
	{"K04", otherGroup},
	{"D04", changedTwice},
	{"K02", staleState},
	{"K02", staleToken},
	{"", func(u *use) bool { return !u.undefined() && u.start() && (u.oldRow() || u.prev()) }},
	{"", func(u *use) bool { return !u.undefined() && u.expected() }},
	{"S03", func(u *use) bool { return !u.undefined() && u.d.effect == plan.RW }},
	{"D04", func(u *use) bool { return !u.undefined() }},
	{"D08", func(u *use) bool { return u.Effect == plan.Acc }},
	{"", (*use).masked},
	{"K03", (*use).state},
	{"D09", func(u *use) bool { return u.w.defined[u.root] && u.w.m.flags(u.step())&plan.XRow != 0 }},
	{"D07", func(u *use) bool { return u.w.defined[u.root] }},
	{"D03", func(*use) bool { return true }},
}

func (u *use) prev() bool { return u.w.m.flags(u.step())&plan.Prev != 0 }

// maskedGarbage: an over-read that the op masks, of bytes that its buffer never had defined;
// what an earlier owner left there does not matter.
func maskedGarbage(u *use) bool { return u.masked() && u.foreign() && !u.everOwn() }

// otherHalf (K08): an op that wants the previous step's value finds this step's, or the half
// of the double buffer that another op wrote.
func otherHalf(u *use) bool {
	if !u.prev() || u.Effect != plan.R || u.implicit || u.foreign() || u.undefined() {
		return false
	}
	if len(u.expects()) == 0 && !u.state() && u.w.m.p.Bufs[u.Buf].Flags&plan.Parity == 0 {
		return false
	}
	return u.age() == 0 || u.d.exec != none && (u.age() != 1 || !u.expected())
}

// overwrittenControl (S03): every op reads the control buffer as it was when the step started.
func overwrittenControl(u *use) bool {
	return u.implicit && u.d != nil && u.age() == 0
}

// otherGroup (K04): a shared list that another group's op made.
func otherGroup(u *use) bool {
	if u.d == nil || u.d.exec == none || u.undefined() {
		return false
	}
	b := u.w.m.p.Bufs
	if (b[u.Buf].Flags|b[u.root].Flags)&plan.GrpBuf == 0 {
		return false
	}
	made, used := u.w.m.steps[u.w.execs[u.d.exec].step].grp, u.w.m.steps[u.step()].grp
	return made != used
}

// staleState (K02): state without the rows that an op of this step should have appended.
func staleState(u *use) bool {
	if !u.state() || len(u.expects()) == 0 || u.prev() {
		return false
	}
	return u.undefined() || u.start() && !u.oldRow()
}

// changedTwice (D04): an op that changes bytes in place finds what it left there itself, because
// the order runs it twice. One that only overwrites may run again for nothing.
func changedTwice(u *use) bool {
	return u.Effect == plan.RW && u.d != nil && u.d.exec != none && u.age() == 0 && u.w.execs[u.d.exec].step == u.step()
}

// staleToken (K02): the op that ends a step turns the token drawn in this step into the next
// step's input. Without a sampler before it, that is the token of the step before.
func staleToken(u *use) bool {
	b := u.w.m.ctl
	if u.Buf != b || u.Effect != plan.RW || u.d == nil || u.age() == 0 || u.w.m.p.Steps[u.step()].Op == 0 {
		return false
	}
	at := u.w.m.place[b].lo
	return u.lo < at+plan.CtlError && at+plan.CtlRNG < u.hi
}

// oldRow: a row of an earlier step in a cache that says how many it has, read together with
// those that an expected op has appended in this step.
func (u *use) oldRow() bool { return u.w.m.p.Bufs[u.Buf].HasValid && u.appended() }
