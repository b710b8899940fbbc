package codegen

import (
	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

// Space is an address space, numbered as in LLVM.
type Space uint8

// Address spaces. Addresses of global memory have 64 bits, of the others 32.
const (
	Global Space = 1
	Shared Space = 3
)

// names are those of PTX.
var spaceNames = map[Space]string{Global: "global", Shared: "shared"}

// Ptr is an address, and how loads and stores through it behave.
type Ptr struct {
	k      *K
	v      value.Value // i8*
	space  Space
	nc     bool // loads may use the non-coherent path
	stream bool // loads do not stay in L1
	placed bool // loads of a stream keep their place
	fixed  bool // loads may change places with other accesses
	when   Pred // accesses happen only where it holds, if set
	peer   bool // of shared memory: perhaps in another block of the cluster
}

// bytes is the type of all addresses in a space.
func bytes(s Space) *types.PointerType { return pointer(types.I8, s) }

func pointer(t types.Type, s Space) *types.PointerType {
	p := types.NewPointer(t)
	p.AddrSpace = types.AddrSpace(s)
	return p
}

// ReadOnly says that nobody writes the bytes while the kernel runs: neither the kernel itself
// nor an earlier one, which may still be running when this one starts (see K.GridWait). That
// holds for constants only. The loads may be moved ahead of the wait.
func (p Ptr) ReadOnly() Ptr {
	p.nc = p.space == Global
	return p
}

// Fixed says that nobody writes the bytes once the kernel has waited for the grid: what earlier
// kernels have made and this one reads. Conditional loads may change places with other accesses,
// which saves registers; that none comes ahead of the wait is checked in the PTX (P13).
func (p Ptr) Fixed() Ptr {
	p.fixed = p.space == Global
	return p
}

// Stream says the same as ReadOnly, and that the bytes are read once: they do not displace
// others from the L1 cache.
func (p Ptr) Stream() Ptr {
	p.stream = p.space == Global
	return p
}

// Placed keeps the loads of a stream where they are made: an assembler that has them earlier,
// above barriers of the warp, runs out of registers.
func (p Ptr) Placed() Ptr {
	p.placed = true
	return p
}

// When makes accesses conditional without a branch: where ok does not hold, a load gives
// zeros and a store does nothing.
func (p Ptr) When(ok Pred) Ptr {
	p.when = ok
	if n, known := known(ok.v); known && n != 0 {
		p.when = Pred{}
	}
	return p
}

// At returns the address off bytes on; off is an I32 (not negative), an I64 or a Go integer.
func (p Ptr) At(off any) Ptr { return p.Elem(off, 1) }

// Elem returns the address of element i of an array of elements of size bytes; i is an I32
// (not negative), an I64 or a Go integer. The product does not overflow.
func (p Ptr) Elem(i any, size int) Ptr {
	var off value.Value
	switch i := i.(type) {
	case int:
		if i == 0 {
			return p
		}
		off = p.k.I64(int64(i) * int64(size)).v
		if p.space != Global {
			off = p.k.I32(i * size).v
		}
	case I32:
		if n, ok := known(i.v); ok && n >= 0 {
			return p.Elem(int(n), size)
		}
		if p.space == Global {
			off = i.I64().Mul(size).v
		} else {
			off = i.Mul(size).v
		}
	case I64:
		off = i.Mul(size).v
	default:
		p.k.failf("%T where an I32, an I64 or an integer is wanted", i)
		return p
	}
	p.v = p.k.emit(ir.NewGetElementPtr(types.I8, p.v, off))
	return p
}

// typed returns the address as a pointer to t.
func (p Ptr) typed(t types.Type) value.Value {
	if t.Equal(types.I8) {
		return p.v
	}
	return p.k.emit(ir.NewBitCast(p.v, pointer(t, p.space)))
}

// Addr returns a shared address as a number, as instructions take it.
func (p Ptr) Addr() I32 {
	if !p.own("no instruction takes an address") {
		return p.k.I32(0)
	}
	if p.space != Shared {
		p.k.failf("address of %s memory where one of shared memory is wanted", spaceNames[p.space])
		return p.k.I32(0)
	}
	return I32{p.k, p.k.emit(ir.NewPtrToInt(p.v, types.I32))}
}
