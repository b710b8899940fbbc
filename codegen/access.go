package codegen

import (
	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

// LdI32 loads a number.
func (p Ptr) LdI32() I32 { return I32{p.k, p.load(types.I32, 4, 1)[0]} }

// StI32 stores a number.
func (p Ptr) StI32(x I32) { p.store(4, x.v) }

// LdI32x2 loads 2 numbers, 8 bytes at once.
func (p Ptr) LdI32x2() (x [2]I32) {
	for i, v := range p.load(types.I32, 4, 2) {
		x[i] = I32{p.k, v}
	}
	return x
}

// StI32x2 stores 2 numbers, 8 bytes at once.
func (p Ptr) StI32x2(x [2]I32) { p.store(4, x[0].v, x[1].v) }

// LdI32x4 loads 4 numbers, 16 bytes at once.
func (p Ptr) LdI32x4() (x [4]I32) {
	for i, v := range p.load(types.I32, 4, 4) {
		x[i] = I32{p.k, v}
	}
	return x
}

// StI32x4 stores 4 numbers, 16 bytes at once.
func (p Ptr) StI32x4(x [4]I32) { p.store(4, x[0].v, x[1].v, x[2].v, x[3].v) }

// LdF32 loads a number.
func (p Ptr) LdF32() F32 { return F32{p.k, p.load(types.Float, 4, 1)[0]} }

// StF32 stores a number.
func (p Ptr) StF32(x F32) { p.store(4, x.v) }

// LdF32x2 loads 2 numbers, 8 bytes at once.
func (p Ptr) LdF32x2() (x [2]F32) {
	for i, v := range p.load(types.Float, 4, 2) {
		x[i] = F32{p.k, v}
	}
	return x
}

// StF32x2 stores 2 numbers, 8 bytes at once.
func (p Ptr) StF32x2(x [2]F32) { p.store(4, x[0].v, x[1].v) }

// LdF32x4 loads 4 numbers, 16 bytes at once.
func (p Ptr) LdF32x4() (x [4]F32) {
	for i, v := range p.load(types.Float, 4, 4) {
		x[i] = F32{p.k, v}
	}
	return x
}

// StF32x4 stores 4 numbers, 16 bytes at once.
func (p Ptr) StF32x4(x [4]F32) { p.store(4, x[0].v, x[1].v, x[2].v, x[3].v) }

// LdI64 loads a number.
func (p Ptr) LdI64() I64 { return I64{p.k, p.load(types.I64, 8, 1)[0]} }

// StI64 stores a number.
func (p Ptr) StI64(x I64) { p.store(8, x.v) }

// LdI64x2 loads 2 numbers, 16 bytes at once.
func (p Ptr) LdI64x2() (x [2]I64) {
	for i, v := range p.load(types.I64, 8, 2) {
		x[i] = I64{p.k, v}
	}
	return x
}

// StI64x2 stores 2 numbers, 16 bytes at once.
func (p Ptr) StI64x2(x [2]I64) { p.store(8, x[0].v, x[1].v) }

// LdH2 loads two f16.
func (p Ptr) LdH2() H2 { return H2(p.LdI32()) }

// StH2 stores two f16.
func (p Ptr) StH2(x H2) { p.StI32(I32(x)) }

// LdU16 loads 16 bits, widened with zeros.
func (p Ptr) LdU16() I32 { return p.narrow(types.I16, 2, false) }

// LdU8 loads a byte, widened with zeros.
func (p Ptr) LdU8() I32 { return p.narrow(types.I8, 1, false) }

// LdS8 loads a byte, widened with its sign.
func (p Ptr) LdS8() I32 { return p.narrow(types.I8, 1, true) }

func (p Ptr) narrow(t *types.IntType, size int, signed bool) I32 {
	x := p.load(t, size, 1)[0]
	wide := I32{p.k, p.k.emit(ir.NewZExt(x, types.I32))}
	if signed {
		return wide.Shl(32 - 8*size).Sar(32 - 8*size)
	}
	return wide
}

// StU16 stores the low 16 bits.
func (p Ptr) StU16(x I32) { p.store(2, p.k.trunc(x, types.I16)) }

// StU8 stores the low byte.
func (p Ptr) StU8(x I32) {
	if p.when.v != nil || p.peer {
		p.k.failf("stores of a byte are not conditional, nor to peers")
		return
	}
	p.store(1, p.k.trunc(x, types.I8))
}

func (k *K) trunc(x I32, t types.Type) value.Value { return k.emit(ir.NewTrunc(x.v, t)) }

// LdF32s loads n = 1, 2 or 4 numbers at once.
func (p Ptr) LdF32s(n int) []F32 {
	if n != 1 && n != 2 && n != 4 {
		p.k.failf("loads are of 1, 2 or 4 elements, not %d", n)
		n = 1
	}
	x := make([]F32, n)
	for i, v := range p.load(types.Float, 4, n) {
		x[i] = F32{p.k, v}
	}
	return x
}

// StF32s stores 1, 2 or 4 numbers at once.
func (p Ptr) StF32s(x ...F32) {
	vs := make([]value.Value, len(x))
	for i := range x {
		vs[i] = x[i].v
	}
	p.store(4, vs...)
}

// LdI32s loads n = 1, 2 or 4 words at once.
func (p Ptr) LdI32s(n int) []I32 {
	if n != 1 && n != 2 && n != 4 {
		p.k.failf("loads are of 1, 2 or 4 elements, not %d", n)
		n = 1
	}
	x := make([]I32, n)
	for i, v := range p.load(types.I32, 4, n) {
		x[i] = I32{p.k, v}
	}
	return x
}

// StI32s stores 1, 2 or 4 words at once.
func (p Ptr) StI32s(x ...I32) {
	vs := make([]value.Value, len(x))
	for i := range x {
		vs[i] = x[i].v
	}
	p.store(4, vs...)
}
