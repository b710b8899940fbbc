package emu

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dsac/codegen/ptx"
)

// clusterText is kernelText for clusters of n blocks.
func clusterText(n, params int, vars, body string) string {
	return strings.Replace(kernelText(params, vars, body), ")\n{", fmt.Sprintf(")\n.%s %d, 1, 1\n{", ptx.ClusterDirective, n), 1)
}

// The two blocks of a plant as a cluster: %r13 is the thread's word of the tile, %r14 the same
// word in the other block, %r15 that of the other warp there.
const (
	inCluster = `mov.u32 %r10, %cluster_ctarank; xor.b32 %r11, %r10, 1; mov.u32 %r12, tile; mad.lo.u32 %r13, %r1, 4, %r12; xor.b32 %r15, %r13, 128;
mapa.shared::cluster.u32 %r14, %r13, %r11; mapa.shared::cluster.u32 %r15, %r15, %r11; setp.eq.u32 %p5, %r10, 0; setp.eq.u32 %p6, %r10, 1; setp.lt.u32 %p7, %r1, 32;
`
	arrived = "barrier.cluster.arrive.aligned;"
	started = "barrier.cluster.arrive.relaxed.aligned;"
	waited  = "barrier.cluster.wait.aligned;"
	met     = arrived + waited
	mine    = "st.shared.u32 [%r13], %r1;"
	theirs  = "ld.shared::cluster.u32 %r4, [%r14];"
	slow    = "mov.u32 %r20, %r10; S: add.u32 %r20, %r20, %r10; setp.lt.u32 %p9, %r20, 1000; and.pred %p9, %p9, %p6; @%p9 bra S;" // rank 1 is
)

