package codegen_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"dsac/codegen"
	"dsac/codegen/emu"
	"dsac/codegen/llc"
	"dsac/codegen/ptx"
	"dsac/codegen/ptxas"
)

const splitWords = 512 // numbers that the blocks of a cluster add up, of each column of 32

// split sums 32 columns of numbers over the rows that this block of the cluster has. The grid has
// a cluster for each 32 columns.
func split(k *codegen.K, n int) (rank, cluster codegen.I32, sum codegen.F32) {
	rank, cluster = k.ClusterRank(), k.BlockX().UDiv(n)
	all := codegen.Let(k.F32(0))
	part := splitWords / n
	x := k.Arg(0).Elem(cluster.Mul(splitWords).Add(rank.Mul(part)).Mul(32).Add(k.Lane()), 4)
	k.For(k.I32(0), k.I32(part), 1, func(i codegen.I32) { all.Set(all.Get().Add(x.Elem(i.Mul(32), 4).LdF32())) })
	return rank, cluster, all.Get()
}

// splitPush gives each block of the cluster a part of the columns, to whose sums the others send theirs.
func splitPush(n int) func(k *codegen.K) {
	return func(k *codegen.K) {
		k.Cluster(n)
		k.ClusterStart()
		rank, cluster, sum := split(k, n)
		sums, part := k.Shared("sums", 128), 32/n
		k.ClusterWait() // all have started
		sums.Peer(k.Lane().UDiv(part)).Elem(rank.Mul(part).Add(k.Lane().And(part-1)), 4).StF32(sum)
		k.ClusterSync()
		k.If(k.Lane().Lt(part), func() {
			all := sums.Elem(k.Lane(), 4).LdF32()
			for r := 1; r < n; r++ {
				all = all.Add(sums.Elem(k.Lane().Add(r*part), 4).LdF32())
			}
			k.Arg(1).Elem(cluster.Mul(32).Add(rank.Mul(part)).Add(k.Lane()), 4).StF32(all)
		})
	}
}

// splitSum lets the first block of the cluster add the sums up in the order of ranks.
func splitSum(n int) func(k *codegen.K) {
	return func(k *codegen.K) {
		k.Cluster(n)
		rank, cluster, sum := split(k, n)
		sums := k.Shared("sums", 128)
		sums.Elem(k.Lane(), 4).StF32(sum)
		k.ClusterSync()
		k.If(rank.Eq(0), func() {
			all := sum
			for r := 1; r < n; r++ {
				all = all.Add(sums.Peer(k.I32(r)).Elem(k.Lane(), 4).LdF32())
			}
			k.Arg(1).Elem(cluster.Mul(32).Add(k.Lane()), 4).StF32(all)
		})
		k.ClusterSync()
	}
}

// exchange passes words around a cluster in every way that there is.
func exchange(k *codegen.K) {
	k.Cluster(2)
	s := k.Shared("words", 1024)
	own := s.Elem(k.Lane(), 16)
	own.StI32x4([4]codegen.I32{k.Lane(), k.BlockX(), k.I32(0), k.I32(0)})
	s.At(512).Elem(k.Lane(), 16).StI32x4([4]codegen.I32{k.I32(0), k.I32(0), k.I32(0), k.I32(0)})
	k.ClusterSync()
	other := s.Peer(k.ClusterRank().Xor(1)).Elem(k.Lane(), 16)
	a := other.LdI32x4()
	b := other.LdI32x2()
	c := other.At(4).When(k.Lane().Lt(16)).LdI32()
	low := other.LdU8().Add(other.At(4).LdU16())
	given := other.At(512)
	given.StI32x2([2]codegen.I32{a[1], b[0]})
	given.At(8).When(k.Lane().Lt(16)).StI32(c)
	given.At(12).StF32(low.F32())
	k.ClusterArrive()
	k.ClusterWait()
	given.Count(k.I32(100))
	given.At(4).AtomicOr(k.I32(1 << 16))
	old := given.At(8).AtomicAdd(k.I32(5))
	k.ClusterSync()
	v := s.At(512).Elem(k.Lane(), 16).LdI32x4()
	sum := v[0].Add(v[1]).Add(v[2]).Add(v[3].AsF32().Trunc()).Add(old)
	k.Arg(1).Elem(k.BlockX().Mul(32).Add(k.Lane()), 4).StI32(sum)
}

func exchanged(block, lane int) int {
	peer := block ^ 1
	c := 0 // what this block gave, and what it was given
	if lane < 16 {
		c = block + peer
	}
	return (block + 100) + (lane | 1<<16) + c + 5 + (lane + block)
}

