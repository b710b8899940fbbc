package codegen

import (
	"fmt"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"dsac/codegen/ptx"
)

// Clusters: blocks that run at the same time on neighbouring multiprocessors and may read and
// write each other's shared memory. How many they are is a property of the kernel.

// Cluster says that n blocks in a row along x, 2, 4 or 8, are a cluster. The kernel says so once,
// first of all; its launches say it too, and have a multiple of n blocks along x. No block may end while
// another one of its cluster still reads or writes its shared memory: a ClusterSync behind the
// last such access sees to that.
func (k *K) Cluster(n int) {
	switch {
	case k.cluster != 0:
		k.failf("a cluster of %d blocks in a kernel with clusters of %d", n, k.cluster)
	case k.pool != nil:
		k.failf("a kernel with clusters cannot be a part of another: its Launch has to say Cluster: %d", n)
	case !ptx.ClusterSize(n) || n == 1:
		k.failf("a cluster of %d blocks, want 2, 4 or 8", n)
	case !k.m.Target.Clusters():
		k.failf("%s has no clusters", k.m.Target.Name)
	default:
		k.cluster = n
		k.bounds = append(k.bounds, bound{ClusterNote, n})
	}
}

// LaunchedAs fails when the kernel cannot be launched like that: in clusters of another size, or in
// a grid that they do not fill.
func (k *K) LaunchedAs(l Launch) {
	switch n := max(k.cluster, 1); {
	case n != max(l.Cluster, 1):
		k.failf("a kernel with clusters of %d blocks is launched in clusters of %d", n, max(l.Cluster, 1))
	case l.Grid[0]%uint32(n) != 0:
		k.failf("a grid of %d blocks along x is no multiple of the %d of a cluster", l.Grid[0], n)
	}
}

// ClusterNote is the annotation that says how many blocks along x are a cluster. LLVM has no words
// for it that mean the same in all versions: package llc turns it into PTX.
const ClusterNote = "dsac.cluster"

// clusters reports whether the kernel has clusters, and fails when not.
func (k *K) clusters() bool {
	if k.cluster == 0 {
		k.failf("the kernel has no clusters: call Cluster first")
	}
	return k.cluster != 0
}

// ClusterRank returns the number of the block in its cluster: that of the block along x modulo
// the blocks of a cluster.
func (k *K) ClusterRank() I32 {
	if !k.clusters() {
		return k.I32(0)
	}
	const name = "cluster_ctarank" // for which LLVM 14 has no intrinsic
	return k.register(name, func() value.Value { return k.asm(pure, "mov.u32 $0, %"+name+";", repeat(types.I32, 1))[0] })
}

// The barriers of a cluster release and acquire by default; to say so in the text takes a later
// version of PTX than the first that has them (so does ClusterStart). In machine code an arrival waits until the thread's
// global stores are out (MEMBAR) and a wait empties the L1 cache: stores of results come best behind
// the last barrier.

// ClusterArrive says that this thread's accesses so far may be relied on in the whole cluster.
// All threads of the cluster that have not ended take part, warp by warp, and then wait once:
// what a thread does between the two is ordered with nothing in other blocks.
func (k *K) ClusterArrive() {
	if k.clusters() {
		k.asm(barrier, "barrier.cluster.arrive.aligned;", nil)
	}
}

// ClusterStart is an arrival that makes nothing visible and so costs less: it tells peers no more
// than that this block has started, which they have to know before they touch its memory. For the
// end, or for what peers are to read, it is not enough.
func (k *K) ClusterStart() {
	if k.clusters() {
		k.asm(barrier, "barrier.cluster.arrive.relaxed.aligned;", nil)
	}
}

// ClusterWait waits until all threads of the cluster have arrived: what they did before that is
// then visible.
func (k *K) ClusterWait() {
	if k.clusters() {
		k.asm(barrier, "barrier.cluster.wait.aligned;", nil)
	}
}

// ClusterSync waits until all threads of the cluster are here; their shared and global writes
// are then visible to each other.
func (k *K) ClusterSync() {
	k.ClusterArrive()
	k.ClusterWait()
}

// Peer returns the address of the same place in the shared memory of the block that has this
// rank in the cluster, which is an I32 below the blocks of a cluster. Loads, stores and atomics
// go through it, asynchronous copies and matrices do not.
func (p Ptr) Peer(rank I32) Ptr {
	k := p.k
	switch {
	case !k.clusters():
		return p
	case p.space != Shared || p.peer:
		k.failf("a peer has a copy of shared memory of this block only, not of %s memory", p.spaceName())
		return p
	}
	at := k.asm(pure, "mapa.shared::cluster.u32 $0, $1, $2;", repeat(types.I32, 1), p.v, rank.v)[0]
	p.v, p.peer = k.emit(ir.NewIntToPtr(at, bytes(Shared))), true
	return p
}

// spaceName is the space of the address in instructions.
func (p Ptr) spaceName() string {
	if p.peer {
		return "shared::cluster"
	}
	return spaceNames[p.space]
}

// own reports whether p is no address in a peer, and fails otherwise.
func (p Ptr) own(what string) bool {
	if p.peer {
		p.k.failf("%s in the shared memory of a peer", what)
	}
	return !p.peer
}

// peerStore is the text of a store to the shared memory of a peer.
func peerStore(size, n int) string {
	op := "st.shared::cluster"
	if n > 1 {
		op += fmt.Sprintf(".v%d", n)
	}
	return fmt.Sprintf("%s.b%d [$0], %s;", op, 8*size, vector(1, n))
}
