package emu

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dsac/codegen/ptx"
)

// plant is a minimal faulty kernel k(in, out) on two blocks of 64 threads (in: 512 bytes with
// values, out: 512 bytes without), and the same kernel made right.
type plant struct {
	name  string
	kind  FindingKind
	vars  string
	bad   string
	good  string
	tweak func(in, out *Param)
}

const (
	setUp  = "mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r1; mad.wide.u32 %rd4, %r3, 4, %rd1; mad.wide.u32 %rd5, %r3, 4, %rd2; mov.u32 %r4, 7; and.b32 %r9, %r1, 31;\n"
	write  = "st.global.u32 [%rd5], %r4;"
	tile   = ".shared .align 16 .b8 tile[512];"
	toTile = "mov.u64 %rd6, tile; mad.wide.u32 %rd7, %r1, 4, %rd6; xor.b32 %r5, %r1, 1; mad.wide.u32 %rd8, %r5, 4, %rd6; xor.b32 %r6, %r1, 32; mad.wide.u32 %rd9, %r6, 4, %rd6;\n"
)

var plants = []plant{
	{"load past the end", OutOfBounds, "", "ld.global.u32 %r4, [%rd4+4];" + write, "ld.global.u32 %r4, [%rd4];" + write, nil},
	{"store before the start", OutOfBounds, "", "st.global.u32 [%rd5+-4], %r4;", write, nil},
	{"null pointer", OutOfBounds, "", "mov.u64 %rd9, 0; ld.global.u32 %r4, [%rd9];" + write, write, nil},
	{"shared past the end", OutOfBounds, tile, toTile + "st.shared.u32 [%rd7+260], %r4;" + write, toTile + "st.shared.u32 [%rd7+256], %r4;" + write, nil},
	{"parameter past the end", OutOfBounds, "", "ld.param.u64 %rd9, [k_param_1+8];" + write, "ld.param.u64 %rd9, [k_param_1];" + write, nil},
	{"misaligned vector", Misaligned, "", "ld.global.v2.u32 {%r4, %r5}, [%rd4];" + write, "and.b64 %rd4, %rd4, -8; ld.global.v2.u32 {%r4, %r5}, [%rd4];" + write, nil},
	{"misaligned by the offset in the arena", Misaligned, "", "ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd1+8];" + write, "ld.global.v2.u32 {%r4,%r5}, [%rd1+8];" + write, nil},
	{"misaligned shared", Misaligned, tile, toTile + "st.shared.u32 [%rd7+2], %r4;" + write, toTile + "st.shared.u16 [%rd7+2], %r4;" + write, nil},
	{"uninitialised global", UninitGlobal, "", "ld.global.u32 %r4, [%rd5];" + write, "ld.global.u32 %r4, [%rd4];" + write, nil},
	{"accumulate into nothing", UninitGlobal, "", "red.global.add.u32 [%rd5], %r4;", "red.global.add.u32 [%rd4], %r4;" + write, nil},
	{"uninitialised shared", UninitShared, tile, toTile + "ld.shared.u32 %r4, [%rd7];" + write, toTile + "st.shared.u32 [%rd7], %r1; ld.shared.u32 %r4, [%rd7];" + write, nil},
	{"half initialised shared", UninitShared, tile, toTile + "st.shared.u16 [%rd7], %r1; ld.shared.u32 %r4, [%rd7];" + write, toTile + "st.shared.u16 [%rd7], %r1; ld.shared.u16 %r4, [%rd7];" + write, nil},
	{"shared memory of the block before", UninitShared, tile, toTile + "setp.eq.u32 %p1, %r2, 0; @%p1 st.shared.u32 [%rd7], %r1; ld.shared.u32 %r4, [%rd7];" + write, toTile + "st.shared.u32 [%rd7], %r1; ld.shared.u32 %r4, [%rd7];" + write, nil},
	{"uninitialised local", UninitLocal, "", ".local .align 8 .b8 dep[8]; ld.local.u32 %r4, [dep];" + write, ".local .align 8 .b8 dep[8]; st.local.u32 [dep], %r4; ld.local.u32 %r4, [dep];" + write, nil},
	{"read after write among warps", SharedRace, tile, toTile + "st.shared.u32 [%rd7], %r1; ld.shared.u32 %r4, [%rd9];" + write, toTile + "st.shared.u32 [%rd7], %r1; bar.sync 0; ld.shared.u32 %r4, [%rd9];" + write, nil},
	{"read after write in a warp", SharedRace, tile, toTile + "st.shared.u32 [%rd7], %r1; ld.shared.u32 %r4, [%rd8];" + write, toTile + "st.shared.u32 [%rd7], %r1; bar.warp.sync -1; ld.shared.u32 %r4, [%rd8];" + write, nil},
	{"a warp barrier orders only its warp", SharedRace, tile, toTile + "st.shared.u32 [%rd7], %r1; bar.warp.sync -1; ld.shared.u32 %r4, [%rd9];" + write, toTile + "st.shared.u32 [%rd7], %r1; bar.sync 0; ld.shared.u32 %r4, [%rd9];" + write, nil},
	{"write after read", SharedRace, tile, toTile + "st.shared.u32 [%rd7], %r1; bar.sync 0; ld.shared.u32 %r4, [%rd9]; st.shared.u32 [%rd7], %r4;" + write, toTile + "st.shared.u32 [%rd7], %r1; bar.sync 0; ld.shared.u32 %r4, [%rd9]; bar.sync 0; st.shared.u32 [%rd7], %r4;" + write, nil},
	{"write after read by many", SharedRace, tile, toTile + "st.shared.u32 [%rd7], %r1; bar.sync 0; ld.shared.u32 %r4, [%rd6]; setp.eq.u32 %p1, %r1, 63; @%p1 st.shared.u32 [%rd6], %r4;" + strings.Replace(write, "%r4", "%r1", 1),
		toTile + "st.shared.u32 [%rd7], %r1; bar.sync 0; ld.shared.u32 %r4, [%rd6]; bar.sync 0; setp.eq.u32 %p1, %r1, 63; @%p1 st.shared.u32 [%rd6], %r4;" + write, nil},
	{"two writers", SharedRace, tile, toTile + "st.shared.u32 [%rd6], %r1;" + write, toTile + "st.shared.u32 [%rd6], %r4;" + write, nil},
	{"two writers of a byte; neighbouring bytes are no race", SharedRace, tile, toTile + "shr.u32 %r5, %r1, 1; cvt.u64.u32 %rd9, %r5; add.u64 %rd9, %rd9, %rd6; st.shared.u8 [%rd9], %r1;" + write, toTile + "cvt.u64.u32 %rd9, %r1; add.u64 %rd9, %rd9, %rd6; st.shared.u8 [%rd9], %r1;" + write, nil},
	{"atomic and plain read", SharedRace, tile, toTile + "setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [tile], %r4; bar.sync 0; atom.shared.add.u32 %r5, [tile], 1; ld.shared.u32 %r4, [tile];" + write,
		toTile + "setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [tile], %r4; bar.sync 0; atom.shared.add.u32 %r5, [tile], 1; bar.sync 0; ld.shared.u32 %r4, [tile];" + write, nil},
	{"blocks write one word", GlobalRace, "", "mad.wide.u32 %rd5, %r1, 4, %rd2; st.global.u32 [%rd5], %r3;", write, func(_, out *Param) { out.Multi = true }},
	{"a block reads another's word", GlobalRace, "", write + "ld.global.u32 %r5, [%rd2];", write + "ld.global.u32 %r5, [%rd5];", nil},
	{"threads exchange through global memory", GlobalRace, "", write + "xor.b32 %r5, %r3, 1; mad.wide.u32 %rd9, %r5, 4, %rd2; ld.global.u32 %r6, [%rd9];", write + "bar.sync 0; xor.b32 %r5, %r3, 1; mad.wide.u32 %rd9, %r5, 4, %rd2; ld.global.u32 %r6, [%rd9];", nil},
	{"last block without a fence", GlobalRace, "", lastBlock(""), lastBlock("membar.gl; "), func(in, _ *Param) {}},
	{"non-coherent read of written bytes", NonCoherent, "", write + "ld.global.nc.u32 %r5, [%rd5];", write + "ld.global.nc.u32 %r5, [%rd4];", nil},
	{"read ahead of the grid wait", Early, "", "ld.global.u32 %r4, [%rd4]; griddepcontrol.wait;" + write, "griddepcontrol.wait; ld.global.u32 %r4, [%rd4];" + write, nil},
	{"copied ahead of the grid wait", Early, tile, toTile + "cvt.u32.u64 %r5, %rd7; cp.async.ca.shared.global [%r5], [%rd4], 4; griddepcontrol.wait; cp.async.wait_all;" + write,
		"griddepcontrol.wait;" + toTile + "cvt.u32.u64 %r5, %rd7; cp.async.ca.shared.global [%r5], [%rd4], 4; cp.async.wait_all;" + write, nil},
	{"stored ahead of the grid wait", Early, "", write + "griddepcontrol.wait;", "griddepcontrol.wait;" + write, nil},
	{"one lane does not wait for the grid", Early, "", "setp.ne.u32 %p1, %r1, 5; @%p1 griddepcontrol.wait;" + write, "griddepcontrol.wait;" + write, nil},
	{"written after a non-coherent read", NonCoherent, "", "ld.global.nc.u32 %r5, [%rd4]; st.global.u32 [%rd4], %r5;" + write, "ld.global.u32 %r5, [%rd4]; st.global.u32 [%rd4], %r5;" + write, nil},
	{"divergent barrier", DivergentBarrier, "", "setp.lt.u32 %p1, %r9, 7; @%p1 bra B; bar.sync 0; B:" + write, "setp.lt.u32 %p1, %r9, 7; @%p1 bra B; add.u32 %r4, %r4, 1; B: bar.sync 0;" + write, nil},
	{"warps at different barriers", Deadlock, "", "setp.lt.u32 %p1, %r1, 32; @%p1 bra B; bar.sync 1; bra E; B: bar.sync 2; E:" + write, "setp.lt.u32 %p1, %r1, 32; @%p1 bra B; barrier.sync 1; bra E; B: barrier.sync 1; E:" + write, nil},
	{"aligned barrier in two places", DivergentBarrier, "", "setp.lt.u32 %p1, %r1, 32; @%p1 bra B; bar.sync 1, 64; bra E; B: bar.sync 1, 64; E:" + write, "setp.lt.u32 %p1, %r1, 32; @%p1 bra B; barrier.sync 1, 64; bra E; B: barrier.sync 1, 64; E:" + write, nil},
	{"one side of a barrier aligned", DivergentBarrier, "", "setp.lt.u32 %p1, %r1, 32; @%p1 bra B; bar.sync 1; bra E; B: barrier.sync 1; E:" + write, "setp.lt.u32 %p1, %r1, 32; @%p1 bra B; add.u32 %r4, %r4, 1; B: barrier.sync.aligned 1;" + write, nil},
	{"shuffle names lanes that are elsewhere", AbsentLane, "", "setp.lt.u32 %p1, %r9, 7; @%p1 bra B; shfl.sync.bfly.b32 %r4, %r4, 1, 31, -1; B:" + write, "shfl.sync.bfly.b32 %r4, %r4, 1, 31, -1;" + write, nil},
	{"mma by a part of the warp", AbsentLane, "", "setp.lt.u32 %p1, %r9, 7; @%p1 bra B; mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r5,%r6}, {%r7}, {%f5,%f6,%f7,%f8}; B:" + write, write, nil},
	{"store through an input", Undeclared, "", "st.global.u32 [%rd4], %r4;" + write, write, func(in, _ *Param) { in.Access = Read }},
	{"read of an output", Undeclared, "", write + "ld.global.u32 %r5, [%rd5];", write, func(_, out *Param) { out.Access = Write }},
	{"store outside the declared range", Undeclared, "", write, "setp.lt.u32 %p1, %r3, 64; @%p1 " + write, func(_, out *Param) { out.Writes = []Range{{0, 256}}; out.Cover = nil }},
	{"written twice", WrittenTwice, "", write + write, write, nil},
	{"guard off by one leaves a word", Unwritten, "", "setp.lt.u32 %p1, %r3, 127; @%p1 " + write, write, nil},
	{"copy read before its wait", PendingCopy, tile, toTile + "cp.async.ca.shared.global [%rd7], [%rd4], 4; cp.async.commit_group; ld.shared.u32 %r4, [%rd7];" + write,
		toTile + "cp.async.ca.shared.global [%rd7], [%rd4], 4; cp.async.commit_group; cp.async.wait_group 0; ld.shared.u32 %r4, [%rd7];" + write, nil},
	{"wait for too few groups", PendingCopy, tile, toTile + twoCopies("1", "256"), toTile + twoCopies("0", "256"), nil},
	{"the older group has arrived", PendingCopy, tile, toTile + twoCopies("2", "0"), toTile + twoCopies("1", "0"), nil},
	{"copy of another thread without a barrier", SharedRace, tile, toTile + "cp.async.ca.shared.global [%rd7], [%rd4], 4; cp.async.wait_all; ld.shared.u32 %r4, [%rd8];" + write,
		toTile + "cp.async.ca.shared.global [%rd7], [%rd4], 4; cp.async.wait_all; bar.sync 0; ld.shared.u32 %r4, [%rd8];" + write, nil},
	{"copy over a tile still read", SharedRace, tile, toTile + "st.shared.u32 [%rd7], %r1; bar.sync 0; ld.shared.u32 %r4, [%rd9]; cp.async.ca.shared.global [%rd7], [%rd4], 4; cp.async.wait_all;" + write,
		toTile + "st.shared.u32 [%rd7], %r1; bar.sync 0; ld.shared.u32 %r4, [%rd9]; bar.sync 0; cp.async.ca.shared.global [%rd7], [%rd4], 4; cp.async.wait_all;" + write, nil},
	{"division by zero", DivideByZero, "", "div.u32 %r4, %r4, %r1;" + write, "or.b32 %r5, %r1, 1; div.u32 %r4, %r4, %r5;" + write, nil},
	{"trap", Trap, "", "setp.eq.u32 %p1, %r1, 5; " + write + "@%p1 trap;", "setp.eq.u32 %p1, %r1, 500; " + write + "@%p1 trap;", nil},
}