// TestClusters runs kernels with clusters in the emulator, with every llc, and assembles them for
// the targets that have clusters.
func TestClusters(t *testing.T) {
	tools := llc.All()
	if len(tools) == 0 {
		_, err := llc.Find()
		t.Skip(err)
	}
	for _, name := range []string{"sm_90", "sm_120"} {
		g := target(t, name)
		m := codegen.NewModule(g)
		operands := []string{"in", "out"}
		m.Kernel("split2", operands, 32, splitSum(2))
		m.Kernel("split8", operands, 32, splitSum(8))
		m.Kernel("push4", operands, 32, splitPush(4))
		m.Kernel("exchange", operands, 32, exchange)
		m.Kernel("plain", operands, 32, func(k *codegen.K) { k.Arg(1).StI32(k.Arg(0).LdI32()) })
		ir, err := m.Build()
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools {
			t.Run(name+", llc "+tool.Version, func(t *testing.T) {
				text, err := tool.Compile(ir, g, "test")
				if err != nil {
					t.Fatal(err)
				}
				if as, err := ptxas.Find(); err != nil {
					t.Log(err)
				} else if r, err := as.Assemble(text, g); err != nil {
					t.Error(err)
				} else if u := r.Usage["split8"]; u.SpillStore+u.SpillLoad > 0 {
					t.Errorf("it spills: %+v", u)
				}
				mod, err := ptx.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				for _, err := range mod.Check(g.Target) {
					t.Error(err)
				}
				for name, n := range map[string]int{"split2": 2, "split8": 8, "push4": 4, "exchange": 2, "plain": 1} {
					if got := mod.Entry(name).Cluster(); got != n {
						t.Errorf("%s has clusters of %d blocks, want %d", name, got, n)
					}
				}
				runSplit(t, mod, "split2", 2)
				runSplit(t, mod, "split8", 8)
				runSplit(t, mod, "push4", 4)
				out := runCluster(t, mod, "exchange", 4, make([]byte, 4), 4*32*4)
				for i := range 4 * 32 {
					if got, want := int(int32(binary.LittleEndian.Uint32(out[4*i:]))), exchanged(i/32, i%32); got != want {
						t.Fatalf("exchange: block %d, lane %d: got %d, want %d", i/32, i%32, got, want)
					}
				}
			})
		}
	}
}

func runSplit(t *testing.T, mod *ptx.Module, name string, n int) {
	t.Helper()
	const clusters = 2
	in := make([]byte, 4*32*splitWords*clusters)
	value := func(i int) float32 { return float32(i%1013) / 7 }
	for i := range len(in) / 4 {
		binary.LittleEndian.PutUint32(in[4*i:], math.Float32bits(value(i)))
	}
	out := runCluster(t, mod, name, clusters*n, in, 4*32*clusters)
	for i := range 32 * clusters {
		var all float32
		for r := range n {
			var sum float32
			for j := range splitWords / n {
				sum += value((i/32*splitWords+r*splitWords/n+j)*32 + i%32)
			}
			all += sum
		}
		if got := math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:])); got != all {
			t.Fatalf("%s: column %d: got %v, want %v", name, i, got, all)
		}
	}
}

