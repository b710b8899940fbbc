package ptx

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// entryText is an entry of three pointer parameters, in %rd1 to %rd3; %r1 is tid.x, %r2 ctaid.x.
func entryText(vars, body string) string {
	return ".version 8.7\n.target sm_120\n.address_size 64\n" + vars + `
.visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1, .param .u64 k_param_2)
{
.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .f32 %f<9>; .reg .b64 %rd<40>;
ld.param.u64 %rd1, [k_param_0]; ld.param.u64 %rd2, [k_param_1]; ld.param.u64 %rd3, [k_param_2];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
` + body + "\nret;\n}\n"
}

func analyse(t testing.TB, src string, grid, block uint32) *Summary {
	t.Helper()
	m, err := Parse(src)
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	s, err := Analyze(m.Entries[0], Launch{Grid: [3]uint32{grid, 1, 1}, Block: [3]uint32{block, 1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestModes(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"unused", "", "-,-,-"},
		{"read and written", "ld.global.u32 %r3, [%rd1]; st.global.u32 [%rd2], %r3;", "r,w,-"},
		{"non-coherent", "ld.global.nc.u32 %r3, [%rd1]; st.global.u32 [%rd3], %r3;", "nc,-,w"},
		{"in place", "ld.global.u32 %r3, [%rd2]; st.global.u32 [%rd2], %r3;", "-,rw,-"},
		{"accumulate", "red.global.add.u32 [%rd1], 1; atom.global.add.u32 %r3, [%rd2], 1; st.global.u32 [%rd3], %r3;", "acc,acc,w"},
		{"cp.async reads", ".shared .align 16 .b8 s[16]; cp.async.cg.shared.global [s], [%rd2], 16; cp.async.wait_all;", "-,r,-"},
		{"through cvta and mov", "cvta.to.global.u64 %rd5, %rd2; mov.u64 %rd6, %rd5; st.global.u32 [%rd6+4], %r1;", "-,w,-"},
		{"generic store", "st.u32 [%rd2], %r1;", "-,w,-"},
		{"generic address of shared memory", ".shared .align 4 .b8 s[16]; mov.u64 %rd5, s; cvta.shared.u64 %rd6, %rd5; st.u32 [%rd6], %r1;", "-,-,-"},
		{"through a shuffle", "mov.b64 {%r5, %r6}, %rd2; st.global.u32 [%rd2], %r5;", "-,w,-"},
		{"by a loop pointer", "mov.u32 %r3, 0; L: st.global.u32 [%rd2], %r3; add.s64 %rd2, %rd2, 4; add.s32 %r3, %r3, 1; setp.ne.s32 %p1, %r3, 9; @%p1 bra L;", "-,w,-"},
		{"by a pointer that moves by chance", "ld.global.u32 %r3, [%rd1]; L: st.global.u32 [%rd2], %r3; and.b32 %r4, %r3, 12; cvt.u64.u32 %rd5, %r4; add.s64 %rd2, %rd2, %rd5; add.s32 %r3, %r3, 1; setp.ne.s32 %p1, %r3, 9; @%p1 bra L;", "r,w,-"},
		{"predicated move", "setp.eq.u32 %p1, %r1, 3; @%p1 add.s64 %rd2, %rd2, 8; st.global.u32 [%rd2], %r1;", "-,w,-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := analyse(t, entryText("", c.body), 1, 32)
			var got []string
			for _, p := range s.Params {
				got = append(got, p.Mode)
			}
			if g := strings.Join(got, ","); g != c.want {
				t.Errorf("got %s, want %s", g, c.want)
			}
			if len(s.Unknown)+len(s.LostLoads) != 0 {
				t.Errorf("unknown %q, lost %q", s.Unknown, s.LostLoads)
			}
		})
	}
}

// TestWhatCannotBeTold: each of these must be reported, in exactly the list it belongs to.
func TestWhatCannotBeTold(t *testing.T) {
	for _, c := range []struct{ name, vars, body, want string }{
		{"pointer from memory", "", "ld.global.u64 %rd5, [%rd1]; st.global.u32 [%rd5], %r1;", "unknown"},
		{"load by a pointer from memory", "", "ld.global.u64 %rd5, [%rd1]; ld.global.u32 %r3, [%rd5];", "lost"},
		{"sum of two pointers", "", "add.s64 %rd5, %rd1, %rd2; st.global.u32 [%rd5], %r1;", "unknown"},
		{"one of two parameters", "", "setp.eq.u32 %p1, %r1, 0; selp.b64 %rd5, %rd1, %rd2, %p1; st.global.u32 [%rd5], %r1;", "unknown"},
		{"doubled pointer", "", "shl.b64 %rd5, %rd2, 1; st.global.u32 [%rd5], %r1;", "unknown"},
		{"undefined register", "", "st.global.u32 [%rd9], %r1;", "unknown"},
		{"module variable", ".global .align 4 .u32 counter;", "atom.global.add.u32 %r3, [counter], 1;", "global counter"},
		{"32-bit product too large", "", "mul.lo.s32 %r3, %r2, 1000000; mul.wide.s32 %rd5, %r3, 4; add.s64 %rd5, %rd2, %rd5; st.global.u32 [%rd5], %r1;", "index32"},
		{"32-bit byte offset too large", "", "mad.lo.u32 %r3, %r2, 700000, %r1; shl.b32 %r4, %r3, 2; cvt.u64.u32 %rd5, %r4; add.s64 %rd5, %rd2, %rd5; st.global.u32 [%rd5], %r1;", "index32"},
		{"the same in 64 bits", "", "mul.wide.u32 %rd6, %r2, 2800000; add.s64 %rd5, %rd2, %rd6; st.global.u32 [%rd5], %r1;", ""},
		{"vector at odd offset", "", "mad.wide.u32 %rd5, %r1, 8, %rd2; st.global.v4.u32 [%rd5], {%r1, %r1, %r1, %r1};", "misaligned"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := analyse(t, entryText(c.vars, c.body), 5000, 32)
			var got []string
			for name, list := range map[string][]string{"unknown": s.Unknown, "lost": s.LostLoads, "index32": s.Index32, "misaligned": s.Misaligned, "global " + strings.Join(s.GlobalStore, " "): s.GlobalStore} {
				if len(list) > 0 {
					got = append(got, name)
				}
			}
			if g := strings.Join(got, ","); g != c.want {
				t.Errorf("got %q, want %q (%+v)", g, c.want, s)
			}
		})
	}
}

