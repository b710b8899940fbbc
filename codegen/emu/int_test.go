package emu

import (
	"math/big"
	"math/bits"
	"math/rand"
	"testing"
)

// operandRows are triples of 64-bit patterns: awkward values, then random ones.
func operandRows(rng *rand.Rand, awkward []uint64, n int) [][]uint64 {
	var rows [][]uint64
	for _, x := range awkward {
		for _, y := range awkward {
			rows = append(rows, []uint64{x, y, awkward[rng.Intn(len(awkward))], rng.Uint64()})
		}
	}
	for range n {
		rows = append(rows, []uint64{rng.Uint64(), rng.Uint64() >> rng.Intn(60), rng.Uint64() >> rng.Intn(64), rng.Uint64() >> rng.Intn(64)})
	}
	return rows
}

var awkwardInts = []uint64{0, 1, 2, 31, 32, 33, 63, 64, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 32, 1<<63 - 1, 1 << 63, ^uint64(0), 0xfffffffffffffff0}

func TestIntegerInstructions(t *testing.T) {
	s32 := func(x uint64) int64 { return int64(int32(x)) }
	u32 := func(x uint64) uint64 { return uint64(uint32(x)) }
	for _, c := range []struct {
		name, code string
		want       func(a, b, c uint64) uint64
	}{
		{"add.s32", "add.s32 %r30, %r20, %r21; cvt.u64.u32 %rd30, %r30;", func(a, b, _ uint64) uint64 { return u32(a + b) }},
		{"sub.u16", "sub.u16 %h13, %h10, %h11; cvt.u64.u16 %rd30, %h13;", func(a, b, _ uint64) uint64 { return uint64(uint16(a - b)) }},
		{"add.sat.s32", "add.sat.s32 %r30, %r20, %r21; cvt.u64.u32 %rd30, %r30;", func(a, b, _ uint64) uint64 {
			return u32(uint64(min(max(s32(a)+s32(b), -1<<31), 1<<31-1)))
		}},
		{"mul.lo.s64", "mul.lo.s64 %rd30, %rd20, %rd21;", func(a, b, _ uint64) uint64 { return a * b }},
		{"mul.hi.u32", "mul.hi.u32 %r30, %r20, %r21; cvt.u64.u32 %rd30, %r30;", func(a, b, _ uint64) uint64 { return u32(a) * u32(b) >> 32 }},
		{"mul.hi.s32", "mul.hi.s32 %r30, %r20, %r21; cvt.u64.u32 %rd30, %r30;", func(a, b, _ uint64) uint64 { return u32(uint64(s32(a) * s32(b) >> 32)) }},
		{"mul.hi.u64", "mul.hi.u64 %rd30, %rd20, %rd21;", func(a, b, _ uint64) uint64 { hi, _ := bits.Mul64(a, b); return hi }},
		{"mul.hi.s64", "mul.hi.s64 %rd30, %rd20, %rd21;", func(a, b, _ uint64) uint64 {
			p := new(big.Int).Mul(big.NewInt(int64(a)), big.NewInt(int64(b)))
			return uint64(p.Rsh(p, 64).Int64())
		}},
		{"mul.wide.s32", "mul.wide.s32 %rd30, %r20, %r21;", func(a, b, _ uint64) uint64 { return uint64(s32(a) * s32(b)) }},
		{"mul.wide.s16", "mul.wide.s16 %r30, %h10, %h11; cvt.u64.u32 %rd30, %r30;", func(a, b, _ uint64) uint64 { return u32(uint64(int64(int16(a)) * int64(int16(b)))) }},
		{"mad.wide.u32", "mad.wide.u32 %rd30, %r20, %r21, %rd22;", func(a, b, c uint64) uint64 { return u32(a)*u32(b) + c }},
		{"mad.lo.s32", "mad.lo.s32 %r30, %r20, %r21, %r22; cvt.u64.u32 %rd30, %r30;", func(a, b, c uint64) uint64 { return u32(a*b + c) }},
		{"mad.hi.u32", "mad.hi.u32 %r30, %r20, %r21, %r22; cvt.u64.u32 %rd30, %r30;", func(a, b, c uint64) uint64 { return u32(u32(a)*u32(b)>>32 + c) }},
		{"div.s32", "or.b32 %r25, %r21, 1; div.s32 %r30, %r20, %r25; cvt.u64.u32 %rd30, %r30;", func(a, b, _ uint64) uint64 { return u32(uint64(s32(a) / s32(b|1))) }},
		{"rem.u64", "or.b64 %rd25, %rd21, 1; rem.u64 %rd30, %rd20, %rd25;", func(a, b, _ uint64) uint64 { return a % (b | 1) }},
		{"rem.s32", "or.b32 %r25, %r21, 1; rem.s32 %r30, %r20, %r25; cvt.u64.u32 %rd30, %r30;", func(a, b, _ uint64) uint64 { return u32(uint64(s32(a) % s32(b|1))) }},
		{"min.s32", "min.s32 %r30, %r20, %r21; cvt.u64.u32 %rd30, %r30;", func(a, b, _ uint64) uint64 { return u32(uint64(min(s32(a), s32(b)))) }},
		{"max.u64", "max.u64 %rd30, %rd20, %rd21;", func(a, b, _ uint64) uint64 { return max(a, b) }},
		{"max.s16", "max.s16 %h13, %h10, %h11; cvt.u64.u16 %rd30, %h13;", func(a, b, _ uint64) uint64 { return uint64(uint16(max(int16(a), int16(b)))) }},
		{"abs.s32", "abs.s32 %r30, %r20; cvt.u64.u32 %rd30, %r30;", func(a, _, _ uint64) uint64 { return u32(uint64(max(s32(a), -s32(a)))) }},
		{"neg.s64", "neg.s64 %rd30, %rd20;", func(a, _, _ uint64) uint64 { return -a }},
		{"not.b32", "not.b32 %r30, %r20; cvt.u64.u32 %rd30, %r30;", func(a, _, _ uint64) uint64 { return u32(^a) }},
		{"shl.b32", "shl.b32 %r30, %r20, %r21; cvt.u64.u32 %rd30, %r30;", func(a, b, _ uint64) uint64 { return u32(a << min(u32(b), 32)) }},
		{"shl.b64", "shl.b64 %rd30, %rd20, %r21;", func(a, b, _ uint64) uint64 { return a << min(u32(b), 64) }},
		{"shr.u32", "shr.u32 %r30, %r20, %r21; cvt.u64.u32 %rd30, %r30;", func(a, b, _ uint64) uint64 { return u32(a) >> min(u32(b), 32) }},
		{"shr.s32", "shr.s32 %r30, %r20, %r21; cvt.u64.u32 %rd30, %r30;", func(a, b, _ uint64) uint64 { return u32(uint64(s32(a) >> min(u32(b), 31))) }},
		{"shr.s64", "shr.s64 %rd30, %rd20, %r21;", func(a, b, _ uint64) uint64 { return uint64(int64(a) >> min(u32(b), 63)) }},
		{"shf.l.wrap", "shf.l.wrap.b32 %r30, %r20, %r21, %r22; cvt.u64.u32 %rd30, %r30;", func(a, b, c uint64) uint64 { return (u32(b)<<32 | u32(a)) << (c & 31) >> 32 }},
		{"shf.r.clamp", "shf.r.clamp.b32 %r30, %r20, %r21, %r22; cvt.u64.u32 %rd30, %r30;", func(a, b, c uint64) uint64 { return u32((u32(b)<<32 | u32(a)) >> min(u32(c), 32)) }},
		{"lop3 a&b|c", "lop3.b32 %r30, %r20, %r21, %r22, 0xEA; cvt.u64.u32 %rd30, %r30;", func(a, b, c uint64) uint64 { return u32(a&b | c) }},
		{"lop3 xor", "lop3.b32 %r30, %r20, %r21, %r22, 0x96; cvt.u64.u32 %rd30, %r30;", func(a, b, c uint64) uint64 { return u32(a ^ b ^ c) }},
		{"prmt", "prmt.b32 %r30, %r20, %r21, %r22; cvt.u64.u32 %rd30, %r30;", func(a, b, c uint64) uint64 {
			var out uint64
			for i := range 4 {
				n := c >> (4 * i) & 15
				v := a
				if n&4 != 0 {
					v = b
				}
				by := uint8(v >> (8 * (n & 3)))
				if n&8 != 0 {
					by = uint8(int8(by) >> 7)
				}
				out |= uint64(by) << (8 * i)
			}
			return out
		}},
		{"prmt.b4e", "prmt.b32.b4e %r30, %r20, %r21, 1; cvt.u64.u32 %rd30, %r30;", func(a, b, _ uint64) uint64 { // bytes 6701: a's, then b's last two
			return u32(a>>8&0xff | a&0xff<<8 | b>>24&0xff<<16 | b>>16&0xff<<24)
		}},
		{"bfe.u32", "bfe.u32 %r30, %r20, %r21, %r22; cvt.u64.u32 %rd30, %r30;", func(a, b, c uint64) uint64 { return slowExtract(a, b&255, c&255, 32, false) }},
		{"bfe.s32", "bfe.s32 %r30, %r20, %r21, %r22; cvt.u64.u32 %rd30, %r30;", func(a, b, c uint64) uint64 { return slowExtract(a, b&255, c&255, 32, true) }},
		{"bfe.s64", "bfe.s64 %rd30, %rd20, %r21, %r22;", func(a, b, c uint64) uint64 { return slowExtract(a, u32(b), u32(c), 64, true) }},
		{"bfe.u64", "bfe.u64 %rd30, %rd20, %r21, %r22;", func(a, b, c uint64) uint64 { return slowExtract(a, u32(b), u32(c), 64, false) }},
		{"bfi.b64", "bfi.b64 %rd30, %rd20, %rd21, 9, %r22;", func(a, b, c uint64) uint64 {
			for i := range min(u32(c), 64-9) {
				b = b&^(1<<(9+i)) | a>>i&1<<(9+i)
			}
			return b
		}},
		{"bfi.b32", "bfi.b32 %r30, %r20, %r21, %r22, 7; cvt.u64.u32 %rd30, %r30;", func(a, b, c uint64) uint64 {
			out := b
			for i := range uint64(7) {
				if p := c&255 + i; p < 32 {
					out = out&^(1<<p) | a>>i&1<<p
				}
			}
			return u32(out)
		}},
		{"popc.b64", "popc.b64 %r30, %rd20; cvt.u64.u32 %rd30, %r30;", func(a, _, _ uint64) uint64 { return uint64(bits.OnesCount64(a)) }},
		{"clz.b32", "clz.b32 %r30, %r20; cvt.u64.u32 %rd30, %r30;", func(a, _, _ uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(a))) }},
		{"brev.b32", "brev.b32 %r30, %r20; cvt.u64.u32 %rd30, %r30;", func(a, _, _ uint64) uint64 { return uint64(bits.Reverse32(uint32(a))) }},
		{"bfind.u32", "bfind.u32 %r30, %r20; cvt.u64.u32 %rd30, %r30;", func(a, _, _ uint64) uint64 { return u32(uint64(bits.Len32(uint32(a)) - 1)) }},
		{"bfind.s64", "bfind.s64 %r30, %rd20; cvt.u64.u32 %rd30, %r30;", func(a, _, _ uint64) uint64 {
			if int64(a) < 0 {
				a = ^a
			}
			return u32(uint64(bits.Len64(a) - 1))
		}},
		{"dp4a.s32.s32", "dp4a.s32.s32 %r30, %r20, %r21, %r22; cvt.u64.u32 %rd30, %r30;", func(a, b, c uint64) uint64 {
			for i := 0; i < 32; i += 8 {
				c += uint64(int64(int8(a>>i)) * int64(int8(b>>i)))
			}
			return u32(c)
		}},
		{"dp4a.u32.s32", "dp4a.u32.s32 %r30, %r20, %r21, %r22; cvt.u64.u32 %rd30, %r30;", func(a, b, c uint64) uint64 {
			for i := 0; i < 32; i += 8 {
				c += uint64(int64(uint8(a>>i)) * int64(int8(b>>i)))
			}
			return u32(c)
		}},
		{"sad.u32", "sad.u32 %r30, %r20, %r21, %r22; cvt.u64.u32 %rd30, %r30;", func(a, b, c uint64) uint64 { return u32(max(u32(a), u32(b)) - min(u32(a), u32(b)) + c) }},
		{"setp.lt.s32", "setp.lt.s32 %p2, %r20, %r21; selp.b64 %rd30, 1, 0, %p2;", func(a, b, _ uint64) uint64 { return truth(s32(a) < s32(b)) }},
		{"setp.hi.u32", "setp.hi.u32 %p2|%p3, %r20, %r21; selp.b64 %rd30, 2, 0, %p2; selp.b64 %rd31, 1, 0, %p3; or.b64 %rd30, %rd30, %rd31;", func(a, b, _ uint64) uint64 { return 1 + truth(u32(a) > u32(b)) }},
		{"setp.and", "setp.ne.s64 %p2, %rd21, 0; setp.ge.and.s64 %p3, %rd20, %rd21, !%p2; selp.b64 %rd30, 1, 0, %p3;", func(a, b, _ uint64) uint64 { return truth(b == 0 && int64(a) >= 0) }},
		{"pack", "mov.b32 %r30, {%h10, %h11}; mov.b32 {%h14, %h15}, %r30; mov.b64 %rd30, {%h15, %h14, %h10, %h11};", func(a, b, _ uint64) uint64 {
			lo, hi := uint64(uint16(a)), uint64(uint16(b))
			return hi | lo<<16 | lo<<32 | hi<<48
		}},
		{"cvt.s64.s8", "cvt.s64.s8 %rd30, %r20;", func(a, _, _ uint64) uint64 { return uint64(int64(int8(a))) }},
		{"cvt.sat.u8.s32", "cvt.sat.u8.s32 %r30, %r20; cvt.u64.u32 %rd30, %r30;", func(a, _, _ uint64) uint64 { return uint64(min(max(s32(a), 0), 255)) }},
		{"cvt.sat.s16.u32", "cvt.sat.s16.u32 %h13, %r20; cvt.u64.u16 %rd30, %h13;", func(a, _, _ uint64) uint64 { return min(u32(a), 32767) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := operandRows(rand.New(rand.NewSource(1)), awkwardInts, 200)
			for i, got := range apply(t, c.code, rows) {
				if want := c.want(rows[i][0], rows[i][1], rows[i][2]); got != want {
					t.Fatalf("%x: got %#x, want %#x", rows[i], got, want)
				}
			}
		})
	}
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// slowExtract is bfe bit by bit: past the operand's end every bit is the sign (or 0).
func slowExtract(a, pos, n uint64, width uint64, signed bool) uint64 {
	if width == 32 {
		a = uint64(uint32(a))
	}
	var sign uint64
	if signed && n > 0 {
		sign = a >> min(pos+n-1, width-1) & 1
	}
	var out uint64
	for i := range width {
		bit := sign
		if i < n && pos+i < width {
			bit = a >> (pos + i) & 1
		}
		out |= bit << i
	}
	return out
}