// runCluster launches a kernel of one warp a block; its effects must be traced, too.
func runCluster(t *testing.T, mod *ptx.Module, name string, blocks int, in []byte, size int) []byte {
	t.Helper()
	l := ptx.Launch{Grid: [3]uint32{uint32(blocks), 1, 1}, Block: [3]uint32{32, 1, 1}}
	sum, err := ptx.Analyze(mod.Entry(name), l)
	if err != nil {
		t.Fatal(err)
	}
	if p := sum.Params[1]; p.Mode != "w" || len(p.Cover) != 1 || p.Cover[0] != (ptx.Span{Lo: 0, Hi: int64(size)}) || len(sum.Unknown)+len(sum.LostLoads) > 0 || sum.Exit != "" || sum.Early != "" {
		t.Errorf("%s: got %+v, want all of the output stored", name, sum)
	}
	kernel, err := emu.Compile(mod, name)
	if err != nil {
		t.Fatal(err)
	}
	out := emu.NewBuffer("out", size)
	rep, err := kernel.Launch(emu.LaunchConfig{Launch: l, Params: []emu.Param{
		{Name: "in", Buf: emu.BufferOf("in", in), Access: emu.Read}, {Name: "out", Buf: out, Access: emu.Write, Cover: []emu.Range{{Hi: size}}}, {Name: "control", Value: 0},
	}}, emu.Options{Target: "sm_120"})
	if err == nil {
		err = rep.Err()
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out.Data
}

func TestClusterErrors(t *testing.T) {
	shared := func(k *codegen.K) codegen.Ptr { return k.Shared("s", 64) }
	for _, c := range []struct {
		name, target string
		emit         func(k *codegen.K)
		want         string
	}{
		{"three", "sm_90", func(k *codegen.K) { k.Cluster(3) }, "a cluster of 3 blocks, want 2, 4 or 8"},
		{"one", "sm_90", func(k *codegen.K) { k.Cluster(1) }, "a cluster of 1 blocks, want 2, 4 or 8"},
		{"sixteen", "sm_90", func(k *codegen.K) { k.Cluster(16) }, "a cluster of 16 blocks"},
		{"twice", "sm_90", func(k *codegen.K) { k.Cluster(4); k.Cluster(2) }, "a cluster of 2 blocks in a kernel with clusters of 4"},
		{"old target", "sm_80", func(k *codegen.K) { k.Cluster(2) }, "sm_80 has no clusters"},
		{"rank", "sm_90", func(k *codegen.K) { k.ClusterRank() }, "the kernel has no clusters: call Cluster first"},
		{"barrier", "sm_90", func(k *codegen.K) { k.ClusterSync() }, "the kernel has no clusters"},
		{"peer", "sm_90", func(k *codegen.K) { shared(k).Peer(k.I32(0)) }, "the kernel has no clusters"},
		{"peer of global memory", "sm_90", func(k *codegen.K) { k.Cluster(2); k.Arg(0).Peer(k.I32(0)) }, "not of global memory"},
		{"peer of a peer", "sm_90", func(k *codegen.K) { k.Cluster(2); shared(k).Peer(k.I32(0)).Peer(k.I32(1)) }, "not of shared::cluster memory"},
		{"address", "sm_90", func(k *codegen.K) { k.Cluster(2); shared(k).Peer(k.I32(0)).Addr() }, "in the shared memory of a peer"},
		{"matrix", "sm_90", func(k *codegen.K) { k.Cluster(2); k.LdMatrix(shared(k).Peer(k.I32(0)), 1, false) }, "in the shared memory of a peer"},
		{"copy", "sm_90", func(k *codegen.K) { k.Cluster(2); k.CopyAsync(shared(k).Peer(k.I32(0)), k.Arg(0), 16) }, "in the shared memory of a peer"},
		{"byte", "sm_90", func(k *codegen.K) { k.Cluster(2); shared(k).Peer(k.I32(0)).StU8(k.I32(0)) }, "nor to peers"},
		{"launch without", "sm_90", func(k *codegen.K) { k.Cluster(2); k.LaunchedAs(codegen.Line(4, 32)) }, "clusters of 2 blocks is launched in clusters of 1"},
		{"launch with", "sm_90", func(k *codegen.K) { k.LaunchedAs(codegen.Launch{Grid: [3]uint32{4, 1, 1}, Cluster: 4}) }, "clusters of 1 blocks is launched in clusters of 4"},
		{"grid", "sm_90", func(k *codegen.K) {
			k.Cluster(4)
			k.LaunchedAs(codegen.Launch{Grid: [3]uint32{6, 4, 1}, Cluster: 4})
		}, "a grid of 6 blocks along x is no multiple of the 4 of a cluster"},
	} {
		m := codegen.NewModule(target(t, c.target))
		m.Kernel("k", []string{"a", "b"}, 32, c.emit)
		if _, err := m.Build(); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "cluster_test.go:") {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	m := codegen.NewModule(target(t, "sm_90"))
	part := codegen.Stage{Operands: []string{"a", "b"}, Launch: codegen.Line(2, 32), Emit: exchange}
	m.Batch("batch", []codegen.Chain{{part}, {part}})
	if _, err := m.Build(); err == nil || !strings.Contains(err.Error(), "a kernel with clusters cannot be a part of another: its Launch has to say Cluster: 2") {
		t.Errorf("a part: got %v", err)
	}
}

// Kernels that differ in nothing but their clusters are two.
func TestClustersTellKernelsApart(t *testing.T) {
	m := codegen.NewModule(target(t, "sm_90"))
	names := map[string]bool{}
	for _, n := range []int{1, 2, 4, 2} {
		names[m.Kernel(strings.Repeat("k", 1+len(m.Names)), []string{"a"}, 32, func(k *codegen.K) {
			if n > 1 {
				k.Cluster(n)
			}
			k.Arg(0).StI32(k.I32(1))
		})] = true
	}
	if len(names) != 3 || len(m.Names) != 3 {
		t.Errorf("got kernels %v (%v), want three", names, m.Names)
	}
}
