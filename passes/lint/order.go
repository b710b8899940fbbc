package lint

import "dsac/runtime/plan"

// exec is one execution of a step in the order of the entry's items.
type exec struct {
	step int32
	iter int32  // number of "step" lines before it
	lane int32  // stream; a launch that starts early has a lane of its own
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
	ticks   []uint32
	events  map[plan.Str][]uint32
}

func newClocks(streams map[plan.Str]int) *clocks {
	c := &clocks{streams: streams, lanes: 2 * len(streams), events: map[plan.Str][]uint32{}}
	rows := func() [][]uint32 {
		r := make([][]uint32, len(streams))
		for i := range r {
			r[i] = make([]uint32, c.lanes)
		}
		return r
	}
	c.now, c.start, c.since, c.ticks = rows(), rows(), rows(), make([]uint32, c.lanes)
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
	c.ticks[lane]++
	c.now[s][lane] = c.ticks[lane]
	c.start[s] = know
	clear(c.since[s])
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
	c := newClocks(streams)
	o.lanes, o.host = c.lanes, none
	for s, i := range streams {
		if p.Str(s) == "host" {
			o.host = int32(i)
		}
	}
	full := newClocks(streams)
	iter := int32(0)
	for _, it := range items {
		switch it.Kind {
		case plan.DoStep:
			s := &p.Steps[it.Index]
			know, lane := c.op(streams[s.Stream], startsEarly(s))
			execs = append(execs, exec{it.Index, iter, int32(lane), c.ticks[lane]})
			o.know = append(o.know, know...)
			if lost {
				k, _ := full.opOn(streams[s.Stream], lane)
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
		}
	}
	return execs, o, faults
}

// opOn is op for a launch that waits, counted on the lane that the other clocks gave it.
func (c *clocks) opOn(s, lane int) ([]uint32, int) {
	know := append([]uint32(nil), c.now[s]...)
	c.ticks[lane]++
	c.now[s][lane] = c.ticks[lane]
	return know, lane
}

func startsEarly(s *plan.Step) bool { return s.Flags&plan.PDL != 0 && s.Flags&plan.GW == 0 }
