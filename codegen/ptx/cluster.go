package ptx

// ClusterSM is the first target with clusters.
const ClusterSM = 90

// ClusterDirective says how many blocks along x, y and z are a cluster. A kernel that has it is
// launched in clusters without a word in the launch.
const ClusterDirective = "reqnctapercluster"

// ClusterSize reports whether n blocks may be a cluster on all targets that have clusters; 1 is
// none.
func ClusterSize(n int) bool { return n == 1 || n == 2 || n == 4 || n == 8 }

// Cluster returns the blocks of a cluster along x, 1 when the entry has none.
func (e *Entry) Cluster() int {
	for _, d := range e.Perf {
		if d.Name == ClusterDirective && len(d.Args) > 0 {
			return d.Args[0]
		}
	}
	return 1
}
