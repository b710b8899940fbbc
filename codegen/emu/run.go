package emu

import (
	"fmt"
	"math/bits"

	"dsac/codegen/ptx"
)

// block is a running block (CTA).
type block struct {
	grid       *grid
	cluster    *cluster
	rank       int // in the cluster
	num        int
	id         [3]uint32
	shared     []byte
	sharedInit []byte
	warps      []*warp
	shadow     *shadow   // of shared
	ended      bool      // all threads have
	known      published // of other blocks, ordered before what this one does now
}

// warp is 32 threads: their registers, and a stack of what remains to be run for which lanes.
type warp struct {
	r     [][32]uint64
	p     []uint32 // predicates, one bit per lane
	blk   *block
	num   int
	first int    // thread number of lane 0
	live  uint32 // lanes that exist and have not exited
	// waited are the lanes that have waited for the grid.
	waited uint32
	stack  []frame
	ran    uint64 // warp instructions
	wait   int    // 1 + barrier it waits at, 0: none; clusterBarrier
	need   int    // threads that barrier waits for, 0: all of the block

	clock     uint32   // counts synchronisations from startClock on
	stamp0    stamp    // of lane 0, now
	index     int      // of the warp among those of the cluster: block by block
	seen      []uint32 // by warp of the cluster: the clock up to which its accesses are ordered before now
	fenced    []uint32 // clocks of the cluster known at the last fence
	arrived   arrival
	found     published
	local     []byte
	localInit []byte
	copies    [32]copyQueue
}

// frame: lanes of mask are to run from block at until they reach join.
type frame struct {
	at, join int
	mask     uint32
}

const noJoin = -2

func (w *warp) setPred(d int, m, val uint32) { w.p[d] = w.p[d]&^m | val&m }

// thread returns the coordinates of thread number n of the block.
func (b *block) thread(n int) [3]uint32 {
	d := b.grid.cfg.Block
	u := uint32(n)
	return [3]uint32{u % d[0], u / d[0] % d[1], u / d[0] / d[1]}
}

// newBlock makes the storage of a block; start gives it an identity.
func (g *grid) newBlock(c *cluster, rank int) *block {
	b := &block{grid: g, cluster: c, rank: rank, shared: make([]byte, g.sharedSize), sharedInit: make([]byte, g.sharedSize), shadow: g.sharedShadow}
	if g.k.cluster > 1 && !g.unshadowed && g.sharedSize > 0 {
		b.shadow = newShadow(g.sharedSize, g.k.grain[1], false)
	}
	n := g.warps()
	for i := 0; i < n; i++ {
		b.warps = append(b.warps, &warp{blk: b, num: i, index: rank*n + i, first: 32 * i, r: make([][32]uint64, g.k.regs), p: make([]uint32, g.k.regs),
			seen: make([]uint32, n*g.k.cluster), local: make([]byte, 32*g.k.localSize), localInit: make([]byte, 32*g.k.localSize)})
	}
	return b
}

// warps is the number of warps of a block.
func (g *grid) warps() int { return (g.cfg.Threads() + 31) / 32 }

func (b *block) start(num int) {
	g := b.grid
	b.ended = false
	if b.shadow != g.sharedShadow {
		clear(b.shadow.cells)
	}
	x, y := int(g.cfg.Grid[0]), int(g.cfg.Grid[1])
	b.num, b.id, b.known = num, [3]uint32{uint32(num % x), uint32(num / x % y), uint32(num / x / y)}, published{}
	fill(b.sharedInit, 0)
	fill(b.shared, 0xff)
	for _, w := range b.warps {
		w.reset()
	}
}

func (w *warp) reset() {
	g := w.blk.grid
	copy(w.r, g.template)
	clear(w.p)
	clear(w.seen)
	fill(w.localInit, 0)
	w.copies = [32]copyQueue{}
	w.fenced, w.found, w.wait, w.ran, w.waited, w.arrived = nil, nil, 0, 0, 0, notArrived
	w.clock = startClock
	w.tick()
	w.live = fullMask
	if n := g.cfg.Threads() - w.first; n < 32 {
		w.live = 1<<n - 1
	}
	w.stack = append(w.stack[:0], frame{0, noJoin, w.live})
	for name, s := range g.k.special {
		for l := range w.r[s] {
			if x, ok := w.special(name, l); ok {
				w.r[s][l] = x
			}
		}
	}
}

