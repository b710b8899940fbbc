package emu

import (
	"testing"

	"dsac/codegen/ptx"
)

// analysed are kernels of (in, out, index) with what the analysis must say of the output for a
// grid of 5 blocks of 96 threads (in: 64 KiB of small numbers, index: words below 2000).
var analysed = []struct {
	name, body string
	exact      bool       // coverage must be decided
	cover      []ptx.Span // then this
}{
	{"one word per thread", flatIndex + "mad.wide.u32 %rd5, %r4, 4, %rd2; st.global.u32 [%rd5], %r4;", true, []ptx.Span{{Lo: 0, Hi: 1920}}},
	{"guarded", flatIndex + "setp.ge.u32 %p1, %r4, 333; @%p1 bra END; mad.wide.u32 %rd5, %r4, 4, %rd2; st.global.u32 [%rd5], %r4; END:", true, []ptx.Span{{Lo: 0, Hi: 1332}}},
	{"predicated store", flatIndex + "setp.lt.s32 %p1, %r4, 7; mul.wide.s32 %rd5, %r4, 8; add.s64 %rd5, %rd5, %rd2; @%p1 st.global.v2.u32 [%rd5], {%r4, %r4};", true, []ptx.Span{{Lo: 0, Hi: 56}}},
	{"every other word", flatIndex + "shl.b32 %r5, %r4, 3; cvt.u64.u32 %rd5, %r5; add.s64 %rd5, %rd2, %rd5; setp.lt.u32 %p1, %r1, 3; @%p1 st.global.u32 [%rd5+4], %r4;", true, nil},
	{"two halves", flatIndex + "mad.wide.u32 %rd5, %r4, 8, %rd2; st.global.u32 [%rd5], %r4; st.global.u32 [%rd5+4], %r4;", true, []ptx.Span{{Lo: 0, Hi: 3840}}},
	{"warp and lane", flatIndex + "shr.u32 %r5, %r1, 5; and.b32 %r6, %r1, 31; mad.lo.u32 %r7, %r2, 3, %r5; shl.b32 %r7, %r7, 7; mad.lo.u32 %r7, %r6, 4, %r7; cvt.u64.u32 %rd5, %r7; add.s64 %rd5, %rd5, %rd2; st.global.u32 [%rd5], %r7;", true, []ptx.Span{{Lo: 0, Hi: 1920}}},
	{"one warp, by shift", flatIndex + "shr.u32 %r5, %r1, 5; setp.ne.u32 %p1, %r5, 2; @%p1 bra END; and.b32 %r6, %r1, 31; mad.lo.u32 %r7, %r2, 32, %r6; mad.wide.u32 %rd5, %r7, 4, %rd2; st.global.u32 [%rd5], %r7; END:", true, nil},
	{"first thread", flatIndex + "setp.ne.s32 %p1, %r1, 0; @%p1 bra END; mad.wide.u32 %rd5, %r2, 16, %rd2; st.global.v4.u32 [%rd5], {%r1, %r1, %r1, %r2}; END:", true, []ptx.Span{{Lo: 0, Hi: 80}}},
	{"bottom-tested loop by pointer", flatIndex + "mad.wide.u32 %rd5, %r4, 4, %rd2; mov.u32 %r6, 4; L: st.global.u32 [%rd5], %r6; add.s64 %rd5, %rd5, 1920; add.s32 %r6, %r6, -1; setp.ne.s32 %p1, %r6, 0; @%p1 bra L;", true, []ptx.Span{{Lo: 0, Hi: 7680}}},
	{"top-tested loop", flatIndex + "mov.u32 %r6, 0; L: setp.ge.s32 %p1, %r6, 3; @%p1 bra END; mad.lo.s32 %r7, %r6, 480, %r4; mul.wide.u32 %rd6, %r7, 4; add.s64 %rd5, %rd2, %rd6; st.global.u32 [%rd5], %r6; add.s32 %r6, %r6, 1; bra L; END:", true, []ptx.Span{{Lo: 0, Hi: 5760}}},
	{"grid-stride, ragged", flatIndex + "setp.gt.s32 %p1, %r4, 1233; @%p1 bra END; L: mul.wide.s32 %rd6, %r4, 4; add.s64 %rd5, %rd2, %rd6; st.global.u32 [%rd5], %r4; add.s32 %r4, %r4, 480; setp.lt.s32 %p2, %r4, 1234; @%p2 bra L; END:", true, []ptx.Span{{Lo: 0, Hi: 4936}}},
	{"grid-stride, top-tested", flatIndex + "L: setp.ge.s32 %p1, %r4, 1234; @%p1 bra END; mul.wide.s32 %rd6, %r4, 4; add.s64 %rd5, %rd2, %rd6; st.global.u32 [%rd5], %r4; add.s32 %r4, %r4, 480; bra L; END:", true, []ptx.Span{{Lo: 0, Hi: 4936}}},
	{"after a loop", flatIndex + "mov.u32 %r6, 0; L: add.s32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 5; @%p1 bra L; mad.wide.u32 %rd5, %r4, 4, %rd2; st.global.u32 [%rd5], %r6;", true, []ptx.Span{{Lo: 0, Hi: 1920}}},
	{"after an if", flatIndex + "setp.lt.u32 %p1, %r1, 9; mov.u32 %r6, 0; @%p1 bra J; mov.u32 %r6, 1; J: mad.wide.u32 %rd5, %r4, 4, %rd2; st.global.u32 [%rd5], %r6;", true, []ptx.Span{{Lo: 0, Hi: 1920}}},
	{"nested loops", flatIndex + "setp.ne.u32 %p3, %r4, 0; @%p3 bra END; mov.u32 %r6, 0; O: mov.u32 %r7, 0; I: mad.lo.u32 %r8, %r6, 5, %r7; mad.wide.u32 %rd5, %r8, 4, %rd2; st.global.u32 [%rd5], %r8; add.s32 %r7, %r7, 1; setp.ne.u32 %p1, %r7, 5; @%p1 bra I; add.s32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 6; @%p2 bra O; END:", true, []ptx.Span{{Lo: 0, Hi: 120}}},
	{"backwards", flatIndex + "mul.wide.u32 %rd5, %r4, 4; sub.s64 %rd6, %rd2, %rd5; st.global.u32 [%rd6+1916], %r4;", true, []ptx.Span{{Lo: 0, Hi: 1920}}},
	{"gather index clamped by min", flatIndex + loadIndex + "min.u32 %r6, %r6, 99; mad.wide.u32 %rd5, %r6, 16, %rd1; ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd5]; mad.wide.u32 %rd7, %r4, 4, %rd2; st.global.f32 [%rd7], %f1;", true, []ptx.Span{{Lo: 0, Hi: 1920}}},
	{"gather index clamped by max and min", flatIndex + loadIndex + "max.s32 %r6, %r6, 0; min.s32 %r6, %r6, 99; mul.wide.s32 %rd6, %r6, 16; add.s64 %rd5, %rd6, %rd1; ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd5]; mad.wide.u32 %rd7, %r4, 4, %rd2; st.global.f32 [%rd7], %f1;", true, nil},
	{"index clamped by compare and select", flatIndex + loadIndex + "setp.lt.u32 %p1, %r6, 100; selp.b32 %r6, %r6, 99, %p1; mad.wide.u32 %rd5, %r6, 4, %rd1; ld.global.f32 %f1, [%rd5]; mad.wide.u32 %rd7, %r4, 4, %rd2; st.global.f32 [%rd7], %f1;", true, nil},
	{"index guarded by branches", flatIndex + loadIndex + "setp.gt.s32 %p1, %r6, -1; @!%p1 bra END; setp.lt.s32 %p2, %r6, 100; @!%p2 bra END; mad.wide.u32 %rd5, %r6, 4, %rd1; ld.global.f32 %f1, [%rd5]; END:", true, nil},
	{"scatter", flatIndex + loadIndex + "and.b32 %r6, %r6, 127; mad.wide.u32 %rd5, %r6, 4, %rd2; st.global.u32 [%rd5], %r6;", false, nil},
	{"64-bit index clamped", flatIndex + "mad.wide.u32 %rd5, %r4, 8, %rd3; ld.global.u64 %rd6, [%rd5]; min.u64 %rd6, %rd6, 50; shl.b64 %rd6, %rd6, 3; add.s64 %rd7, %rd1, %rd6; ld.global.u64 %rd8, [%rd7]; mad.wide.u32 %rd9, %r4, 8, %rd2; st.global.u64 [%rd9], %rd8;", true, []ptx.Span{{Lo: 0, Hi: 3840}}},
	{"pointer chosen", flatIndex + "setp.lt.u32 %p1, %r1, 40; add.s64 %rd5, %rd1, 4000; selp.b64 %rd6, %rd1, %rd5, %p1; mad.wide.u32 %rd7, %r1, 4, %rd6; ld.global.u32 %r6, [%rd7]; mad.wide.u32 %rd9, %r4, 4, %rd2; st.global.u32 [%rd9], %r6;", true, nil},
	{"division", flatIndex + "div.u32 %r6, %r4, 7; rem.u32 %r7, %r4, 7; mad.lo.u32 %r8, %r6, 8, %r7; mad.wide.u32 %rd5, %r8, 4, %rd2; st.global.u32 [%rd5], %r8;", false, nil},
	{"signed range check", flatIndex + "add.s32 %r5, %r4, -10; setp.lt.u32 %p1, %r5, 100; mul.wide.s32 %rd5, %r5, 4; add.s64 %rd5, %rd2, %rd5; @%p1 st.global.u32 [%rd5], %r5;", true, []ptx.Span{{Lo: 0, Hi: 400}}},
	{"row and column", flatIndex + "shr.u32 %r5, %r1, 4; and.b32 %r6, %r1, 15; setp.gt.u32 %p1, %r6, 12; @%p1 bra END; mad.lo.u32 %r7, %r2, 6, %r5; mad.lo.u32 %r8, %r7, 13, %r6; mad.wide.u32 %rd5, %r8, 4, %rd2; st.global.u32 [%rd5], %r8; END:", true, []ptx.Span{{Lo: 0, Hi: 1560}}},
	{"a branch that nobody takes", flatIndex + "mad.wide.u32 %rd5, %r4, 4, %rd2; setp.gt.u32 %p1, %r1, 200; @%p1 bra B; st.global.u32 [%rd5], %r4; bra END; B: st.global.u32 [%rd5+4], %r6; END:", true, nil},
	{"clamps that never bite", flatIndex + "max.s32 %r5, %r4, 0; min.s32 %r5, %r5, 479; setp.lt.s32 %p1, %r5, 480; selp.b32 %r5, %r5, 0, %p1; mad.wide.u32 %rd5, %r5, 4, %rd2; st.global.u32 [%rd5], %r4;", true, []ptx.Span{{Lo: 0, Hi: 1920}}},
	{"odd ids return early", flatIndex + loadIndex + "and.b32 %r7, %r6, 1; setp.eq.u32 %p1, %r7, 1; @%p1 bra END; mad.wide.u32 %rd5, %r4, 4, %rd2; st.global.u32 [%rd5], %r7; END:", false, nil},
}

