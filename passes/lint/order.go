package lint

import "dsac/runtime/plan"

// exec is one execution of a step in the order of the entry's items.
type exec struct {
	step int32
	iter int32  // number of "step" lines before it
	lane int32  // stream; a launch that starts early and a part of a launch have lanes of their own
	tick uint32 // counts the executions of its lane from 1
}

// order holds happens-before as vector clocks: an execution knows, per lane, the last tick
// that has finished when it starts.
type order struct {
	lanes int
	know  []uint32 // [exec*lanes+lane]
	full  []uint32 // the same if no launch started early; nil if none does
	host  int32    // lane of stream host, or none
}

// before says whether execution a has finished when b starts.
func (o *order) before(execs []exec, a, b int32) bool {
	return clockHas(o.know, o.lanes, &execs[a], b)
}

// early says whether a would have finished when b starts, if b waited for its grid.
func (o *order) early(execs []exec, a, b int32) bool {
	return o.full != nil && clockHas(o.full, o.lanes, &execs[a], b)
}

func clockHas(know []uint32, lanes int, a *exec, b int32) bool {
	return know[int(b)*lanes+int(a.lane)] >= a.tick
}

// eventFault is a wait or a record that does not do what it looks like (O04).
type eventFault struct {
	item plan.Item
	why  string
}

// clocks runs the vector clocks of one entry.
type clocks struct {
	streams map[plan.Str]int
	lanes   int
	now     [][]uint32 // per stream: what its next op knows
	start   [][]uint32 // per stream: what its last op knew when it started
	since   [][]uint32 // per stream: what waits since then brought
	fork    [][]uint32 // per stream: what the parts of its last launch know when they start
	ticks   []uint32
	events  map[plan.Str][]uint32
}

// newClocks makes clocks for entries whose launches have at most parts parts. The lanes of a
// stream: its own, that of early launches, and one for each part but the first.
func newClocks(streams map[plan.Str]int, parts int) *clocks {
	c := &clocks{streams: streams, lanes: (1 + parts) * len(streams), events: map[plan.Str][]uint32{}}
	rows := func() [][]uint32 {
		r := make([][]uint32, len(streams))
		for i := range r {
			r[i] = make([]uint32, c.lanes)
		}
		return r
	}
	c.now, c.start, c.since, c.fork, c.ticks = rows(), rows(), rows(), rows(), make([]uint32, c.lanes)
	return c
}

func join(into, from []uint32) {
	for i, t := range from {
		into[i] = max(into[i], t)
	}
}

// op starts an execution on stream s and returns what it knows. An early one does not know
// that its predecessor on the stream has finished, only what that one knew.
func (c *clocks) op(s int, early bool) (know []uint32, lane int) {
	know, lane = make([]uint32, c.lanes), s
	if early {
		lane += len(c.streams)
		join(know, c.start[s])
		join(know, c.since[s])
	} else {
		copy(know, c.now[s])
	}
	copy(c.fork[s], know)
	c.tick(s, lane)
	c.start[s] = know
	clear(c.since[s])
	return know, lane
}

func (c *clocks) tick(s, lane int) {
	c.ticks[lane]++
	c.now[s][lane] = c.ticks[lane]
}

// inside starts a further step of a launch on stream s, in part number part: it knows what the
// launch knew when it started, and the steps before it in its part.
func (c *clocks) inside(s, part, lane int) (know []uint32, of int) {
	if part > 0 {
		lane = (1+part)*len(c.streams) + s
	}
	know = append([]uint32(nil), c.fork[s]...)
	know[lane] = c.ticks[lane]
	c.tick(s, lane)
	return know, lane
}

func (c *clocks) wait(s int, event plan.Str) bool {
	e, ok := c.events[event]
	if ok {
		join(c.now[s], e)
		join(c.since[s], e)
	}
	return ok
}

func (c *clocks) record(s int, event plan.Str) bool {
	_, again := c.events[event]
	c.events[event] = append([]uint32(nil), c.now[s]...)
	return !again
}

// buildOrder lists the executions of an entry and their order.
func buildOrder(p *plan.Plan, e *plan.Entry) (execs []exec, o order, faults []eventFault) {
	streams := map[plan.Str]int{}
	stream := func(s plan.Str) int {
		if _, ok := streams[s]; !ok {
			streams[s] = len(streams)
		}
		return streams[s]
	}
	items := p.EntryItems(e)
	lost := false
	for _, it := range items {
		switch it.Kind {
		case plan.DoStep:
			s := &p.Steps[it.Index]
			stream(s.Stream)
			lost = lost || startsEarly(s)
		case plan.Record, plan.Wait:
			stream(it.Stream)
		}
	}
	parts := mostParts(p, items)
	c := newClocks(streams, parts)
	o.lanes, o.host = c.lanes, none
	for s, i := range streams {
		if p.Str(s) == "host" {
			o.host = int32(i)
		}
	}
	full := newClocks(streams, parts)
	iter := int32(0)
	at := launchPart{launch: plan.None}
	for _, it := range items {
		switch it.Kind {
		case plan.DoStep:
			s := &p.Steps[it.Index]
			var know []uint32
			var lane int
			if at.next(s) {
				know, lane = c.inside(streams[s.Stream], at.part, at.lane)
			} else {
				know, lane = c.op(streams[s.Stream], startsEarly(s))
				at.lane = lane
			}
			execs = append(execs, exec{it.Index, iter, int32(lane), c.ticks[lane]})
			o.know = append(o.know, know...)
			if lost {
				var k []uint32
				if at.part > 0 {
					k, _ = full.inside(streams[s.Stream], at.part, at.lane)
				} else {
					k, _ = full.opOn(streams[s.Stream], lane)
				}
				o.full = append(o.full, k...)
			}
		case plan.Record:
			if !c.record(streams[it.Stream], it.Name) {
				faults = append(faults, eventFault{it, "is recorded a second time"})
			}
			full.record(streams[it.Stream], it.Name)
		case plan.Wait:
			if !c.wait(streams[it.Stream], it.Name) {
				faults = append(faults, eventFault{it, "has not been recorded when it is waited for"})
			}
			full.wait(streams[it.Stream], it.Name)
		case plan.NextStep:
			iter++
			at.launch = plan.None
		}
	}
	return execs, o, faults
}

// launchPart is a part of a launch on the way through the items.
type launchPart struct {
	launch int32
	part   int // counted from 0
	lane   int // of the launch's first step
}

// next goes on to step s; it reports whether s is not the first of its launch.
func (l *launchPart) next(s *plan.Step) (inside bool) {
	switch {
	case s.Launch == plan.None || s.Launch != l.launch:
		l.launch, l.part = s.Launch, 0
		return false
	case s.Flags&plan.Par != 0:
		l.part++
	}
	return true
}

// mostParts returns the parts of the launch that has most.
func mostParts(p *plan.Plan, items []plan.Item) int {
	most, at := 1, launchPart{launch: plan.None}
	for _, it := range items {
		if it.Kind == plan.DoStep {
			at.next(&p.Steps[it.Index])
			most = max(most, at.part+1)
		}
	}
	return most
}

// opOn is op for a launch that waits, counted on the lane that the other clocks gave it.
func (c *clocks) opOn(s, lane int) ([]uint32, int) {
	know := append([]uint32(nil), c.now[s]...)
	copy(c.fork[s], know)
	c.tick(s, lane)
	return know, lane
}

func startsEarly(s *plan.Step) bool { return s.Flags&plan.PDL != 0 && s.Flags&plan.GW == 0 }
