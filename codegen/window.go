package codegen

import (
	"fmt"
	"math/bits"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/types"

	"dsac/codegen/ptx"
)

// window is what a stage sees of the kernel that it is part of.
type window struct {
	k      *K
	block  I32       // number of the block among its own
	params []Ptr     // its operands
	launch Launch    // its own
	whole  bool      // it has all threads of the launch
	end    *ir.Block // where ReturnIf goes; nil: the thread ends
	sregs  map[string]I32
}

// number works out the stage's block and thread numbers, at the place where it starts.
func (w *window) number() {
	w.sregs = map[string]I32{}
	left := w.block
	// powers of two first, so that nothing is divided by the other extent
	rest := w.launch.Blocks()
	for _, odd := range []bool{false, true} {
		for i, n := range w.launch.Grid {
			if n&(n-1) != 0 == odd {
				left = w.take("ctaid."+axes[i], left, n, int(n) == rest)
				rest /= int(n)
			}
			w.sregs["nctaid."+axes[i]] = w.k.I32(int(n))
		}
	}
	b := w.launch.Block
	left = w.k.special("tid.x")
	if b[1] > 1 {
		left = w.take("tid.x", left, b[0], false)
		w.sregs["tid.y"] = left
	} else {
		w.sregs["tid.x"], w.sregs["tid.y"] = left, w.k.I32(0)
	}
	w.sregs["tid.z"] = w.k.I32(0)
}

var axes = [3]string{"x", "y", "z"}

// take gives an axis of n values the low part of a number and returns the rest; the last axis
// takes all of it.
func (w *window) take(name string, from I32, n uint32, last bool) I32 {
	switch {
	case n == 1:
		w.sregs[name] = w.k.I32(0)
		return from
	case last:
		w.sregs[name] = from
		return from
	}
	w.sregs[name] = from.And(int(n - 1))
	return from.Shr(bits.TrailingZeros32(n))
}

// sync waits for the threads of the stage.
func (w *window) sync() {
	n := w.launch.Threads()
	switch {
	case w.whole:
		w.k.asm(barrier, "bar.sync 0;", nil)
	case n%32 != 0:
		w.k.failf("a barrier for %d threads of a larger block: want whole warps", n)
	default:
		w.k.SyncPart(0, n)
	}
}

// pool is the static shared memory of a kernel made of parts: one variable, which each part has
// from its start.
type pool struct {
	k    *K
	all  *ir.Global
	size *types.ArrayType
	at   int // bytes that this part has taken
}

func newPool(k *K) *pool { return &pool{k: k, size: types.NewArray(0, types.I8)} }

// next starts a part.
func (p *pool) next() { p.at = 0 }

// take reserves bytes of the part at hand.
func (p *pool) take(size int) Ptr {
	if p.all == nil {
		p.all = p.k.m.global(fmt.Sprintf("%s_shared", p.k.name), p.size, Shared)
		p.all.Linkage = enum.LinkageInternal
		p.k.globals = append(p.k.globals, p.all)
	}
	from := p.at
	p.at += (size + 15) &^ 15
	p.size.Len = max(p.size.Len, uint64(p.at))
	if size < 1 || p.at > ptx.StaticShared {
		p.k.failf("%d bytes of static shared memory, at most %d: use Dynamic", p.at, ptx.StaticShared)
	}
	return Ptr{k: p.k, v: constant.NewBitCast(p.all, bytes(Shared)), space: Shared}.At(from)
}

// close fixes the size.
func (p *pool) close() {
	if p.all != nil {
		p.all.Init = constant.NewUndef(p.all.ContentType)
	}
}