// TestExtents are bounds that matter: unclamped indices give none, clamped ones do.
func TestExtents(t *testing.T) {
	const index = "mad.wide.u32 %rd5, %r1, 4, %rd1; ld.global.u32 %r3, [%rd5];\n"
	for _, c := range []struct {
		name, body string
		want       Extent // of the stores through parameter 1
	}{
		{"not clamped", index + "mad.wide.u32 %rd6, %r3, 4, %rd2; st.global.u32 [%rd6], %r1;", Extent{0, 4 * (1 << 32), true}},
		{"64-bit, not clamped", "ld.global.u64 %rd5, [%rd1]; shl.b64 %rd5, %rd5, 2; add.s64 %rd6, %rd2, %rd5; st.global.u32 [%rd6], %r1;", Extent{}},
		{"min", index + "min.u32 %r3, %r3, 49; mad.wide.u32 %rd6, %r3, 4, %rd2; st.global.u32 [%rd6], %r1;", Extent{0, 200, true}},
		{"max and min, signed", index + "min.s32 %r3, %r3, 49; max.s32 %r3, %r3, 0; mul.wide.s32 %rd6, %r3, 4; add.s64 %rd6, %rd6, %rd2; st.global.u32 [%rd6], %r1;", Extent{0, 200, true}},
		{"min alone, signed", index + "min.s32 %r3, %r3, 49; mul.wide.s32 %rd6, %r3, 4; add.s64 %rd6, %rd6, %rd2; st.global.u32 [%rd6], %r1;", Extent{-4 << 31, 200, true}},
		{"remainder", index + "rem.u32 %r3, %r3, 10; mad.wide.u32 %rd6, %r3, 4, %rd2; st.global.u32 [%rd6], %r1;", Extent{0, 40, true}},
		{"shift", index + "shr.u32 %r3, %r3, 24; mad.wide.u32 %rd6, %r3, 4, %rd2; st.global.u32 [%rd6], %r1;", Extent{0, 1024, true}},
		{"high mask", index + "min.u32 %r3, %r3, 1023; shr.u32 %r3, %r3, 1; and.b32 %r3, %r3, -4; cvt.u64.u32 %rd6, %r3; add.s64 %rd6, %rd2, %rd6; st.global.u32 [%rd6], %r1;", Extent{0, 512, true}},
		{"byte", "ld.global.u8 %h1, [%rd1]; cvt.u32.u16 %r3, %h1; mad.wide.u32 %rd6, %r3, 4, %rd2; st.global.u32 [%rd6], %r1;", Extent{0, 1024, true}},
		{"branch", index + "setp.gt.u32 %p1, %r3, 9; @%p1 ret; mad.wide.u32 %rd6, %r3, 4, %rd2; st.global.u32 [%rd6], %r1;", Extent{0, 40, true}},
		{"off by one", index + "setp.gt.u32 %p1, %r3, 10; @%p1 ret; mad.wide.u32 %rd6, %r3, 4, %rd2; st.global.u32 [%rd6], %r1;", Extent{0, 44, true}},
		{"wrong branch", index + "setp.gt.u32 %p1, %r3, 9; @!%p1 ret; mad.wide.u32 %rd6, %r3, 4, %rd2; st.global.u32 [%rd6], %r1;", Extent{40, 4 * (1 << 32), true}},
		{"the guard does not hold after the join", index + "setp.gt.u32 %p1, %r3, 9; @%p1 bra J; mov.u32 %r4, 1; J: min.u32 %r3, %r3, 99; mad.wide.u32 %rd6, %r3, 4, %rd2; st.global.u32 [%rd6], %r1;", Extent{0, 400, true}},
		{"both of two conditions", index + "setp.lt.u32 %p1, %r3, 90; setp.gt.u32 %p2, %r3, 4; and.pred %p3, %p1, %p2; mad.wide.u32 %rd6, %r3, 4, %rd2; @%p3 st.global.u32 [%rd6], %r1;", Extent{20, 360, true}},
		{"either of two conditions", index + "min.u32 %r3, %r3, 99; setp.lt.u32 %p1, %r3, 50; setp.gt.u32 %p2, %r1, 4; or.pred %p3, %p1, %p2; mad.wide.u32 %rd6, %r3, 4, %rd2; @%p3 st.global.u32 [%rd6], %r1;", Extent{0, 400, true}},
		{"phi of clamped values", index + "mov.u32 %r4, 5; setp.gt.u32 %p1, %r3, 20; @%p1 bra J; mov.u32 %r4, %r3; J: mad.wide.u32 %rd6, %r4, 4, %rd2; st.global.u32 [%rd6], %r1;", Extent{0, 84, true}},
		{"counts by data: no bound", index + "mov.u32 %r4, 0; L: mad.wide.u32 %rd6, %r4, 4, %rd2; st.global.u32 [%rd6], %r1; add.s32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r3; @%p1 bra L;", Extent{0, 4 * (1 << 32), true}},
		{"counts by clamped data", index + "min.u32 %r3, %r3, 12; mov.u32 %r4, 0; L: setp.ge.u32 %p1, %r4, %r3; @%p1 bra E; mad.wide.u32 %rd6, %r4, 4, %rd2; st.global.u32 [%rd6], %r1; add.s32 %r4, %r4, 1; bra L; E:", Extent{0, 48, true}},
		{"misses its limit", "mov.u32 %r4, 0; L: mad.wide.u32 %rd6, %r4, 4, %rd2; st.global.u32 [%rd6], %r1; add.s32 %r4, %r4, 3; setp.ne.u32 %p1, %r4, 10; @%p1 bra L;", Extent{0, 4 * (1 << 32), true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := analyse(t, entryText("", c.body), 1, 64).Params[1].Stores
			if c.want.Hi >= 1<<32 && (!got.Known || got.Hi >= 1<<32) {
				return // further than any buffer
			}
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestSummaryText(t *testing.T) {
	for _, c := range []struct{ vars, body, want string }{
		{"", "mad.wide.u32 %rd5, %r1, 16, %rd1; mad.wide.u32 %rd6, %r1, 16, %rd2; ld.global.nc.v4.u32 {%r3, %r4, %r5, %r6}, [%rd5]; st.global.v4.u32 [%rd6], {%r3, %r4, %r5, %r6};", "ptx=nc,w,- end=-,512,- cov=-,512,- vec=16,16,-"},
		{"", "setp.gt.u32 %p1, %r1, 27; @%p1 ret; mad.wide.u32 %rd6, %r1, 16, %rd2; st.global.u32 [%rd6], %r1; red.global.add.u32 [%rd3], 1;", "ptx=-,w,acc end=-,436,4 cov=-,4,- vec=-,4,4"},
		{".global .u32 counter;", "ld.global.u64 %rd5, [%rd1]; st.global.u32 [%rd5], %r1; st.global.u32 [counter], %r1; shl.b64 %rd6, %rd5, 2; add.s64 %rd6, %rd6, %rd2; st.global.u32 [%rd6], %r1;", "ptx=r,w,- end=-,?,- cov=-,?,- vec=8,4,- unk gst=counter"},
	} {
		if got := analyse(t, entryText(c.vars, c.body), 1, 32).String(); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.body, got, c.want)
		}
	}
}

// TestAssume: a row count in the control buffer decides what is covered.
func TestAssume(t *testing.T) {
	src := entryText("", `ld.global.u64 %rd5, [%rd3+8]; min.u64 %rd5, %rd5, 16; cvt.u64.u32 %rd6, %r2; setp.ge.u64 %p1, %rd6, %rd5; @%p1 bra END;
mad.lo.u32 %r3, %r2, 64, %r1; mad.wide.u32 %rd7, %r3, 4, %rd2; st.global.u32 [%rd7], %r1; END:`)
	m, err := Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	l := Launch{Grid: [3]uint32{16, 1, 1}, Block: [3]uint32{64, 1, 1}}
	for _, c := range []struct {
		assume []Assume
		hi     int64
		cover  int64 // -1: undecided
	}{
		{nil, 4096, -1},
		{[]Assume{{2, 8, 8, 5, 5}}, 1280, 1280},
		{[]Assume{{2, 8, 8, 99, 99}}, 4096, 4096},
		{[]Assume{{2, 8, 8, 1, 7}}, 1792, -1},
		{[]Assume{{2, 0, 8, 5, 5}}, 4096, -1},
	} {
		s, err := AnalyzeAssuming(m.Entries[0], l, c.assume)
		if err != nil {
			t.Fatal(err)
		}
		p := s.Params[1]
		if p.Stores.Hi != c.hi || p.Exact != (c.cover >= 0) || p.Exact && (len(p.Cover) != 1 || p.Cover[0] != (Span{0, c.cover})) {
			t.Errorf("%v: got %+v, want end %d, cover %d", c.assume, p, c.hi, c.cover)
		}
	}
	if _, err := AnalyzeAssuming(m.Entries[0], l, []Assume{{1, 0, 8, 0, 1}}); err == nil || !strings.Contains(err.Error(), "may store to") {
		t.Errorf("assumption about an output: %v", err)
	}
}

func TestLimits(t *testing.T) {
	m, err := Parse(entryText(".extern .shared .align 16 .b8 dyn[];", ".shared .align 16 .b8 s[1000]; mov.u64 %rd5, dyn; st.shared.u32 [s], %r1;"))
	if err != nil {
		t.Fatal(err)
	}
	e := m.Entries[0]
	ok := Launch{Grid: [3]uint32{1, 65535, 1}, Block: [3]uint32{1024, 1, 1}, DynShared: 101376 - 1008}
	for _, c := range []struct {
		name, target string
		change       func(*Launch)
		want         string
	}{
		{"fits", "sm_120", func(*Launch) {}, ""},
		{"rows", "sm_120", func(l *Launch) { l.Grid[1] = 65536 }, "grid y is 65536, want 1 to 65535"},
		{"columns", "sm_120", func(l *Launch) { l.Grid[0] = 1<<31 - 1 }, ""},
		{"empty", "sm_120", func(l *Launch) { l.Grid[2] = 0 }, "grid z is 0"},
		{"threads", "sm_120", func(l *Launch) { l.Block[1] = 2 }, "2048 threads per block"},
		{"shared", "sm_120", func(l *Launch) { l.DynShared += 16 }, "101392 bytes of shared memory per block, sm_120 allows 101376"},
		{"more shared on sm_90", "sm_90", func(l *Launch) { l.DynShared = 232448 - 1008 }, ""},
		{"too much on sm_80", "sm_80", func(l *Launch) { l.DynShared = 166912 }, "sm_80 allows 166912"},
	} {
		l := ok
		c.change(&l)
		target, err := TargetNamed(c.target)
		if err != nil {
			t.Fatal(err)
		}
		errs := e.CheckLaunch(l, target)
		if c.want == "" && errs != nil || c.want != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.name, errs, c.want)
		}
	}
}