// twoCopies issues two groups, waits until keep are left, and reads at off in the tile.
func twoCopies(keep, off string) string {
	return "cp.async.ca.shared.global [%rd7], [%rd4], 4; cp.async.commit_group; cp.async.ca.shared.global [%rd7+256], [%rd4], 4; cp.async.commit_group; cp.async.wait_group " +
		keep + "; ld.shared.u32 %r4, [%rd7+" + off + "];" + write
}

// lastBlock writes a word per block, counts blocks in in[0], and the last one reads all words.
func lastBlock(fence string) string {
	return "setp.ne.u32 %p1, %r1, 0; " + write + "bar.sync 0; @%p1 bra END;" + fence + "atom.global.add.u32 %r5, [%rd1], 1; " + fence + `
setp.ne.u32 %p2, %r5, 1; @%p2 bra END; ld.global.u32 %r6, [%rd2]; ld.global.u32 %r6, [%rd2+508]; END:`
}

func runPlant(t *testing.T, p plant, body string) *Report {
	t.Helper()
	k := compile(t, kernelText(2, p.vars, setUp+body))
	data := make([]byte, 1024)
	in := Param{Name: "in", Buf: BufferOf("in", data), Size: 512}
	// the output starts 8 bytes into its arena, the input at an aligned place
	out := Param{Name: "out", Buf: NewBuffer("arena", 1024), Off: 256, Size: 512, Cover: []Range{{0, 512}}}
	if p.tweak != nil {
		p.tweak(&in, &out)
	}
	r, err := k.Launch(LaunchConfig{Launch: shape(2, 64), Params: []Param{in, out}}, Options{Target: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEveryDetectorFires(t *testing.T) {
	for _, p := range plants {
		t.Run(p.name, func(t *testing.T) {
			r := runPlant(t, p, p.bad)
			if !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Kind == p.kind }) {
				t.Errorf("no %q among %v", p.kind, r.Findings)
			}
			if err := runPlant(t, p, p.good).Err(); err != nil {
				t.Errorf("the right kernel: %v", err)
			}
		})
	}
	for kind := range numFindings {
		if !slices.ContainsFunc(slices.Concat(plants, clusterPlants), func(p plant) bool { return p.kind == kind }) {
			t.Errorf("no planted fault for %q", kind)
		}
	}
}

func TestFindingSaysWhere(t *testing.T) {
	p := plants[0]
	f := runPlant(t, p, p.bad).Findings[0]
	if f.Param != 0 || f.Name != "in" || f.Off != 512 || f.Block != [3]uint32{1, 0, 0} || f.Thread != [3]uint32{63, 0, 0} || f.Count != 1 || f.Line == 0 {
		t.Errorf("got %+v", f)
	}
	want := "k: out of bounds at line 17 (ld.global.u32 %r4, [%rd4+4]), block 1,0,0 thread 63,0,0, in+512: 4 bytes, buffer has 512"
	if got := f.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestOptionsSilence(t *testing.T) {
	k := compile(t, kernelText(2, "", setUp+write+write))
	cfg := LaunchConfig{Launch: shape(2, 64), Params: []Param{{Buf: BufferOf("in", make([]byte, 512))}, {Buf: NewBuffer("out", 512)}}}
	r, err := k.Launch(cfg, Options{Ignore: []FindingKind{WrittenTwice}})
	if err != nil || r.Err() != nil {
		t.Errorf("ignored kind: %v, %v", err, r.Err())
	}
	if r, err = k.Launch(cfg, Options{NoShadow: true}); err != nil || r.Err() != nil {
		t.Errorf("no shadow: %v, %v", err, r.Err())
	}
}

func TestLaunchErrors(t *testing.T) {
	k := compile(t, kernelText(1, "", "L: bra L;"))
	buf := Param{Buf: NewBuffer("b", 64)}
	for _, c := range []struct {
		name string
		cfg  LaunchConfig
		opt  Options
		want string
	}{
		{"endless", LaunchConfig{Launch: shape(1, 32), Params: []Param{buf}}, Options{MaxInstrs: 1 << 22}, "endless loop"},
		{"parameters", LaunchConfig{Launch: shape(1, 32)}, Options{}, "0 parameters bound, the kernel has 1"},
		{"threads", LaunchConfig{Launch: shape(1, 1025), Params: []Param{buf}}, Options{}, "block x is 1025"},
		{"grid", LaunchConfig{Launch: ptx.Launch{Grid: [3]uint32{1, 65536, 1}, Block: [3]uint32{1, 1, 1}}, Params: []Param{buf}}, Options{}, "grid y is 65536, want 1 to 65535"},
		{"shared", LaunchConfig{Launch: ptx.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, DynShared: 101377}, Params: []Param{buf}}, Options{}, "sm_120 allows 101376"},
		{"range", LaunchConfig{Launch: shape(1, 1), Params: []Param{{Buf: buf.Buf, Off: 60, Size: 8}}}, Options{}, "are not in buffer b of 64"},
		{"target", LaunchConfig{Launch: shape(1, 1), Params: []Param{buf}}, Options{Target: "sm_7"}, "unknown target"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := k.Launch(c.cfg, c.opt)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	m, _ := ptx.Parse(testHead + ".entry k() { foo.bar; ret; }")
	if _, err := Compile(m, "k"); err == nil || !strings.Contains(err.Error(), "line 4: unknown instruction foo.bar") {
		t.Errorf("unknown instruction: %v", err)
	}
	if _, err := Compile(m, "x"); err == nil {
		t.Error("absent entry: no error")
	}
}

// TestGridBarrier needs all blocks resident: each waits until all have arrived.
func TestGridBarrier(t *testing.T) {
	k := compile(t, kernelText(2, "", setUp+`
st.global.u32 [%rd5], %r3; bar.sync 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra W;
membar.gl; red.global.add.u32 [%rd1], 1;
SPIN: ld.volatile.global.u32 %r5, [%rd1]; setp.lt.u32 %p2, %r5, 2; @%p2 bra SPIN; membar.gl;
W: bar.sync 0; xor.b32 %r6, %r3, 64; mad.wide.u32 %rd6, %r6, 4, %rd2; ld.global.u32 %r7, [%rd6]; st.global.u32 [%rd5+512], %r7;`))
	out := NewBuffer("out", 1024)
	r, err := k.Launch(LaunchConfig{Launch: shape(2, 64), Params: []Param{{Buf: BufferOf("n", make([]byte, 4))}, {Buf: out, Cover: []Range{{0, 1024}}}}}, Options{Cooperative: true})
	if err != nil {
		t.Fatal(err)
	}
	clean(t, r)
	for i := range 128 {
		if got := out.Data[512+4*i]; got != byte(i^64) {
			t.Fatalf("word %d: got %d, want %d", i, got, i^64)
		}
	}
}

// TestModuleVariable: .global variables live as long as the kernel, and are no parameter.
func TestModuleVariable(t *testing.T) {
	k := compile(t, kernelText(1, ".global .align 4 .u32 count = 5;", "atom.global.add.u32 %r2, [count], 1; st.global.u32 [%rd1], %r2;"))
	for want := byte(5); want < 7; want++ {
		out := NewBuffer("out", 4)
		clean(t, launch(t, k, shape(1, 1), Param{Buf: out}))
		if out.Data[0] != want {
			t.Errorf("got %d, want %d", out.Data[0], want)
		}
	}
}

// TestSharedParameterWindow: two parameters in one buffer are told apart, and races between
// them are seen.
func TestSharedParameterWindow(t *testing.T) {
	b := BufferOf("arena", make([]byte, 1024))
	k := compile(t, kernelText(2, "", setUp+"ld.global.u32 %r5, [%rd1]; st.global.u32 [%rd5], %r1;"))
	r := launch(t, k, shape(2, 64), Param{Name: "x", Buf: b, Off: 4, Size: 512}, Param{Name: "y", Buf: b, Size: 512})
	if len(r.Findings) != 2 || r.Findings[0].Kind != GlobalRace || r.Findings[0].Name != "y" || r.Findings[1].Name != "x" {
		t.Errorf("got %v, want races seen at the store to y and at the load from x", r.Findings)
	}
}

// TestLaunchesInParallel: a kernel keeps no state of a launch.
func TestLaunchesInParallel(t *testing.T) {
	k := compile(t, kernelText(2, tile, setUp+toTile+"st.shared.u32 [%rd7], %r3; bar.sync 0; ld.shared.u32 %r4, [%rd9];"+write))
	done := make(chan error)
	for range 4 {
		go func() {
			out := NewBuffer("out", 512)
			r, err := k.Launch(LaunchConfig{Launch: shape(2, 64), Params: []Param{{Buf: BufferOf("in", make([]byte, 512))}, {Buf: out, Cover: []Range{{0, 512}}}}}, Options{})
			if err == nil {
				err = r.Err()
			}
			for i := range 128 {
				if err == nil && out.Data[4*i] != byte(i^32) {
					err = fmt.Errorf("word %d: got %d, want %d", i, out.Data[4*i], i^32)
				}
			}
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
