package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"
	"strings"
)

// tile is one mma: how many registers its operands have, what its elements are.
type tile struct {
	op         string
	a, b, c    int
	kind       string
	accumulate string // f32, f16 or s32
}

var tiles = []tile{
	{"m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, "f16", "f32"},
	{"m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, "f16", "f32"},
	{"m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, "f16", "f16"},
	{"m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, "bf16", "f32"},
	{"m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, 4, "bf16", "f32"},
	{"m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, "tf32", "f32"},
	{"m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4, "s8", "s32"},
	{"m16n8k32.row.col.s32.u8.s8.s32", 4, 2, 4, "s8", "s32"},
	{"m16n8k16.row.col.s32.s8.s8.s32", 2, 1, 4, "s8", "s32"},
}

const mmaWarps = 32

// mmaKernel runs one shape on random fragments: 64 bytes a lane in (A, B, C registers), 16 out.
func mmaKernel(n int, t tile) kernel {
	name := fmt.Sprintf("p_mma_%d", n)
	rng := rand.New(rand.NewSource(int64(30 + n)))
	in := make([]byte, 64*32*mmaWarps)
	for l := range 32 * mmaWarps {
		for r := range t.a + t.b + t.c {
			kind := t.kind
			if r >= t.a+t.b {
				kind = t.accumulate
			}
			binary.LittleEndian.PutUint32(in[64*l+4*r:], element(rng, kind))
		}
	}
	regs := func(from, n int) string {
		var s []string
		for i := range n {
			s = append(s, fmt.Sprintf("%%r%d", from+i))
		}
		return "{" + strings.Join(s, ", ") + "}"
	}
	var b strings.Builder
	fmt.Fprintf(&b, ".visible .entry %s(.param .u64 %[1]s_param_0, .param .u64 %[1]s_param_1)\n{\n\t.reg .b32 %%r<40>;\n\t.reg .b64 %%rd<10>;\n", name)
	fmt.Fprintf(&b, "\tld.param.u64 %%rd1, [%s_param_0];\n\tld.param.u64 %%rd2, [%[1]s_param_1];\n\tmov.u32 %%r1, %%tid.x;\n\tmov.u32 %%r2, %%ctaid.x;\n\tmad.lo.u32 %%r3, %%r2, 32, %%r1;\n\tmad.wide.u32 %%rd3, %%r3, 64, %%rd1;\n\tmad.wide.u32 %%rd4, %%r3, 16, %%rd2;\n", name)
	for r := range t.a + t.b + t.c {
		fmt.Fprintf(&b, "\tld.global.u32 %%r%d, [%%rd3+%d];\n", 10+r, 4*r)
	}
	fmt.Fprintf(&b, "\tmov.u32 %%r32, 0;\n\tmov.u32 %%r33, 0;\n\tmma.sync.aligned.%s %s, %s, %s, %s;\n", t.op, regs(30, t.c), regs(10, t.a), regs(10+t.a, t.b), regs(10+t.a+t.b, t.c))
	b.WriteString("\tst.global.v4.u32 [%rd4], {%r30, %r31, %r32, %r33};\n\tret;\n}\n")
	return kernel{name: name, blocks: mmaWarps, threads: 32, in: in, out: 16 * 32 * mmaWarps, text: b.String(), scaled: true,
		compare: func(gpu, emu, scale []byte) error { return t.check(name, gpu, emu, scale) }}
}

// element is a register of random elements; magnitudes vary so that order of summation shows.
func element(rng *rand.Rand, kind string) uint32 {
	x := math.Ldexp(rng.NormFloat64(), rng.Intn(7)-3)
	switch kind {
	case "f32":
		return math.Float32bits(float32(x))
	case "tf32":
		return math.Float32bits(float32(x)) &^ 0x1fff
	case "bf16":
		y := math.Ldexp(rng.NormFloat64(), rng.Intn(7)-3)
		return math.Float32bits(float32(x))>>16 | math.Float32bits(float32(y))&0xffff0000
	case "f16": // exponents 2^-5 to 2^4
		h := func() uint32 { return uint32(10+rng.Intn(10))<<10 | uint32(rng.Intn(1<<10)) | uint32(rng.Intn(2))<<15 }
		return h() | h()<<16
	case "s32":
		return uint32(rng.Intn(1<<21) - 1<<20)
	}
	return rng.Uint32()
}

// unsigned clears the signs of an mma's operands: its output is then the sum of absolute products.
func (t tile) unsigned(in []byte) []byte {
	out := append([]byte(nil), in...)
	masks := map[string]uint32{"f32": 0x7fffffff, "tf32": 0x7fffffff, "f16": 0x7fff7fff, "bf16": 0x7fff7fff}
	for l := 0; l < len(in); l += 64 {
		for r := range t.a + t.b + t.c {
			kind := t.kind
			if r >= t.a+t.b {
				kind = t.accumulate
			}
			if m, ok := masks[kind]; ok {
				binary.LittleEndian.PutUint32(out[l+4*r:], binary.LittleEndian.Uint32(in[l+4*r:])&m)
			}
		}
	}
	return out
}

func (t tile) check(name string, gpu, emu, scale []byte) error {
	worst := 0.0
	for i := 0; i < len(gpu); i += 4 {
		x, y, s := binary.LittleEndian.Uint32(gpu[i:]), binary.LittleEndian.Uint32(emu[i:]), binary.LittleEndian.Uint32(scale[i:])
		switch t.accumulate {
		case "s32":
			if x != y {
				return fmt.Errorf("%s (%s): word %d: GPU %#x, emulator %#x", name, t.op, i/4, x, y)
			}
		case "f32":
			a, b := float64(math.Float32frombits(x)), float64(math.Float32frombits(y))
			if c := float64(math.Float32frombits(s)); a != b {
				worst = max(worst, math.Abs(a-b)/c)
			}
			if !(worst <= 0x1p-21) { // a NaN too
				return fmt.Errorf("%s (%s): word %d: GPU %g, emulator %g: apart by 2^%.2f of the sum of absolute products, 2^-21 allowed", name, t.op, i/4, a, b, math.Log2(worst))
			}
		default:
			for h := 0; h < 32; h += 16 {
				if d := ulps(x>>h&0xffff, y>>h&0xffff, 15, 0x7c00); d > 1 && math.Abs(halfValue(x>>h)-halfValue(y>>h)) > 0x1p-10*halfValue(s>>h) {
					return fmt.Errorf("%s (%s): word %d: GPU %#x, emulator %#x", name, t.op, i/4, x, y)
				}
			}
		}
	}
	return nil
}

func halfValue(h uint32) float64 {
	e, m := int(h>>10&31), float64(h&1023)
	v := math.Ldexp(m+1024, e-25)
	if e == 0 {
		v = math.Ldexp(m, -24)
	}
	if h>>15&1 != 0 {
		v = -v
	}
	return v
}

// matrixKernel loads tiles from shared memory in all forms of ldmatrix, and puts one back.
func matrixKernel() kernel {
	in := make([]byte, 512)
	rand.New(rand.NewSource(50)).Read(in)
	text := `.visible .entry p_ldmatrix(.param .u64 p_ldmatrix_param_0, .param .u64 p_ldmatrix_param_1)
{
	.reg .b32 %r<40>;
	.reg .b64 %rd<10>;
	.shared .align 16 .b8 tile[512];
	ld.param.u64 %rd1, [p_ldmatrix_param_0];
	ld.param.u64 %rd2, [p_ldmatrix_param_1];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %rd3, %r1, 16, %rd1;
	mad.wide.u32 %rd4, %r1, 64, %rd2;
	ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd3];
	mov.u32 %r2, tile;
	mad.lo.u32 %r3, %r1, 16, %r2;
	st.shared.v4.u32 [%r3], {%r10, %r11, %r12, %r13};
	bar.sync 0;
	ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r14, %r15, %r16, %r17}, [%r3];
	ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r18, %r19, %r20, %r21}, [%r3];
	ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r22, %r23}, [%r3];
	ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r24}, [%r3];
	bar.sync 0;
	stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r3], {%r17, %r16, %r15, %r14};
	bar.sync 0;
	ld.shared.v4.u32 {%r25, %r26, %r27, %r28}, [%r3];
	st.global.v4.u32 [%rd4], {%r14, %r15, %r16, %r17};
	st.global.v4.u32 [%rd4+16], {%r18, %r19, %r20, %r21};
	st.global.v4.u32 [%rd4+32], {%r22, %r23, %r24, %r24};
	st.global.v4.u32 [%rd4+48], {%r25, %r26, %r27, %r28};
	ret;
}
`
	return kernel{name: "p_ldmatrix", blocks: 1, threads: 32, in: in, out: 2048, text: text, compare: func(gpu, emu, _ []byte) error {
		for i := range gpu {
			if gpu[i] != emu[i] {
				return fmt.Errorf("p_ldmatrix: byte %d (lane %d): GPU %#x, emulator %#x", i, i/64, gpu[i], emu[i])
			}
		}
		return nil
	}}
}