// special is the value of a special register that differs between warps or lanes.
func (w *warp) special(name string, l int) (uint64, bool) {
	bit := uint32(1) << l
	switch name {
	case "%tid.x", "%tid.y", "%tid.z":
		return uint64(w.blk.thread(w.first + l)[name[5]-'x']), true
	case "%ctaid.x", "%ctaid.y", "%ctaid.z":
		return uint64(w.blk.id[name[7]-'x']), true
	case "%cluster_ctarank":
		return uint64(w.blk.rank), true
	case "%clusterid.x":
		return uint64(w.blk.num % int(w.blk.grid.cfg.Grid[0]) / w.blk.grid.k.cluster), true
	case "%laneid":
		return uint64(l), true
	case "%warpid":
		return uint64(w.num), true
	case "%lanemask_eq":
		return uint64(bit), true
	case "%lanemask_lt":
		return uint64(bit - 1), true
	case "%lanemask_le":
		return uint64(bit | (bit - 1)), true
	case "%lanemask_gt":
		return uint64(^(bit | (bit - 1))), true
	case "%lanemask_ge":
		return uint64(^(bit - 1)), true
	}
	return 0, false
}

// run executes blocks of code until a barrier, the end, or the quantum is used.
func (w *warp) run(quantum uint64) {
	g := w.blk.grid
	start := w.ran
	for len(w.stack) > 0 {
		top := &w.stack[len(w.stack)-1]
		m := top.mask & w.live
		if m == 0 || top.at == top.join {
			w.stack = w.stack[:len(w.stack)-1]
			continue
		}
		if top.at == exitBlock {
			w.live &^= m
			continue
		}
		if w.ran-start >= quantum {
			return
		}
		c := &g.k.blocks[top.at]
		w.ran += c.n
		g.warpInstrs += c.n
		g.threadInstrs += c.n * uint64(bits.OnesCount32(m))
		for _, s := range c.steps {
			s(w, m)
		}
		switch c.kind {
		case ptx.Branch:
			w.branch(c, top, m)
		case ptx.Exit:
			out := m
			if c.cond {
				out &= c.guard.mask(w)
			}
			if c.last.Op == "trap" && out != 0 {
				w.find(Trap, c.last, lane(out), nil, 0, "")
			}
			w.live &^= out
			top.at = c.next
		case ptx.Barrier:
			top.at = c.next
			if w.barrier(c, m) {
				return
			}
		default:
			top.at = c.next
		}
	}
	w.live = 0
}

// branch sends lanes their ways; when they part, both sides run until the point where all
// paths meet again.
func (w *warp) branch(c *code, top *frame, m uint32) {
	taken := m
	if c.cond {
		taken &= c.guard.mask(w)
	}
	switch taken {
	case m:
		top.at = c.to
		return
	case 0:
		top.at = c.next
		return
	}
	join := c.join
	outer := *top
	if join == exitBlock || join == outer.join {
		// nothing is left for this frame once both sides are done
		join = outer.join
		w.stack = w.stack[:len(w.stack)-1]
	} else {
		top.at = join
	}
	ways := [2]frame{{c.next, join, m &^ taken}, {c.to, join, taken}} // the last one runs first
	if c.late {
		ways[0], ways[1] = ways[1], ways[0]
	}
	for _, f := range ways {
		if f.at != join {
			w.stack = append(w.stack, f)
		}
	}
}

// barrier makes the warp wait; it reports whether it does.
func (w *warp) barrier(c *code, m uint32) bool {
	if c.cond {
		if m &= c.guard.mask(w); m == 0 {
			return false
		}
	}
	if m != w.live {
		w.find(DivergentBarrier, c.last, lane(m), nil, 0, fmt.Sprintf("lanes %#x of the live %#x arrive", m, w.live))
		return false
	}
	if c.part != "" {
		return w.clusterBarrier(c, m)
	}
	id := w.r[c.bar[0]][lane(m)]
	if id > 15 {
		w.find(DivergentBarrier, c.last, lane(m), nil, 0, fmt.Sprintf("barrier %d does not exist, they are 0 to 15", id))
		return false
	}
	w.wait, w.need = int(id)+1, 0
	if c.bar[1] >= 0 {
		w.need = int(w.r[c.bar[1]][lane(m)])
	}
	return true
}
