package emu

import (
	"fmt"

	"dsac/codegen/ptx"
)

// pendingCopy is a cp.async on its way: the bytes read from global memory, and where they go.
type pendingCopy struct {
	a    *access
	to   uint64
	n    uint64
	data [16]byte
}

// copyQueue is what one thread has in flight: committed groups, oldest first, and the open one.
type copyQueue struct {
	groups [][]pendingCopy
	open   []pendingCopy
}

// asyncCopy compiles cp.async and its commits and waits. The data arrives at the wait: until
// then the shared bytes are marked, and whoever reads them is told.
func asyncCopy(c *compiler, in *ptx.Instr) (step, error) {
	switch {
	case in.Spec.Has("commit_group"):
		return func(w *warp, m uint32) {
			for ; m != 0; m &= m - 1 {
				q := &w.copies[lane(m)]
				q.groups = append(q.groups, q.open)
				q.open = nil
			}
		}, nil
	case in.Spec.Has("wait_all"):
		return func(w *warp, m uint32) {
			for ; m != 0; m &= m - 1 {
				l := lane(m)
				q := &w.copies[l]
				q.groups = append(q.groups, q.open)
				q.open = nil
				w.arrive(l, 0)
			}
		}, nil
	case in.Spec.Has("wait_group"):
		if in.Args[0].Kind != ptx.OpInt || in.Args[0].Int < 0 {
			return nil, fmt.Errorf("the number of groups must be a constant")
		}
		keep := int(in.Args[0].Int)
		return func(w *warp, m uint32) {
			for ; m != 0; m &= m - 1 {
				w.arrive(lane(m), keep)
			}
		}, nil
	}
	return issueCopy(c, in)
}

func issueCopy(c *compiler, in *ptx.Instr) (step, error) {
	to, err := c.addrOf(&in.Args[0])
	if err != nil {
		return nil, err
	}
	from, err := c.addrOf(&in.Args[1])
	if err != nil {
		return nil, err
	}
	size := in.Args[2].Int
	if in.Args[2].Kind != ptx.OpInt || size != 16 && (size != 4 && size != 8 || in.Spec.Has("cg")) {
		return nil, fmt.Errorf("copies of %d bytes do not exist", size)
	}
	have := c.constant(uint64(size))
	if len(in.Args) > 3 {
		if have, err = c.src(&in.Args[3], ptx.U32); err != nil {
			return nil, err
		}
	}
	dst := c.newAccess(in, ptx.Shared, int(size), int(size))
	// the source may be read in part (src-size), so single bytes are the global granule then
	grain := int(size)
	if len(in.Args) > 3 {
		grain = 4
	}
	c.newAccess(in, ptx.Global, grain, grain)
	return func(w *warp, m uint32) {
		var a, b [32]uint64
		to(w, &a)
		from(w, &b)
		for ; m != 0; m &= m - 1 {
			l := lane(m)
			p := pendingCopy{a: dst, to: a[l], n: uint64(size)}
			n := min(w.r[have][l], p.n)
			if b[l]&(p.n-1) != 0 {
				w.find(Misaligned, in, l, nil, 0, fmt.Sprintf("source address %#x for %d bytes", b[l], size))
				continue
			}
			for at := uint64(0); at < n; {
				// power-of-two pieces of what src-size permits
				piece := p.n
				for at+piece > n {
					piece /= 2
				}
				part := access{in: in, space: ptx.Global, n: piece}
				if src := w.read(&part, l, b[l]+at); src != nil {
					copy(p.data[at:], src)
				}
				at += piece
			}
			if w.writeShared(dst, l, a[l], p.data[:size], pending) != nil {
				w.copies[l].open = append(w.copies[l].open, p)
			}
		}
	}, nil
}

// arrive completes lane l's oldest groups until keep remain.
func (w *warp) arrive(l, keep int) {
	q := &w.copies[l]
	for len(q.groups) > keep {
		for i := range q.groups[0] {
			p := &q.groups[0][i]
			if to := w.writeShared(p.a, l, p.to, p.data[:p.n], 1); to != nil {
				copy(to, p.data[:p.n])
			}
		}
		q.groups = q.groups[1:]
	}
}
