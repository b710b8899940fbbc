package emu

import (
	"fmt"
	"strings"

	"dsac/codegen/ptx"
)

// runInTurn runs one cluster after another.
func (g *grid) runInTurn() error {
	c := g.newCluster()
	for n := 0; n < g.cfg.Blocks(); n += len(c.blocks) {
		c.start(n)
		for {
			progress, done := c.turn(min(1<<20, g.limit))
			if done {
				break
			}
			if !progress {
				c.reportDeadlock()
				break
			}
			if g.threadInstrs > g.limit {
				return g.tooLong()
			}
		}
	}
	return nil
}

// runTogether gives all clusters short turns.
func (g *grid) runTogether() error {
	if g.cfg.Blocks() > 4096 {
		return fmt.Errorf("%d blocks cannot be resident together, at most 4096 are emulated", g.cfg.Blocks())
	}
	var running []*cluster
	for n := 0; n < g.cfg.Blocks(); n += g.k.cluster {
		c := g.newCluster()
		c.start(n)
		running = append(running, c)
	}
	for len(running) > 0 {
		left := running[:0]
		for _, c := range running {
			progress, done := c.turn(min(512, g.limit))
			if !progress && !done {
				c.reportDeadlock()
				done = true
			}
			if !done {
				left = append(left, c)
			}
		}
		running = left
		if g.threadInstrs > g.limit {
			return g.tooLong()
		}
	}
	return nil
}

func (g *grid) tooLong() error {
	return fmt.Errorf("more than %d thread instructions: an endless loop, or raise MaxInstrs", g.limit)
}

// turn lets every warp run up to quantum warp instructions or to its next barrier.
func (b *block) turn(quantum uint64) (progress, done bool) {
	done = true
	for _, w := range b.warps {
		if w.wait == 0 && w.live != 0 {
			w.run(quantum)
			progress = true
		}
	}
	if b.openBarriers() {
		progress = true
	}
	for _, w := range b.warps {
		done = done && w.live == 0
	}
	return progress, done
}

// openBarriers lets pass the warps of each barrier at which all it waits for have arrived.
func (b *block) openBarriers() (opened bool) {
	for id := 1; id <= 16; id++ {
		var here []*warp
		threads, live, need := 0, 0, 0
		for _, w := range b.warps {
			if w.live != 0 {
				live++
			}
			if w.wait == id {
				here = append(here, w)
				threads += 32
				need = max(need, w.need)
			}
		}
		if len(here) == 0 || need == 0 && len(here) < live || need > 0 && threads < need {
			continue
		}
		b.grid.barriers++
		checkAligned(here)
		for _, w := range here {
			w.wait = 0
		}
		joinClocks(here)
		opened = true
	}
	return opened
}

// checkAligned reports warps that meet at an aligned barrier, which bar.sync is, from several places:
// PTX leaves undefined what happens then.
func checkAligned(here []*warp) {
	for _, w := range here {
		if w.at != here[0].at && (aligned(w.at) || aligned(here[0].at)) {
			w.find(DivergentBarrier, w.at, lane(w.live), nil, 0, fmt.Sprintf(
				"warp %d comes to aligned barrier %d from line %d and warp %d from line %d: want barrier.sync", w.num, w.wait-1, w.at.Line, here[0].num, here[0].at.Line))
			return
		}
	}
}

func aligned(in *ptx.Instr) bool {
	return strings.HasPrefix(in.Op, "bar.") || strings.HasSuffix(in.Op, ".aligned")
}

// reportDeadlock names a warp that waits in vain, and reports whether there is one.
func (b *block) reportDeadlock() bool {
	for _, w := range b.warps {
		if w.wait == 0 || len(w.stack) == 0 {
			continue
		}
		at := fmt.Sprint("barrier ", w.wait-1)
		if w.wait == clusterBarrier {
			at = "the barrier of the cluster"
		}
		w.find(Deadlock, nil, lane(w.live), nil, 0, fmt.Sprintf("block %v: warp %d waits at %s for warps that never come", b.id, w.num, at))
		return true
	}
	return false
}
