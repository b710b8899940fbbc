package codegen

import (
	"fmt"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"dsac/runtime/plan"
)

// K builds one kernel.
type K struct {
	m    *Module
	name string
	f    *ir.Func

	prologue *ir.Block // parameters and special registers, ahead of all else
	start    *ir.Block
	cur      *ir.Block // where the next instruction goes
	params   []Ptr
	sregs    map[string]I32
	slots    []*slot // variables in scope, see flow.go
	blocks   int     // for their names
	shared   int     // static shared memory so far, in bytes
	globals  []*ir.Global
	bounds   []bound
	pool     *pool   // static shared memory of a kernel made of parts, see batch.go
	window   *window // of the stage that is being emitted
	cluster  int     // blocks of a cluster, 0: there are none

	waits, launches bool        // GridWait, GridLaunch were called
	leaving         []*ir.Block // where ReturnIf ends threads ahead of GridWait
}

func newK(m *Module, name string, operands []string) *K {
	params := make([]*ir.Param, 0, len(operands)+1)
	for _, o := range append(append([]string(nil), operands...), "control") {
		params = append(params, ir.NewParam(o, types.I64))
	}
	k := &K{m: m, name: name, f: ir.NewFunc(name, types.Void, params...), sregs: map[string]I32{}}
	k.f.CallingConv = enum.CallingConvPTXKernel
	k.prologue = k.f.NewBlock("entry")
	for _, p := range params {
		base := ir.NewIntToPtr(p, bytes(Global))
		k.prologue.Insts = append(k.prologue.Insts, base)
		k.params = append(k.params, Ptr{k: k, v: base, space: Global})
	}
	k.start = k.block("body")
	k.cur = k.start
	return k
}

// guard runs emit; llir's constructors panic on operands that do not fit.
func (k *K) guard(emit func(k *K)) {
	defer func() {
		if r := recover(); r != nil {
			k.failf("%v", r)
		}
	}()
	k.waiting(func() { emit(k) })
}

func (k *K) finish() {
	k.cur.Term = ir.NewRet(nil)
	k.prologue.Term = ir.NewBr(k.start)
	if k.m.err == nil {
		simplify(k.f)
	}
}

// MinBlocks says how many blocks a multiprocessor must be able to hold at once: it bounds the
// registers of a thread. With 1 the assembler does not trade registers for more blocks.
func (k *K) MinBlocks(n int) {
	if k.window != nil {
		n *= k.window.launch.Threads() // until joinBounds knows the block
	}
	k.bounds = append(k.bounds, bound{"minctasm", n})
}

// Target is what the kernel is made for.
func (k *K) Target() *Target { return k.m.Target }

// Arg returns the address of operand i.
func (k *K) Arg(i int) Ptr {
	params := k.params[:len(k.params)-1]
	if k.window != nil {
		params = k.window.params
	}
	if i < 0 || i >= len(params) {
		k.failf("operand %d of %d", i, len(params))
		return k.Ctl()
	}
	return params[i]
}

// Ctl returns the address of the control buffer, see plan.CtlPos and the others.
func (k *K) Ctl() Ptr { return k.params[len(k.params)-1] }

// Live returns the live rows of the step, as the control buffer says. It is for comparisons
// with a row that the grid bounds: kernels that do no more with it are the same for every
// number of rows.
func (k *K) Live() I32 { return k.Ctl().At(plan.CtlN).LdI32() }

// Rows returns the live rows of the step, at most max, so that it may form an address. Rows at
// and past it may not be touched.
func (k *K) Rows(max int) I32 { return k.Ctl().At(plan.CtlN).LdI32().Clamp(0, max) }

// MostRows is more than any step has rows.
const MostRows = 1 << 16

// LastRow returns the number of the last live row. Nothing in the kernel bounds it, only what
// every run promises: that no more rows are live than the entry has. So it is the same for all
// entries.
func (k *K) LastRow() I32 { return k.Live().Clamp(1, MostRows).Sub(1) }

// Pos returns the rows in the caches ahead of this step, clamped to [0, max].
func (k *K) Pos(max int) I32 { return k.Ctl().At(plan.CtlPos).LdI32().Clamp(0, max) }

func (k *K) block(name string) *ir.Block {
	k.blocks++
	return k.f.NewBlock(fmt.Sprintf("%s.%d", name, k.blocks))
}

// instruction is an LLVM instruction with a result.
type instruction interface {
	ir.Instruction
	value.Value
}

func (k *K) emit(i instruction) value.Value {
	k.cur.Insts = append(k.cur.Insts, i)
	return i
}

// call emits a call of an intrinsic.
func (k *K) call(name string, ret types.Type, args ...value.Value) value.Value {
	ts := make([]types.Type, len(args))
	for i, a := range args {
		ts[i] = a.Type()
	}
	return k.emit(ir.NewCall(k.m.intrinsic(name, ret, ts...), args...))
}

// special reads a special register, once per kernel.
func (k *K) special(name string) I32 {
	return k.register(name, func() value.Value { return k.call("llvm.nvvm.read.ptx.sreg."+name, types.I32) })
}

// register reads a special register ahead of all else, unless the kernel already has.
func (k *K) register(name string, read func() value.Value) I32 {
	if v, ok := k.sregs[name]; ok {
		return v
	}
	cur := k.cur
	k.cur = k.prologue
	v := I32{k, read()}
	k.cur, k.sregs[name] = cur, v
	return v
}

// place reads a special register that says where a thread is in its launch: in that of the stage
// when there is one.
func (k *K) place(name string) I32 {
	if k.window != nil {
		return k.window.sregs[name]
	}
	return k.special(name)
}

// Thread returns threadIdx.x.
func (k *K) Thread() I32 { return k.place("tid.x") }

// ThreadY returns threadIdx.y, for blocks of two dimensions.
func (k *K) ThreadY() I32 { return k.place("tid.y") }

// BlockX returns blockIdx.x.
func (k *K) BlockX() I32 { return k.place("ctaid.x") }

// BlockY returns blockIdx.y.
func (k *K) BlockY() I32 { return k.place("ctaid.y") }

// BlockZ returns blockIdx.z.
func (k *K) BlockZ() I32 { return k.place("ctaid.z") }

// GridX returns gridDim.x.
func (k *K) GridX() I32 { return k.place("nctaid.x") }

// GridY returns gridDim.y.
func (k *K) GridY() I32 { return k.place("nctaid.y") }

// Lane returns the thread's number in its warp; blocks have one dimension.
func (k *K) Lane() I32 { return k.Thread().And(31) }

// Warp returns the number of the thread's warp in its block.
func (k *K) Warp() I32 { return k.Thread().Shr(5) }