var clusterPlants = []plant{
	{"read without a barrier", SharedRace, tile, mine + theirs + met + write, mine + met + theirs + met + write, nil},
	{"a barrier of the block is none of the cluster", SharedRace, tile, met + mine + "bar.sync 0;" + theirs + met + write, mine + met + theirs + met + write, nil},
	{"read between arrival and wait", SharedRace, tile, met + mine + arrived + theirs + waited + met + write, met + mine + arrived + "add.u32 %r4, %r4, 1;" + waited + theirs + met + write, nil},
	{"read after the wait, written after the arrival", SharedRace, tile, arrived + mine + waited + theirs + met + write, mine + arrived + waited + theirs + met + write, nil},
	{"a race in the second cluster only", SharedRace, tile, "setp.lt.u32 %p8, %r2, 2; @!%p8 bra B;" + met + met + met + mine + met + theirs + met + write + "exit; B:" + arrived + mine + waited + theirs + met + write, mine + met + theirs + met + write, nil},
	{"slow to wait", SharedRace, tile, mine + met + slow + mine + theirs + met + write, met + mine + arrived + slow + waited + theirs + met + "st.shared.u32 [%r13], %r4;" + met + theirs + met + write, nil},
	{"written between arrival and wait", SharedRace, tile, mine + met + theirs + arrived + mine + "st.shared.u32 [%r13], %r4;" + waited + write, mine + met + theirs + arrived + waited + "st.shared.u32 [%r13], %r4;" + write, nil},
	{"overwritten while a peer reads", SharedRace, tile, mine + met + theirs + "st.shared.u32 [%r13], %r4;" + met + write, mine + met + theirs + met + "st.shared.u32 [%r13], %r4;" + write, nil},
	{"a peer stores what this block reads", SharedRace, tile, met + "st.shared::cluster.u32 [%r14], %r1; bar.sync 0; ld.shared.u32 %r4, [%r13];" + met + write, met + "st.shared::cluster.u32 [%r14], %r1;" + met + "ld.shared.u32 %r4, [%r13];" + write, nil},
	{"warps of a block at a peer's word", SharedRace, tile, met + "st.shared::cluster.u32 [%r14], %r1; ld.shared::cluster.u32 %r4, [%r15];" + met + write, met + "st.shared::cluster.u32 [%r14], %r1; bar.sync 0; ld.shared::cluster.u32 %r4, [%r15];" + met + write, nil},
	{"atomics of both, read too early", SharedRace, tile, "st.shared.u32 [%r13], 0;" + met + "red.shared::cluster.add.u32 [%r14], %r1; atom.shared.add.u32 %r5, [%r13], 1; ld.shared.u32 %r4, [%r13];" + met + write,
		"st.shared.u32 [%r13], 0;" + met + "red.shared::cluster.add.u32 [%r14], %r1; atom.shared::cluster.or.b32 %r5, [%r13], 1;" + met + "ld.shared.u32 %r4, [%r13];" + write, nil},
	{"a peer's global write", GlobalRace, tile, write + "xor.b32 %r5, %r3, 64; mad.wide.u32 %rd9, %r5, 4, %rd2; ld.global.u32 %r6, [%rd9];", write + met + "xor.b32 %r5, %r3, 64; mad.wide.u32 %rd9, %r5, 4, %rd2; ld.global.u32 %r6, [%rd9];", nil},
	{"nobody wrote what a peer holds", UninitShared, tile, met + theirs + met + write, mine + met + theirs + met + write, nil},
	{"ends while a peer before it reads", PeerGone, tile, mine + met + "@%p5 " + theirs + write, mine + met + "@%p5 " + theirs + met + write, nil},
	{"ends while a peer after it reads", PeerGone, tile, mine + met + "@%p6 " + theirs + write, mine + met + "@%p6 " + theirs + arrived + write + waited, nil},
	{"arrives and ends", PeerGone, tile, mine + met + "@%p5 " + theirs + arrived + write + "@%p6 exit;" + waited, mine + met + "@%p5 " + theirs + arrived + "@%p5 exit;" + waited, func(_, out *Param) { out.Cover = nil }},
	{"stored before a peer has started", PeerGone, tile, "st.shared::cluster.u32 [%r14], %r1;" + met + write, met + "st.shared::cluster.u32 [%r14], %r1;" + met + write, nil},
	{"starts and tells nothing", SharedRace, tile, mine + started + waited + theirs + met + write, mine + started + waited + met + theirs + met + write, nil},
	{"starts before it may be touched", PeerGone, tile, started + "st.shared::cluster.u32 [%r14], %r1;" + waited + met + write, started + waited + "st.shared::cluster.u32 [%r14], %r1;" + met + write, nil},
	{"started, known through another warp", PeerGone, tile, started + "bar.sync 0; st.shared::cluster.u32 [%r14], %r1;" + waited + met + write, started + "@%p7 bra B;" + waited + "bar.sync 0; bra E; B: bar.sync 0; st.shared::cluster.u32 [%r14], %r1;" + waited + "E:" + met + write, nil},
	{"tells at its end that it starts", PeerGone, tile, mine + met + "@%p5 " + theirs + started + waited + write, mine + met + "@%p5 " + theirs + met + write, nil},
	{"starts and arrives", ClusterBarrier, tile, started + arrived + waited + write, started + waited + met + write, nil},
	{"arrives twice", ClusterBarrier, tile, arrived + arrived + waited + write, arrived + waited + arrived + waited + write, nil},
	{"does not arrive", ClusterBarrier, tile, waited + write, met + write, nil},
	{"some lanes arrive", DivergentBarrier, tile, "setp.lt.u32 %p1, %r9, 7; @%p1 bra B;" + met + "B:" + write, "setp.lt.u32 %p1, %r9, 7; @%p1 bra B; add.u32 %r4, %r4, 1; B:" + met + write, nil},
	{"one warp waits elsewhere", Deadlock, tile, "@%p7 bra B;" + met + "bar.sync 0; bra E; B: bar.sync 0; E:" + write, "@%p7 bra B;" + met + "bra E; B:" + write + "exit; E:" + write, nil},
	{"one block waits elsewhere", Deadlock, tile, "@%p5 bra B;" + met + met + "bra E; B:" + met + "bar.sync 3, 96; E:" + write, "@%p5 bra B;" + met + met + "bra E; B:" + met + "E:" + write, nil},
	{"no such block", OutOfBounds, tile, mine + met + "mapa.shared::cluster.u32 %r14, %r13, 2;" + theirs + met + write, mine + met + "mapa.shared::cluster.u32 %r14, %r13, %r10;" + theirs + met + write, nil},
	{"past the end of a peer's memory", OutOfBounds, tile, mine + met + "ld.shared::cluster.u32 %r4, [%r14+508];" + met + write, mine + met + theirs + met + write, nil},
	{"a peer's address without its space", OutOfBounds, tile, mine + met + "ld.shared.u32 %r4, [%r14];" + met + write, mine + met + "ld.shared::cluster.u32 %r4, [%r13];" + met + write, nil},
	{"misaligned in a peer", Misaligned, tile, mine + met + "ld.shared::cluster.u32 %r4, [%r14+2];" + met + write, mine + met + "ld.shared::cluster.u16 %h1, [%r14+2];" + met + write, nil},
}

func runClusterPlant(t *testing.T, p plant, body string, opt Options) *Report {
	t.Helper()
	k := compile(t, clusterText(2, 2, p.vars, setUp+inCluster+body))
	in := Param{Name: "in", Buf: BufferOf("in", make([]byte, 1024))}
	out := Param{Name: "out", Buf: NewBuffer("out", 1024), Cover: []Range{{0, 1024}}, Multi: true}
	if p.tweak != nil {
		p.tweak(&in, &out)
	}
	opt.Target = "sm_90"
	r, err := k.Launch(LaunchConfig{Launch: shape(4, 64), Params: []Param{in, out}}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFaultsOfClustersAreFound(t *testing.T) {
	for _, p := range clusterPlants {
		for _, together := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, together %v", p.name, together), func(t *testing.T) {
				r := runClusterPlant(t, p, p.bad, Options{Cooperative: together})
				if !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Kind == p.kind }) {
					t.Errorf("no %q among %v", p.kind, r.Findings)
				}
				if err := runClusterPlant(t, p, p.good, Options{Cooperative: together}).Err(); err != nil {
					t.Errorf("the right kernel: %v", err)
				}
			})
		}
		if err := runClusterPlant(t, p, p.good, Options{NoShadow: true}).Err(); err != nil {
			t.Errorf("%s, without a shadow: %v", p.name, err)
		}
	}
}