func TestTargetWhitelist(t *testing.T) {
	src := func(target, body string) string {
		return strings.Replace(entryText("", body), "sm_120", target, 1)
	}
	for _, c := range []struct{ module, target, body, want string }{
		{"sm_80", "sm_80", "griddepcontrol.wait;", "griddepcontrol.wait needs sm_90, target is sm_80"},
		{"sm_80", "sm_120", "griddepcontrol.wait;", ""},
		{"sm_90", "sm_80", "", "module is for sm_90, which sm_80 does not run"},
		{"sm_120a", "sm_120", "", "runs on that architecture only"},
		{"sm_120", "sm_120", "tcgen05.wait;", "sm_120 has no tensor memory"},
		{"sm_120", "sm_120", "cp.async.bulk.commit_group;", "is refused"},
		{"sm_120", "sm_120", "add.f8 %r1, %r1;", "unknown instruction add.f8"},
	} {
		m, err := Parse(src(c.module, c.body))
		if err != nil {
			t.Fatal(err)
		}
		target, _ := TargetNamed(c.target)
		errs := m.Check(target)
		if c.want == "" && errs != nil || c.want != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), c.want)) {
			t.Errorf("%s on %s: got %v, want %q", c.body, c.target, errs, c.want)
		}
	}
	m, _ := Parse(entryText("", ".shared .b8 big[49153]; st.shared.u8 [big], %r1;"))
	target, _ := TargetNamed("sm_120")
	if errs := m.Check(target); len(errs) != 1 || !strings.Contains(errs[0].Error(), "at most 49152") {
		t.Errorf("static shared memory: %v", errs)
	}
}

