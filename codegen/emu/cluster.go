package emu

import (
	"fmt"

	"dsac/codegen/ptx"
)

// cluster is blocks that run by turns and reach each other's shared memory. Where the kernel has
// no clusters, each block is one.
type cluster struct {
	blocks []*block
	// arriving is what the warps had done that have arrived at the barrier since it opened last,
	// joined what those had that it opened for: clocks by warp of the cluster.
	arriving, joined []uint32
	visits           [][]visit // by block and warp of the cluster: its last access to the block's shared memory
}

// visit is an access to the shared memory of another block.
type visit struct {
	clock uint32 // of the warp; 0: there was none
	in    *ptx.Instr
	lane  int
	addr  uint64
}

func (g *grid) newCluster() *cluster {
	c := &cluster{}
	for r := range g.k.cluster {
		c.blocks = append(c.blocks, g.newBlock(c, r))
	}
	n := g.k.cluster * g.warps()
	if g.k.meets {
		c.arriving, c.joined = make([]uint32, n), make([]uint32, n)
	}
	if g.k.cluster > 1 {
		for range c.blocks {
			c.visits = append(c.visits, make([]visit, n))
		}
	}
	return c
}

// start gives its blocks their numbers, from first on: they differ in x only.
func (c *cluster) start(first int) {
	for r, b := range c.blocks {
		b.start(first + r)
	}
	clear(c.arriving)
	clear(c.joined)
	for _, v := range c.visits {
		clear(v)
	}
}

// turn lets every block have one.
func (c *cluster) turn(quantum uint64) (progress, done bool) {
	if len(c.blocks) == 1 && !c.blocks[0].grid.k.meets {
		return c.blocks[0].turn(quantum)
	}
	done = true
	for _, b := range c.blocks {
		if b.ended {
			continue
		}
		p, d := b.turn(quantum)
		if d {
			b.ended = true
			c.checkVisits(b)
		}
		progress, done = progress || p, done && d
	}
	return c.openBarrier() || progress, done
}

func (c *cluster) reportDeadlock() {
	for _, b := range c.blocks {
		if b.reportDeadlock() {
			return
		}
	}
}

// warp returns the index in the cluster of a warp of a block that is given by its number in the
// grid, -1 when the block is in another cluster.
func (c *cluster) warp(num, w int) int {
	r := num - c.blocks[0].num
	if r < 0 || r >= len(c.blocks) {
		return -1
	}
	return r*len(c.blocks[0].warps) + w
}

// checkVisits reports the warps whose accesses to a block's shared memory need not have happened
// when the block ended: no warp of it knows of them.
func (c *cluster) checkVisits(b *block) {
	n := len(b.warps)
	if c.visits == nil {
		return
	}
	for i, v := range c.visits[b.rank] {
		known := uint32(0)
		for _, w := range b.warps {
			known = max(known, w.seen[i])
		}
		if v.clock > known {
			w := c.blocks[i/n].warps[i%n]
			w.find(PeerGone, v.in, v.lane, nil, int64(v.addr), fmt.Sprintf("block %d may have ended: nothing keeps it until this access to its shared address %d is done", b.num, v.addr))
		}
	}
}

// Addresses of shared::cluster: window rank+1 of 16 MiB belongs to a block, so that no overrun
// reaches another. Below them lie those of the block itself.
const peerShift = 24

// peerAddress compiles mapa.
func peerAddress(c *compiler, in *ptx.Instr) (step, error) {
	d, s, err := c.operands(in)
	if err != nil {
		return nil, err
	}
	const offset = 1<<peerShift - 1
	return each2(d, s[0], s[1], func(addr, rank uint64) uint64 {
		return (min(rank, 254)+1)<<peerShift | min(addr, offset)
	}), nil
}

// peer finds the block that an address of shared::cluster is in, and the address there; nil when
// there is none, or it has ended.
func (w *warp) peer(a *access, l int, addr uint64) (*block, uint64) {
	if addr < 1<<peerShift {
		return w.blk, addr
	}
	rank, addr := int(addr>>peerShift)-1, addr&(1<<peerShift-1)
	c := w.blk.cluster
	if rank >= len(c.blocks) {
		w.find(OutOfBounds, a.in, l, nil, int64(addr), fmt.Sprintf("block %d of a cluster of %d", rank, len(c.blocks)))
		return nil, 0
	}
	b := c.blocks[rank]
	switch {
	case b == w.blk:
		return b, addr
	case b.ended:
		w.find(PeerGone, a.in, l, nil, int64(addr), fmt.Sprintf("block %d has ended", b.num))
		return nil, 0
	case !w.met(b):
		w.find(PeerGone, a.in, l, nil, int64(addr), fmt.Sprintf("block %d may not have started: no barrier of the cluster comes before this", b.num))
	}
	c.visits[rank][w.index] = visit{w.clock, a.in, l, addr}
	return b, addr
}

// met reports whether the warp knows that a block has started.
func (w *warp) met(b *block) bool {
	n := len(b.warps)
	for _, clock := range w.seen[n*b.rank:][:n] {
		if clock > 0 {
			return true
		}
	}
	return false
}
