package emu

import "testing"

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