// A finding names the block whose memory it is.
func TestFindingsOfPeers(t *testing.T) {
	for _, c := range []struct{ bad, want string }{
		{mine + met + "@%p5 " + theirs + write, "block 1 may have ended: nothing keeps it until this access to its shared address"},
		{mine + met + "@%p6 " + theirs + write, "block 0 has ended"},
		{theirs + met + write, "block 1 may not have started: no barrier of the cluster comes before this"},
		{mine + met + "mapa.shared::cluster.u32 %r14, %r13, 7;" + theirs + met + write, "block 7 of a cluster of 2"},
		{"@%p7 bra B;" + met + "bar.sync 0; bra E; B: bar.sync 0; E:" + write, "block [0 0 0]: warp 0 waits at barrier 0 for warps that never come"},
		{"@%p5 bra B;" + met + met + "bra E; B:" + met + "bar.sync 3, 96; E:" + write, "block [0 0 0]: warp 0 waits at barrier 3"},
	} {
		r := runClusterPlant(t, plant{vars: tile}, c.bad, Options{})
		if err := r.Err(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// Every block of every cluster gets the words of all others, from their own numbers.
func TestClustersOfEverySize(t *testing.T) {
	for _, n := range []int{1, 2, 4, 8} {
		k := compile(t, clusterText(n, 1, ".shared .align 16 .b8 tile[16];", fmt.Sprintf(`
mov.u32 %%r2, %%ctaid.x; mov.u32 %%r3, %%ctaid.y; mad.lo.u32 %%r3, %%r3, 16, %%r2; mov.u32 %%r4, tile; setp.eq.u32 %%p1, %%r1, 0; @%%p1 st.shared.u32 [%%r4], %%r3;
mov.u32 %%r5, %%cluster_ctarank; mov.u32 %%r6, %%clusterid.x; mov.u32 %%r7, %%cluster_nctarank; mad.lo.u32 %%r8, %%r6, %%r7, %%r5; sub.u32 %%r8, %%r8, %%r2;
mov.u32 %%r9, %%nclusterid.x; mad.lo.u32 %%r9, %%r9, %%r7, -16; or.b32 %%r8, %%r8, %%r9; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; mov.u32 %%r10, 0; mov.u32 %%r11, 0;
L: mapa.shared::cluster.u32 %%r12, %%r4, %%r10; ld.shared::cluster.u32 %%r13, [%%r12]; mad.lo.u32 %%r11, %%r11, 3, %%r13; add.u32 %%r10, %%r10, 1; setp.lt.u32 %%p2, %%r10, %d; @%%p2 bra L;
add.u32 %%r11, %%r11, %%r8; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; mad.wide.u32 %%rd3, %%r3, 4, %%rd1; @%%p1 st.global.u32 [%%rd3], %%r11;`, n)))
		out := NewBuffer("out", 4*32)
		l := shape(16, 64)
		l.Grid[1] = 2
		r := launch(t, k, l, Param{Buf: out, Cover: []Range{{0, 128}}})
		clean(t, r)
		var want []uint32
		for b := range uint32(32) {
			sum, first := uint32(0), b/uint32(n)*uint32(n)
			for i := range uint32(n) {
				sum = 3*sum + first + i
			}
			want = append(want, sum)
		}
		if string(out.Data) != string(words(want...)) {
			t.Errorf("clusters of %d: got %v, want %v", n, out.Data, words(want...))
		}
	}
}

// One block tells for its whole cluster that all have written.
func TestClustersPublishTogether(t *testing.T) {
	k := compile(t, clusterText(2, 2, tile, setUp+inCluster+write+met+`setp.ne.u32 %p1, %r1, 0; or.pred %p1, %p1, %p6; @%p1 bra END;
membar.gl; atom.global.add.u32 %r5, [%rd1], 1; membar.gl; setp.ne.u32 %p2, %r5, 1; @%p2 bra END; ld.global.u32 %r6, [%rd2]; ld.global.u32 %r6, [%rd2+1020]; END:`))
	clean(t, launch(t, k, shape(4, 64), Param{Buf: BufferOf("in", make([]byte, 4))}, Param{Buf: NewBuffer("out", 1024)}))
}

func TestClusterLaunchesAreChecked(t *testing.T) {
	k := compile(t, clusterText(4, 1, "", met))
	if _, err := k.Launch(LaunchConfig{Launch: shape(6, 64), Params: []Param{{Buf: NewBuffer("x", 4)}}}, Options{}); err == nil || !strings.Contains(err.Error(), "grid x is 6, no multiple of the 4 blocks of a cluster") {
		t.Errorf("got %v", err)
	}
}
