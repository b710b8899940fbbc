package emu

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand"
	"testing"
)

// perThread runs body with %rd5 = out + 4*tid and returns the words that 64 threads stored
// from %r30.
func perThread(t *testing.T, vars, body string) []uint32 {
	t.Helper()
	k := compile(t, kernelText(1, vars, "mad.wide.u32 %rd5, %r1, 4, %rd1; and.b32 %r2, %r1, 31; shr.u32 %r3, %r1, 5;\n"+body+"\nst.global.u32 [%rd5], %r30;"))
	out := NewBuffer("out", 256)
	clean(t, launch(t, k, shape(1, 64), Param{Buf: out, Cover: []Range{{0, 256}}}))
	res := make([]uint32, 64)
	for i := range res {
		res[i] = binary.LittleEndian.Uint32(out.Data[4*i:])
	}
	return res
}

func TestControlFlowAndWarps(t *testing.T) {
	for _, c := range []struct {
		name, code string
		want       func(tid int) uint32
	}{
		{"if else", "setp.lt.u32 %p1, %r2, 10; @%p1 bra A; mov.u32 %r30, 1; bra.uni B; A: mov.u32 %r30, 2; B: activemask.b32 %r4; popc.b32 %r4, %r4; add.u32 %r30, %r30, %r4;",
			func(i int) uint32 { return map[bool]uint32{true: 34, false: 33}[i&31 < 10] }},
		{"nested", `mov.u32 %r30, 0; setp.lt.u32 %p1, %r2, 20; @!%p1 bra END; setp.lt.u32 %p2, %r2, 5; @%p2 bra IN; add.u32 %r30, %r30, 1; bra JOIN;
			IN: setp.eq.u32 %p3, %r2, 3; @%p3 bra DEEP; add.u32 %r30, %r30, 10; bra JOIN2; DEEP: add.u32 %r30, %r30, 100; JOIN2: JOIN: activemask.b32 %r4; popc.b32 %r4, %r4; add.u32 %r30, %r30, %r4; END:`,
			func(i int) uint32 {
				switch l := i & 31; {
				case l >= 20:
					return 0
				case l == 3:
					return 120
				case l < 5:
					return 30
				}
				return 21
			}},
		{"trip counts", "mov.u32 %r30, 0; mov.u32 %r4, 0; L: add.u32 %r30, %r30, %r4; add.u32 %r4, %r4, 1; setp.le.u32 %p1, %r4, %r2; @%p1 bra L; activemask.b32 %r5; popc.b32 %r5, %r5; mad.lo.u32 %r30, %r5, 1000, %r30;",
			func(i int) uint32 { l := uint32(i & 31); return 32000 + l*(l+1)/2 }},
		{"continue", "mov.u32 %r30, 0; mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; and.b32 %r5, %r4, %r2; setp.ne.u32 %p1, %r5, 0; @%p1 bra NEXT; add.u32 %r30, %r30, 1; NEXT: setp.lt.u32 %p2, %r4, 31; @%p2 bra L;",
			func(i int) uint32 {
				n := uint32(0)
				for j := 1; j < 32; j++ {
					if j&i&31 == 0 {
						n++
					}
				}
				return n
			}},
		{"early exit", "mov.u32 %r30, 7; setp.lt.u32 %p1, %r2, 8; @!%p1 bra GO; st.global.u32 [%rd5], %r30; ret; GO: bar.sync 0; activemask.b32 %r30;",
			func(i int) uint32 { return map[bool]uint32{true: 7, false: 0xffffff00}[i&31 < 8] }},
		{"early exit inside if", `mov.u32 %r30, 9; setp.lt.u32 %p1, %r2, 16; @!%p1 bra J; setp.lt.u32 %p2, %r2, 4; @!%p2 bra K; st.global.u32 [%rd5], %r30; ret; K: add.u32 %r30, %r30, 1; J: activemask.b32 %r4; mad.lo.u32 %r30, %r4, 16, %r30;`,
			func(i int) uint32 {
				switch l := i & 31; {
				case l < 4:
					return 9
				case l < 16:
					return 0xffffff00 + 10
				}
				return 0xffffff00 + 9
			}},
		{"predicated", "mov.u32 %r30, 1; setp.gt.u32 %p1, %r2, 5; @%p1 mov.u32 %r30, 2; @!%p1 add.u32 %r30, %r30, 5;", func(i int) uint32 { return map[bool]uint32{true: 2, false: 6}[i&31 > 5] }},
		{"special", "mov.u32 %r4, %laneid; mov.u32 %r5, %warpid; mov.u32 %r6, %ntid.x; mov.u32 %r7, %lanemask_lt; add.u32 %r30, %r4, %r5; add.u32 %r30, %r30, %r6; popc.b32 %r7, %r7; add.u32 %r30, %r30, %r7;",
			func(i int) uint32 { return uint32(2*(i&31) + i/32 + 64) }},
		{"shfl.bfly", "shfl.sync.bfly.b32 %r30, %r1, 5, 31, -1;", func(i int) uint32 { return uint32(i ^ 5) }},
		{"shfl.down", "shfl.sync.down.b32 %r30|%p1, %r1, 3, 31, -1; @!%p1 add.u32 %r30, %r30, 100;", func(i int) uint32 {
			if i&31 > 28 {
				return uint32(i + 100)
			}
			return uint32(i + 3)
		}},
		{"shfl.up width 8", "shfl.sync.up.b32 %r30, %r1, 2, 0x1800, -1;", func(i int) uint32 {
			if i&7 < 2 {
				return uint32(i)
			}
			return uint32(i - 2)
		}},
		{"shfl.idx", "shfl.sync.idx.b32 %r30, %r1, 9, 31, -1;", func(i int) uint32 { return uint32(i&32 + 9) }},
		{"ballot", "setp.lt.u32 %p1, %r2, 7; vote.sync.ballot.b32 %r30, %p1, -1;", func(int) uint32 { return 0x7f }},
		{"any all", "setp.eq.u32 %p1, %r1, 40; vote.sync.any.pred %p2, %p1, -1; vote.sync.all.pred %p3, !%p1, -1; selp.u32 %r30, 1, 0, %p2; @%p3 add.u32 %r30, %r30, 2;",
			func(i int) uint32 { return map[bool]uint32{true: 1, false: 2}[i >= 32] }},
		{"match.any", "and.b32 %r4, %r2, 3; match.any.sync.b32 %r30, %r4, -1;", func(i int) uint32 { return 0x11111111 << (i & 3) }},
		{"redux", "redux.sync.max.s32 %r30, %r2, -1; redux.sync.add.u32 %r4, %r2, -1; add.u32 %r30, %r30, %r4;", func(int) uint32 { return 31 + 31*16 }},
		{"elect", "elect.sync %r30|%p1, -1; @%p1 add.u32 %r30, %r30, 5;", func(i int) uint32 { return map[bool]uint32{true: 5, false: 0}[i&31 == 0] }},
		{"local memory", "mov.u64 %rd8, depot; cvta.local.u64 %rd9, %rd8; st.u32 [%rd9+4], %r1; st.local.v2.u32 [%rd8+8], {%r2, %r3}; ld.local.u32 %r4, [%rd8+4]; ld.u32 %r5, [%rd9+12]; add.u32 %r30, %r4, %r5;",
			func(i int) uint32 { return uint32(i + i/32) }},
		{"generic shared", "mov.u64 %rd8, tile; cvta.shared.u64 %rd9, %rd8; mad.wide.u32 %rd10, %r1, 4, %rd9; st.u32 [%rd10], %r1; bar.sync 0; xor.b32 %r4, %r1, 32; mad.wide.u32 %rd11, %r4, 4, %rd9; cvta.to.shared.u64 %rd12, %rd11; ld.shared.u32 %r30, [%rd12];",
			func(i int) uint32 { return uint32(i ^ 32) }},
		{"shared by 32-bit address", "mov.u32 %r8, tile; mad.lo.u32 %r9, %r1, 4, %r8; st.shared.u32 [%r9], %r2; ld.shared.u32 %r30, [%r9];", func(i int) uint32 { return uint32(i & 31) }},
		{"const", "and.b32 %r4, %r1, 1; mul.wide.u32 %rd8, %r4, 4; mov.u64 %rd9, table; add.s64 %rd9, %rd9, %rd8; ld.const.u32 %r30, [%rd9]; ld.const.u32 %r5, [table+4]; add.u32 %r30, %r30, %r5;",
			func(i int) uint32 { return uint32(11*(i&1+1) + 22) }},
		{"shared atomics", "setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [tile], 5; bar.sync 0; atom.shared.add.u32 %r4, [tile], 2; bar.sync 0; ld.shared.u32 %r30, [tile];", func(int) uint32 { return 133 }},
		{"barrier for one warp", "setp.ne.u32 %p1, %r3, 0; @%p1 bra S; mov.u32 %r30, 1; barrier.sync 3, 32; bra E; S: mov.u32 %r30, 2; E: bar.sync 0;", func(i int) uint32 { return uint32(1 + i/32) }},
		{"partial mask", "setp.lt.u32 %p1, %r2, 16; @!%p1 bra O; shfl.sync.bfly.b32 %r30, %r2, 1, 31, 0xffff; bra F; O: mov.u32 %r30, 50; F:", func(i int) uint32 {
			if i&31 < 16 {
				return uint32(i&31 ^ 1)
			}
			return 50
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			vars := ".shared .align 16 .b8 tile[256];\n.const .align 4 .u32 table[2] = {11, 22};\n"
			code := c.code
			if c.name == "local memory" {
				code = ".local .align 8 .b8 depot[16];\n" + code
			}
			for i, got := range perThread(t, vars, code) {
				if want := c.want(i); got != want {
					t.Fatalf("thread %d: got %d (%#x), want %d", i, got, got, want)
				}
			}
		})
	}
}

