package emu

import (
	"strings"
	"testing"
)

// BenchmarkThreadInstrs measures thread instructions per second with every check on, on a
// kernel that mixes what real ones do: loads, fused multiply-adds, shared memory, barriers.
func BenchmarkThreadInstrs(b *testing.B) {
	k := compile(b, kernelText(3, ".shared .align 16 .b8 tile[1024];", `
mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 256, %r1; mul.wide.u32 %rd4, %r3, 4; add.s64 %rd5, %rd2, %rd4;
mul.wide.u32 %rd7, %r1, 4; add.s64 %rd6, %rd1, %rd7;
mov.u64 %rd8, tile; add.s64 %rd9, %rd8, %rd7;
mov.f32 %f3, 0f00000000; mov.u32 %r4, 0;
LOOP:
ld.global.nc.f32 %f1, [%rd6]; fma.rn.f32 %f3, %f1, %f1, %f3;
st.shared.f32 [%rd9], %f3; bar.sync 0;
xor.b32 %r5, %r1, 1; mul.wide.u32 %rd10, %r5, 4; add.s64 %rd11, %rd8, %rd10; ld.shared.f32 %f4, [%rd11];
fma.rn.f32 %f3, %f4, 0f3F000000, %f3; mul.f32 %f3, %f3, 0f3F000000; bar.sync 0;
add.s64 %rd6, %rd6, 1024; add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, 32; @%p1 bra LOOP;
st.global.f32 [%rd5], %f3;`))
	in := BufferOf("in", make([]byte, 1024*32))
	out := NewBuffer("out", 1024*8)
	var n uint64
	b.ResetTimer()
	for range b.N {
		r := launch(b, k, shape(8, 256), Param{Buf: in}, Param{Buf: out, Multi: true}, Param{Buf: in})
		clean(b, r)
		n += r.ThreadInstrs
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Minstr/s")
}

// BenchmarkTensor is the inner loop of a matrix multiplication: cp.async, ldmatrix, mma.
func BenchmarkTensor(b *testing.B) {
	body := `mov.u64 %rd6, tile; mad.wide.u32 %rd7, %r1, 16, %rd6; mad.wide.u32 %rd8, %r1, 16, %rd1; cvt.u32.u64 %r5, %rd7; mov.u32 %r4, 0;
mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;
LOOP: cp.async.cg.shared.global [%rd7], [%rd8], 16; cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r5]; ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r14, %r15}, [%r5];
` + strings.Repeat("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r10, %r11, %r12, %r13}, {%r14, %r15}, {%f1, %f2, %f3, %f4};\n", 8) + `
bar.sync 0; add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, 8; @%p1 bra LOOP;
mad.wide.u32 %rd9, %r1, 4, %rd2; st.global.f32 [%rd9], %f1;`
	k := compile(b, kernelText(2, ".shared .align 16 .b8 tile[2048];", body))
	in, out := BufferOf("in", make([]byte, 2048)), NewBuffer("out", 512)
	var products uint64
	b.ResetTimer()
	for range b.N {
		clean(b, launch(b, k, shape(1, 128), Param{Buf: in}, Param{Buf: out, Multi: true}))
		products += 4 * 8 * 8 * 16 * 8 * 16
	}
	b.ReportMetric(float64(products)/b.Elapsed().Seconds()/1e6, "Mmac/s")
}

// BenchmarkStream copies global memory with 16-byte accesses.
func BenchmarkStream(b *testing.B) {
	k := compile(b, kernelText(2, "", `mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 256, %r1; mad.wide.u32 %rd4, %r3, 16, %rd1; mad.wide.u32 %rd5, %r3, 16, %rd2;
ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd4]; st.global.v4.u32 [%rd5], {%r4, %r5, %r6, %r7};`))
	in, out := BufferOf("in", make([]byte, 1<<20)), NewBuffer("out", 1<<20)
	var n uint64
	b.ResetTimer()
	for range b.N {
		r := launch(b, k, shape(256, 256), Param{Buf: in}, Param{Buf: out, Cover: []Range{{0, 1 << 20}}})
		clean(b, r)
		n += r.ThreadInstrs
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Minstr/s")
}
