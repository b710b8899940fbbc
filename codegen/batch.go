package codegen

import (
	"fmt"

	"github.com/llir/llvm/ir"

	"dsac/codegen/ptx"
)

// Stage is a kernel that runs inside a larger one. Its emit function does not know: block and
// thread numbers, operands, barriers and shared memory are those of a launch of its own.
type Stage struct {
	Operands []string
	Launch   Launch
	Emit     func(k *K)
}

// Chain is stages that run one after another in blocks of their own, with a barrier of the block
// between two. Block x of a stage may use what block x of an earlier one wrote, and no more.
type Chain []Stage

// Blocks returns how many blocks of the launch the chain runs in.
func (p Chain) Blocks() int {
	n := 0
	for i := range p {
		n = max(n, p[i].Launch.Blocks())
	}
	return n
}

// Threads returns the threads of a block that take part: whole warps.
func (p Chain) Threads() int {
	n := 0
	for i := range p {
		n = max(n, p[i].Launch.Threads())
	}
	return (n + 31) &^ 31
}

func (p Chain) operands() int {
	n := 0
	for i := range p {
		n += len(p[i].Operands)
	}
	return n
}

// Joinable says why stages of this shape cannot run inside a larger kernel, or "". There are no
// clusters in it. Blocks and threads have one dimension, and the numbers of the others come out of
// it by shifts and masks: at most one extent of the grid may be another number than a power of two.
func (l Launch) Joinable() string {
	odd := 0
	for _, n := range l.Grid {
		if n&(n-1) != 0 {
			odd++
		}
	}
	switch x, y := l.Block[0], l.Block[1]; {
	case l.Cluster > 1:
		return fmt.Sprintf("its blocks are in clusters of %d", l.Cluster)
	case odd > 1:
		return fmt.Sprintf("two extents of grid %v are no powers of two", l.Grid)
	case l.Block[2] != 1 || y > 1 && x&(x-1) != 0:
		return fmt.Sprintf("the rows of block %v are no power of two", l.Block)
	}
	return ""
}

// BatchLaunch is the launch of a kernel made of parts: their blocks in a row, as many threads
// and as much dynamic shared memory as the part that has most.
func BatchLaunch(parts []Chain) Launch {
	blocks, threads, shared := 0, 0, uint32(0)
	for _, p := range parts {
		blocks += p.Blocks()
		threads = max(threads, p.Threads())
		for i := range p {
			shared = max(shared, p[i].Launch.Shared)
		}
	}
	l := Line(blocks, threads)
	l.Shared = shared
	return l
}

// Batch adds a kernel made of parts, which run at the same time, and returns its name as Kernel
// does. Its parameters are the operands of the stages in order, then the control buffer. The
// parts have the static and the dynamic shared memory in turn: no block needs that of two.
func (m *Module) Batch(name string, parts []Chain) string {
	var operands []string
	for _, p := range parts {
		for i := range p {
			for _, o := range p[i].Operands {
				operands = append(operands, fmt.Sprintf("%s.%d", o, len(operands)))
			}
		}
	}
	launch := BatchLaunch(parts)
	return m.Kernel(name, operands, launch.Threads(), func(k *K) {
		k.pool = newPool(k)
		first, params := 0, k.params
		for len(parts) > 0 {
			a := m.alike(parts, launch.Threads())
			more, end := len(parts) > a.n, first
			for _, p := range parts[:a.n] {
				end += p.Blocks()
			}
			k.only(more, end, func() {
				k.waiting(func() { k.parts(parts[:a.n], a, first, params, launch.Threads()) })
			})
			for _, p := range parts[:a.n] {
				params = params[p.operands():]
			}
			parts, first = parts[a.n:], end
		}
		k.pool.close()
		k.joinBounds(launch.Threads())
	})
}

// only runs body in the blocks below end, and what is emitted afterwards in the others; without
// more there are no others.
func (k *K) only(more bool, end int, body func()) {
	if !more {
		body()
		return
	}
	here, rest := k.block("part"), k.block("rest")
	k.cur.Term = ir.NewCondBr(k.special("ctaid.x").Lt(end).v, here, rest)
	k.cur = here
	body()
	k.cur.Term = ir.NewRet(nil)
	k.cur = rest
}

// part emits the stages of a part, which has its blocks numbered by block, and its operands.
func (k *K) part(p Chain, block I32, params []Ptr, threads int) {
	k.pool.next()
	if p.Threads() < threads {
		k.ReturnIf(k.special("tid.x").Ge(p.Threads()))
	}
	for i := range p {
		s := &p[i]
		n := len(s.Operands)
		w := &window{k: k, block: block, params: params[:n], launch: s.Launch, whole: s.Launch.Threads() == threads}
		if i < len(p)-1 {
			w.end = k.block("stage")
		}
		k.stage(w, s, p)
		params = params[n:]
	}
}

// stage emits one stage, and a barrier when another follows: one that no stage has, because some
// of its warps may still be at one of their own.
func (k *K) stage(w *window, s *Stage, p Chain) {
	if s.Launch.Blocks() != p.Blocks() {
		k.failf("stages of %d and of %d blocks in one part", s.Launch.Blocks(), p.Blocks())
	}
	if why := s.Launch.Joinable(); why != "" {
		k.failf("%s", why)
	}
	k.window = w
	w.number()
	if s.Launch.Threads() < p.Threads() {
		k.ReturnIf(k.special("tid.x").Ge(s.Launch.Threads()))
	}
	k.scope(func() { s.Emit(k) })
	k.window = nil
	if w.end != nil {
		k.cur.Term = ir.NewBr(w.end)
		k.cur = w.end
		k.SyncWarp() // lanes may have left the stage in several places
		k.SyncPart(ptx.StageBarrier, p.Threads())
	}
}

// joinBounds replaces what each part said of its blocks by one bound for all: as many threads at
// once as the most that any part asks for.
func (k *K) joinBounds(threads int) {
	most := 0
	kept := k.bounds[:0]
	for _, b := range k.bounds {
		if b.key == "minctasm" {
			most = max(most, b.value)
		} else {
			kept = append(kept, b)
		}
	}
	if k.bounds = kept; most > 0 {
		k.bounds = append(k.bounds, bound{"minctasm", max(1, most/threads)})
	}
}