func TestGlobalAtomics(t *testing.T) {
	for _, c := range []struct {
		op   string
		init uint32
		want uint32
	}{
		{"red.global.add.u32 [%rd1], %r1", 3, 3 + 4*63*32}, {"red.global.max.s32 [%rd1], %r1", 0xffffffff, 63}, {"atom.global.min.u32 %r5, [%rd1], %r1", 77, 0},
		{"red.global.add.f32 [%rd1], 0f3F800000", 0, 0x43800000}, {"atom.global.or.b32 %r5, [%rd1], %r1", 128, 191}, {"atom.global.inc.u32 %r5, [%rd1], 9", 0, 6},
		{"atom.global.cas.b32 %r5, [%rd1], 4, 9", 4, 9}, {"atom.global.exch.b32 %r5, [%rd1], %r1", 4, 63},
	} {
		k := compile(t, kernelText(1, "", c.op+";"))
		out := BufferOf("out", words(c.init))
		clean(t, launch(t, k, shape(4, 64), Param{Buf: out, Access: Accum}))
		if got := binary.LittleEndian.Uint32(out.Data); got != c.want {
			t.Errorf("%s: got %#x, want %#x", c.op, got, c.want)
		}
	}
}

// mmaCase is a shape with its fragment sizes in registers.
type mmaCase struct {
	op         string
	k          int
	a, b, c    int
	kind       string // of A and B elements
	accumulate string
}