// big is an unrolled kernel of about n memory instructions, as the builder makes them.
func big(n int) string {
	var b strings.Builder
	b.WriteString("mad.lo.s32 %r3, %r2, 256, %r1; setp.ge.u32 %p1, %r3, 100000; @%p1 bra END; mad.wide.u32 %rd5, %r3, 16, %rd1; mad.wide.u32 %rd6, %r3, 16, %rd2; mov.u32 %r4, 0;\nL:\n")
	for i := range n / 2 {
		fmt.Fprintf(&b, "mad.lo.u32 %%r10, %%r4, 64, %d; mul.wide.u32 %%rd7, %%r10, 4; add.s64 %%rd8, %%rd5, %%rd7; ld.global.nc.u32 %%r11, [%%rd8]; shr.u32 %%r12, %%r11, %d; and.b32 %%r12, %%r12, 15; cvt.rn.f32.u32 %%f1, %%r12; add.s64 %%rd9, %%rd6, %%rd7; st.global.f32 [%%rd9], %%f1;\n", i%64, i%28)
	}
	b.WriteString("add.s32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 16; @%p2 bra L;\nEND:")
	return entryText("", b.String())
}

func TestAnalyzeIsFast(t *testing.T) {
	m, err := Parse(big(600))
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if _, err := Analyze(m.Entries[0], Launch{Grid: [3]uint32{400, 1, 1}, Block: [3]uint32{256, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(start); d > time.Second {
		t.Errorf("analysis of 2,700 instructions took %v", d)
	}
}

func BenchmarkAnalyze(b *testing.B) {
	m, err := Parse(big(600))
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		_, _ = Analyze(m.Entries[0], Launch{Grid: [3]uint32{400, 1, 1}, Block: [3]uint32{256, 1, 1}})
	}
}

func BenchmarkParse(b *testing.B) {
	src := big(600)
	b.SetBytes(int64(len(src)))
	for range b.N {
		_, _ = Parse(src)
	}
}
