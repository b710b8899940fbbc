package codegen

import (
	"fmt"

	"github.com/llir/llvm/ir/types"
)

// Lop3 returns a bitwise function of three words; table is its value for the masks
// a = 0xf0, b = 0xcc, c = 0xaa, as in PTX.
func (k *K) Lop3(a, b, c any, table uint8) I32 {
	return k.word(fmt.Sprintf("lop3.b32 $0, $1, $2, $3, %d;", table), k.i32(a).v, k.i32(b).v, k.i32(c).v)
}

// Prmt picks four of the eight bytes of {b, a}: nibble i of selector, from the lowest, names
// the byte that becomes byte i (a holds bytes 0 to 3, bit 3 of a nibble spreads the sign).
func (k *K) Prmt(a, b, selector any) I32 {
	return k.word("prmt.b32 $0, $1, $2, $3;", k.i32(a).v, k.i32(b).v, k.i32(selector).v)
}

// Dp4a returns c plus the products of the four signed bytes of a and b.
func (k *K) Dp4a(a, b, c I32) I32 { return k.word("dp4a.s32.s32 $0, $1, $2, $3;", a.v, b.v, c.v) }

// FunnelR returns bits s.. of the 64-bit number hi:lo, s in 0 to 31.
func (k *K) FunnelR(lo, hi I32, s any) I32 {
	return k.word("shf.r.wrap.b32 $0, $1, $2, $3;", lo.v, hi.v, k.i32(s).v)
}

// MulHi returns the high half of the product of unsigned numbers.
func (a I32) MulHi(b any) I32 { return a.I64().Mul(a.k.i32(b).I64()).High() }

// Popc counts the bits that are set.
func (a I32) Popc() I32 { return a.k.word("popc.b32 $0, $1;", a.v) }

// Clz counts the leading zeros: 32 for zero.
func (a I32) Clz() I32 { return a.k.word("clz.b32 $0, $1;", a.v) }

// Field takes n bits from bit at, unsigned.
func (a I32) Field(at, n int) I32 { return a.Shr(at).And(1<<n - 1) }

// MulHi returns the high half of the product of unsigned 64-bit numbers.
func (a I64) MulHi(b any) I64 {
	return I64{a.k, a.k.asm(pure, "mul.hi.u64 $0, $1, $2;", repeat(types.I64, 1), a.v, a.k.i64(b).v)[0]}
}