// TestMatrixMultiply compares with float64 sums; the fragment layout is written out anew here.
func TestMatrixMultiply(t *testing.T) {
	rng := rand.New(rand.NewSource(6))
	for _, c := range []mmaCase{
		{"m16n8k16.row.col.f32.f16.f16.f32", 16, 4, 2, 4, "f16", "f32"},
		{"m16n8k8.row.col.f32.f16.f16.f32", 8, 2, 1, 4, "f16", "f32"},
		{"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 4, 2, 4, "bf16", "f32"},
		{"m16n8k8.row.col.f32.bf16.bf16.f32", 8, 2, 1, 4, "bf16", "f32"},
		{"m16n8k16.row.col.f16.f16.f16.f16", 16, 4, 2, 2, "f16", "f16"},
		{"m16n8k8.row.col.f32.tf32.tf32.f32", 8, 4, 2, 4, "tf32", "f32"},
		{"m16n8k32.row.col.s32.s8.s8.s32", 32, 4, 2, 4, "s8", "s32"},
		{"m16n8k32.row.col.s32.u8.s8.s32", 32, 4, 2, 4, "u8", "s32"},
		{"m16n8k16.row.col.s32.s8.s8.s32", 16, 2, 1, 4, "s8", "s32"},
	} {
		t.Run(c.op, func(t *testing.T) {
			per := map[string]int{"f16": 2, "bf16": 2, "tf32": 1, "s8": 4, "u8": 4}[c.kind]
			code := func(side string) (bits uint64, v float64) {
				switch {
				case c.kind == "f16":
					bits = uint64(half.encode(rng.NormFloat64(), nearest))
					return bits, f16(bits)
				case c.kind == "bf16":
					bits = uint64(bfloat.encode(rng.NormFloat64(), nearest))
					return bits, bf16(bits)
				case c.kind == "tf32":
					bits = uint64(tfloat32.encode(rng.NormFloat64(), nearest)) << 13
					return bits, float64(f32(bits))
				case c.kind == "u8" && side == "a":
					bits = uint64(rng.Intn(256))
					return bits, float64(bits)
				}
				n := rng.Intn(256) - 128
				return uint64(uint8(n)), float64(n)
			}
			var A [16][32]float64
			var B [32][8]float64
			regs := make([]uint32, 32*(c.a+c.b+c.c)) // [lane][reg]
			at := func(l, r int) *uint32 { return &regs[l*(c.a+c.b+c.c)+r] }
			width := 32 / per
			for row := range 16 {
				for k := range c.k {
					b, v := code("a")
					A[row][k] = v
					l, reg := row%8*4+k%(4*per)/per, row/8+2*(k/(4*per))
					*at(l, reg) |= uint32(b) << (k % per * width)
				}
			}
			for k := range c.k {
				for col := range 8 {
					b, v := code("b")
					B[k][col] = v
					*at(col*4+k%(4*per)/per, c.a+k/(4*per)) |= uint32(b) << (k % per * width)
				}
			}
			var C [16][8]float64
			for row := range 16 {
				for col := range 8 {
					l, i := row%8*4+col/2, row/8*2+col%2
					switch c.accumulate {
					case "f32":
						x := float32(rng.NormFloat64())
						C[row][col] = float64(x)
						*at(l, c.a+c.b+i) = math.Float32bits(x)
					case "s32":
						x := int32(rng.Intn(2000) - 1000)
						C[row][col] = float64(x)
						*at(l, c.a+c.b+i) = uint32(x)
					default:
						x := half.encode(rng.NormFloat64(), nearest)
						C[row][col] = f16(uint64(x))
						*at(l, c.a+c.b+i/2) |= x << (16 * (i % 2))
					}
				}
			}
			total := c.a + c.b + c.c
			body := fmt.Sprintf("mul.wide.u32 %%rd4, %%r1, %d; add.s64 %%rd4, %%rd4, %%rd1; mul.wide.u32 %%rd5, %%r1, %d; add.s64 %%rd5, %%rd5, %%rd2;\n", 4*total, 4*c.c)
			list := func(from, n int) string {
				s := ""
				for i := range n {
					s += fmt.Sprintf(", %%r%d", 10+from+i)
				}
				return "{" + s[2:] + "}"
			}
			for i := range total {
				body += fmt.Sprintf("ld.global.u32 %%r%d, [%%rd4+%d];\n", 10+i, 4*i)
			}
			body += "mma.sync.aligned." + c.op + " " + list(30, c.c) + ", " + list(0, c.a) + ", " + list(c.a, c.b) + ", " + list(c.a+c.b, c.c) + ";\n"
			for i := range c.c {
				body += fmt.Sprintf("st.global.u32 [%%rd5+%d], %%r%d;\n", 4*i, 40+i)
			}
			k := compile(t, kernelText(2, "", body))
			out := NewBuffer("out", 128*c.c)
			clean(t, launch(t, k, shape(1, 32), Param{Buf: BufferOf("in", words(regs...))}, Param{Buf: out}))
			for row := range 16 {
				for col := range 8 {
					sum, abs := C[row][col], math.Abs(C[row][col])
					for k := range c.k {
						sum += A[row][k] * B[k][col]
						abs += math.Abs(A[row][k] * B[k][col])
					}
					l, i := row%8*4+col/2, row/8*2+col%2
					var got, tol float64
					switch c.accumulate {
					case "f32":
						got, tol = float64(f32(uint64(binary.LittleEndian.Uint32(out.Data[4*(l*4+i):])))), abs*0x1p-21
					case "s32":
						got = float64(int32(binary.LittleEndian.Uint32(out.Data[4*(l*4+i):])))
					default:
						got, tol = f16(uint64(binary.LittleEndian.Uint16(out.Data[4*(l*2)+2*i:]))), math.Abs(sum)*0x1p-11+0x1p-24
					}
					if math.Abs(got-sum) > tol {
						t.Fatalf("D[%d][%d] = %g, want %g within %g", row, col, got, sum, tol)
					}
				}
			}
		})
	}
}

func TestLoadAndStoreMatrix(t *testing.T) {
	// 4 tiles of 8 rows of 16 bytes; element (tile, row, col) is tile*64+row*8+col
	fill := "mul.wide.u32 %rd6, %r2, 16; mov.u64 %rd7, tile; add.s64 %rd6, %rd6, %rd7; shl.b32 %r5, %r2, 3; "
	for i := range 8 {
		fill += fmt.Sprintf("add.u32 %%r6, %%r5, %d; st.shared.u16 [%%rd6+%d], %%r6; ", i, 2*i)
	}
	for _, trans := range []bool{false, true} {
		name := "ldmatrix.sync.aligned.m8n8.x4"
		if trans {
			name += ".trans"
		}
		for tile := range 4 {
			body := "setp.gt.u32 %p1, %r1, 31; mov.u32 %r30, 0; @%p1 bra OUT; " + fill + "bar.warp.sync -1; " + name +
				".shared.b16 {%r40, %r41, %r42, %r43}, [%rd6]; mov.u32 %r30, %r" + fmt.Sprint(40+tile) + "; OUT:"
			for i, got := range perThread(t, ".shared .align 16 .b8 tile[512];", body)[:32] {
				r, e := i/4, 2*(i%4)
				want := uint32(tile*64+r*8+e) | uint32(tile*64+r*8+e+1)<<16
				if trans {
					want = uint32(tile*64+e*8+r) | uint32(tile*64+(e+1)*8+r)<<16
				}
				if got != want {
					t.Fatalf("trans %v tile %d lane %d: got %#x, want %#x", trans, tile, i, got, want)
				}
			}
		}
	}
	// stmatrix puts back what ldmatrix took
	body := "setp.gt.u32 %p1, %r1, 31; mov.u32 %r30, 0; @%p1 bra OUT; " + fill + "bar.warp.sync -1; ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r40, %r41, %r42, %r43}, [%rd6]; bar.warp.sync -1;" +
		"stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%rd6], {%r40, %r41, %r42, %r43}; bar.warp.sync -1; ld.shared.u16 %r30, [%rd6+6]; OUT:"
	for i, got := range perThread(t, ".shared .align 16 .b8 tile[512];", body)[:32] {
		if want := uint32(8*i + 3); got != want {
			t.Fatalf("row %d: got %d, want %d", i, got, want)
		}
	}
}

func TestBlocksAndThreads(t *testing.T) {
	k := compile(t, kernelText(1, "", `
mov.u32 %r2, %tid.y; mov.u32 %r3, %ctaid.y; mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %nctaid.x; mov.u32 %r7, %ctaid.x;
mad.lo.u32 %r8, %r2, %r4, %r1; mad.lo.u32 %r9, %r3, %r6, %r7; mul.lo.u32 %r10, %r4, %r5; mad.lo.u32 %r11, %r9, %r10, %r8;
mad.wide.u32 %rd5, %r11, 4, %rd1; st.global.u32 [%rd5], %r11;`))
	out := NewBuffer("out", 4*3*2*5*7)
	l := shape(3, 5)
	l.Grid[1], l.Block[1] = 2, 7
	clean(t, launch(t, k, l, Param{Buf: out, Cover: []Range{{0, len(out.Data)}}}))
	for i := range len(out.Data) / 4 {
		if got := binary.LittleEndian.Uint32(out.Data[4*i:]); got != uint32(i) {
			t.Fatalf("word %d: got %d", i, got)
		}
	}
}

func TestCountsLanes(t *testing.T) {
	k := compile(t, kernelText(0, "", "setp.lt.u32 %p1, %r1, 4; @%p1 ret; activemask.b32 %r2;"))
	r := launch(t, k, shape(2, 40))
	// mov, setp, ret for all 40; activemask, ret for 36
	if want := uint64(2 * (3*40 + 2*36)); r.ThreadInstrs != want {
		t.Errorf("got %d thread instructions, want %d", r.ThreadInstrs, want)
	}
	if bits.OnesCount64(r.WarpInstrs) == 0 {
		t.Error("no warp instructions counted")
	}
}
