package emu

import "dsac/codegen/ptx"

// clusterPart is one half of the barrier of a cluster.
type clusterPart string

const (
	arrive clusterPart = "arrive"
	start  clusterPart = "start" // an arrival that makes nothing visible
	await  clusterPart = "wait"
)

func clusterPartOf(in *ptx.Instr) clusterPart {
	switch {
	case !in.Spec.Has("cluster"):
		return ""
	case in.Spec.Has("wait"):
		return await
	case in.Spec.Has("relaxed"):
		return start
	}
	return arrive
}

// clusterBarrier is where a warp waits for its cluster: none of the numbers of barriers.
const clusterBarrier = 17

// arrival is how far a warp has come with the barrier of its cluster.
type arrival uint8

const (
	notArrived arrival = iota
	hasArrived
	mayPass // the barrier has opened since
)

// clusterBarrier lets the warp arrive or wait; it reports whether it has to.
func (w *warp) clusterBarrier(c *code, m uint32) bool {
	switch arriving := w.blk.cluster.arriving; {
	case c.part != await && w.arrived != notArrived:
		w.find(ClusterBarrier, c.last, lane(m), nil, 0, "it arrives again before it has waited")
	case c.part == start:
		w.arrived = hasArrived
		arriving[w.index] = startClock
	case c.part == arrive:
		w.arrived = hasArrived
		raise(arriving, w.clocks())
		w.tick() // what comes now is not ordered
	case w.arrived == notArrived:
		w.find(ClusterBarrier, c.last, lane(m), nil, 0, "it waits and has not arrived")
	case w.arrived == mayPass:
		w.pass()
	default:
		w.wait = clusterBarrier
		return true
	}
	return false
}

// pass takes the warp through the barrier: all that was done before others arrived is ordered
// before what it does now.
func (w *warp) pass() {
	raise(w.seen, w.blk.cluster.joined)
	w.wait, w.arrived = 0, notArrived
	w.tick()
}

// openBarrier opens the barrier when all warps that have not ended have arrived.
func (c *cluster) openBarrier() bool {
	if c.arriving == nil {
		return false
	}
	arrived := false
	for _, b := range c.blocks {
		for _, w := range b.warps {
			if w.live != 0 && w.arrived != hasArrived {
				return false
			}
			arrived = arrived || w.live != 0
		}
	}
	if !arrived {
		return false
	}
	copy(c.joined, c.arriving)
	clear(c.arriving)
	for _, b := range c.blocks {
		for _, w := range b.warps {
			if w.arrived = mayPass; w.wait == clusterBarrier {
				w.pass()
			}
		}
	}
	c.blocks[0].grid.barriers++
	return true
}

// raise makes each clock at least that of another list.
func raise(clocks, by []uint32) {
	for i, c := range by {
		clocks[i] = max(clocks[i], c)
	}
}
