package ptx

import (
	"fmt"
	"strings"
)

// ClusterSM is the first target with clusters of blocks.
const ClusterSM = 90

// ClusterDirective says how many blocks along x, y and z are a cluster. A kernel that has it is
// launched in clusters without a word in the launch.
const ClusterDirective = "reqnctapercluster"

// ClusterSize reports whether n blocks may be a cluster on every target that has clusters; a
// cluster of 1 is as good as none.
func ClusterSize(n int) bool { return n == 1 || n == 2 || n == 4 || n == 8 }

// Cluster returns the blocks of a cluster along x, 1 when the entry has none.
func (e *Entry) Cluster() int {
	for _, d := range e.Perf {
		if d.Name == ClusterDirective {
			return d.Args[0]
		}
	}
	return 1
}

// checkCluster returns what is wrong with the entry's clusters on a target.
func (e *Entry) checkCluster(t Target) (errs []error) {
	for _, d := range e.Perf {
		if d.Name != ClusterDirective {
			continue
		}
		if t.SM < ClusterSM {
			errs = append(errs, fmt.Errorf("%s: .%s needs sm_%d, target is %s", e.Name, d.Name, ClusterSM, t.Name))
		}
		for i, n := range d.Args {
			if i == 0 && !ClusterSize(n) || i > 0 && n != 1 {
				errs = append(errs, fmt.Errorf("%s: clusters of %s blocks, want 1, 2, 4 or 8 of them along x", e.Name, strings.Trim(fmt.Sprint(d.Args), "[]")))
				break
			}
		}
	}
	return errs
}

// clusterRegisters are the special registers about clusters of n blocks along x. Their forms are
// parts of the block number, because n is a power of two and grids are multiples of it; ok is
// false where that does not hold.
var clusterRegisters = map[string]func(a *analyzer, n int64) (l linear, ok bool){
	"%cluster_nctarank": func(_ *analyzer, n int64) (linear, bool) { return constant(n), true },
	"%nclusterid.x":     func(a *analyzer, n int64) (linear, bool) { return constant(int64(a.sizes[blockX]) / max(n, 1)), true },
	"%cluster_ctarank": func(a *analyzer, n int64) (linear, bool) {
		_, rank, ok := a.clusterParts(n)
		return rank, ok
	},
	"%clusterid.x": func(a *analyzer, n int64) (linear, bool) {
		id, _, ok := a.clusterParts(n)
		return id, ok
	},
}

// blockX is the axis of %ctaid.x.
const blockX = 3

// clusterParts takes the block number along x apart.
func (a *analyzer) clusterParts(n int64) (id, rank linear, ok bool) {
	if !ClusterSize(int(n)) || int64(a.from[blockX])%n != 0 || int64(a.axes[blockX])%n != 0 {
		return id, rank, false
	}
	id.con = int64(a.from[blockX]) / n
	for _, t := range a.number(blockX).terms {
		if t.coef < n {
			rank.terms = append(rank.terms, t)
		} else {
			id.terms = append(id.terms, term{t.sym, t.coef / n})
		}
	}
	return id, rank, true
}

// formPeer: the same place in another block's shared memory.
func formPeer(_ *analyzer, v int, _ *value, _ int) linear {
	return single(symbol{kind: symSpace, id: int(Shared)}).plus(opaque(v), 1)
}
