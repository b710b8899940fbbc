package ptx

import (
	"strings"
	"testing"
)

// clustered is a kernel with clusters.
func clustered(directive, body string) string {
	return strings.Replace(entryText("", body), "\n{", "\n."+ClusterDirective+" "+directive+"\n{", 1)
}

func TestClusterLimits(t *testing.T) {
	for _, c := range []struct {
		directive, target string
		grid              [3]uint32
		want              string
	}{
		{"4, 1, 1", "sm_120", [3]uint32{12, 3, 1}, ""},
		{"8", "sm_90", [3]uint32{8, 1, 1}, ""},
		{"1, 1, 1", "sm_120", [3]uint32{7, 1, 1}, ""},
		{"4, 1, 1", "sm_120", [3]uint32{6, 4, 4}, "grid x is 6, no multiple of the 4 blocks of a cluster"},
		{"3, 1, 1", "sm_120", [3]uint32{6, 1, 1}, "clusters of 3 1 1 blocks, want 1, 2, 4 or 8 of them along x"},
		{"0", "sm_120", [3]uint32{6, 1, 1}, "clusters of 0 blocks"},
		{"16, 1, 1", "sm_90", [3]uint32{16, 1, 1}, "clusters of 16 1 1 blocks"},
		{"2, 2, 1", "sm_90", [3]uint32{16, 2, 1}, "clusters of 2 2 1 blocks"},
		{"2, 1, 1", "sm_80", [3]uint32{16, 2, 1}, ".reqnctapercluster needs sm_90, target is sm_80"},
	} {
		m, err := Parse(clustered(c.directive, "mov.u32 %r1, %cluster_ctarank;"))
		if err != nil {
			t.Fatal(err)
		}
		target, err := TargetNamed(c.target)
		if err != nil {
			t.Fatal(err)
		}
		errs := m.Entries[0].CheckLaunch(Launch{Grid: c.grid, Block: [3]uint32{32, 1, 1}}, target)
		if c.want == "" && errs != nil || c.want != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), c.want)) {
			t.Errorf("%s, grid %v on %s: got %v, want %q", c.directive, c.grid, c.target, errs, c.want)
		}
	}
}

func TestClusterInstructionsNeedTarget(t *testing.T) {
	old, _ := TargetNamed("sm_80")
	for _, in := range []string{"mapa.shared::cluster.u32 %r1, %r2, %r3", "ld.shared::cluster.v4.f32 {%f1, %f2, %f3, %f4}, [%r1+16]", "st.shared::cluster.b32 [%r1], %r2",
		"red.shared::cluster.or.b32 [%r1], %r2", "atom.shared::cluster.add.u32 %r3, [%r1], %r2", "atom.shared::cluster.cas.b32 %r3, [%r1], %r2, %r2",
		"barrier.cluster.arrive.aligned", "barrier.cluster.arrive.relaxed.aligned", "barrier.cluster.wait.acquire.aligned"} {
		m, err := Parse(strings.Replace(clustered("2", in+";"), "sm_120", "sm_80", 1))
		if err != nil {
			t.Error(err)
			continue
		}
		if errs := m.Check(old); len(errs) != 1 || !strings.Contains(errs[0].Error(), "needs sm_90, target is sm_80") {
			t.Errorf("%s: got %v", in, errs)
		}
	}
	for _, in := range []string{"barrier.cluster.arrive", "barrier.cluster.wait.relaxed.aligned", "barrier.cluster.wait", "barrier.cluster.sync.aligned", "mapa.u64",
		"cp.async.ca.shared::cluster.global", "ldmatrix.sync.aligned.m8n8.x4.shared::cluster.b16", "atom.shared::cluster.add.f32", "multimem.red.add.u32"} {
		if s := Lookup(in); s != nil {
			t.Errorf("%s is found as %s", in, s.Row.Pattern)
		}
	}
}

// What goes to another block's shared memory is no effect, whatever way its address takes.
func TestPeersAreSharedMemory(t *testing.T) {
	sum := analyzed(t, clustered("4, 1, 1", `.shared .align 16 .b8 s[512];
	mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank; xor.b32 %r3, %r2, 1; mov.u32 %r4, s;
	mapa.shared::cluster.u32 %r5, %r4, %r3; mad.lo.s32 %r6, %r1, 4, %r5;
	st.shared::cluster.u32 [%r6], %r1; red.shared::cluster.add.u32 [%r5], %r1;
	barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
	ld.shared::cluster.v2.u32 {%r7, %r8}, [%r5];`), Launch{Grid: [3]uint32{8, 1, 1}, Block: [3]uint32{128, 1, 1}})
	if len(sum.Unknown)+len(sum.LostLoads)+len(sum.GlobalStore)+len(sum.ModuleRead) > 0 || sum.Barriers != 2 {
		t.Errorf("got %+v", sum)
	}
	for i, p := range sum.Params {
		if p.Mode != "-" {
			t.Errorf("parameter %d: mode %s", i, p.Mode)
		}
	}
}

// Cluster and rank are parts of the block number, so that rows of clusters tile an output.
func TestClusterNumbersAreTraced(t *testing.T) {
	const store = "mul.wide.u32 %rd5, %r5, 4; add.s64 %rd6, %rd2, %rd5; st.global.u32 [%rd6], %r1;"
	number := `mov.u32 %r1, %tid.x; mov.u32 %r2, %clusterid.x; mov.u32 %r3, %cluster_ctarank; mov.u32 %r8, %cluster_nctarank;
	mad.lo.s32 %r4, %r3, 6, %r2; mad.lo.s32 %r5, %r4, 32, %r1;`
	for _, c := range []struct {
		name, directive, body string
		blocks                uint32
		want                  []Span
	}{
		{"transposed", "4, 1, 1", number, 24, []Span{{0, 24 * 128}}},
		{"one row of each cluster", "2, 1, 1", number + "setp.ne.u32 %p1, %r3, 0; @%p1 bra END;", 12, []Span{{0, 6 * 128}}},
		{"none", "1", "mov.u32 %r1, %tid.x; mov.u32 %r3, %cluster_ctarank; mov.u32 %r2, %nclusterid.x; mad.lo.s32 %r4, %r3, 5, %r2; mad.lo.s32 %r5, %r4, 32, %r1;", 1, []Span{{128, 256}}},
	} {
		sum := analyzed(t, clustered(c.directive, c.body+store+"\nEND:"), Launch{Grid: [3]uint32{c.blocks, 1, 1}, Block: [3]uint32{32, 1, 1}})
		p := sum.Params[1]
		if !p.Exact || len(p.Cover) != 1 || p.Cover[0] != c.want[0] {
			t.Errorf("%s: got %+v, want %v covered", c.name, p, c.want)
		}
	}
}

func analyzed(t *testing.T, text string, l Launch) *Summary {
	t.Helper()
	m, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = Parse(m.String()); err != nil { // the directive is printed, too
		t.Fatal(err)
	}
	sum, err := Analyze(m.Entries[0], l)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}