const (
	flatIndex = "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r4, %r2, %r3, %r1;\n"
	loadIndex = "mad.wide.u32 %rd4, %r4, 4, %rd3; ld.global.u32 %r6, [%rd4];\n"
)

// TestAnalysisAgainstEmulator: the analysis may claim less than what happens, never more. What
// it calls covered was written, what was touched lies in its extents.
func TestAnalysisAgainstEmulator(t *testing.T) {
	for _, c := range analysed {
		t.Run(c.name, func(t *testing.T) {
			m, err := ptx.Parse(kernelText(3, "", c.body))
			if err != nil {
				t.Fatal(err)
			}
			s, err := ptx.Analyze(m.Entries[0], shape(5, 96))
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Unknown)+len(s.LostLoads)+len(s.Index32)+len(s.Misaligned) > 0 {
				t.Errorf("not traced: %q %q %q %q", s.Unknown, s.LostLoads, s.Index32, s.Misaligned)
			}
			k, err := Compile(m, "k")
			if err != nil {
				t.Fatal(err)
			}
			index := make([]uint32, 2048)
			for i := range index {
				index[i] = uint32(i * 7919 % 2000)
			}
			r := launch(t, k, shape(5, 96), Param{Name: "in", Buf: BufferOf("in", make([]byte, 65536))}, Param{Name: "out", Buf: NewBuffer("out", 65536), Multi: true}, Param{Name: "index", Buf: BufferOf("index", words(index...))})
			for i, p := range s.Params {
				got := r.Params[i]
				if got.Loaded.Hi > 0 && (!p.Loads.Known || int64(got.Loaded.Lo) < p.Loads.Lo || int64(got.Loaded.Hi) > p.Loads.Hi) {
					t.Errorf("parameter %d: loaded %v, analysis says %+v", i, got.Loaded, p.Loads)
				}
				if got.Stored.Hi > 0 && (!p.Stores.Known || int64(got.Stored.Lo) < p.Stores.Lo || int64(got.Stored.Hi) > p.Stores.Hi) {
					t.Errorf("parameter %d: stored %v, analysis says %+v", i, got.Stored, p.Stores)
				}
				for _, sp := range p.Cover {
					if !inRanges(got.Written, int(sp.Lo), int(sp.Hi)) {
						t.Errorf("parameter %d: covered %v, written are %v", i, sp, got.Written)
					}
				}
			}
			out := s.Params[1]
			if out.Exact != c.exact {
				t.Errorf("coverage decided: %v, want %v", out.Exact, c.exact)
			}
			if c.exact && len(out.Cover) != len(r.Params[1].Written) {
				t.Errorf("covered %v, written %v", out.Cover, r.Params[1].Written)
			}
			if c.cover != nil && (len(out.Cover) != 1 || out.Cover[0] != c.cover[0] || out.Stores.Hi != c.cover[0].Hi || out.Stores.Lo != 0) {
				t.Errorf("covered %v, stores in %+v, want %v", out.Cover, out.Stores, c.cover)
			}
		})
	}
}
