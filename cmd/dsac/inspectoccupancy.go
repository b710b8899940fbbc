package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"dsac/passes/cost"
	"dsac/runtime/plan"
)

// occupied is a kernel with one shape of launch.
type occupied struct {
	op, name                   string
	launches                   int
	blocks                     int // of the grid
	cluster                    int // blocks of a cluster, 1: there are none
	threads, registers, shared int
}

// clusterText is empty for kernels without clusters.
func (r *occupied) clusterText() string {
	if r.cluster <= 1 {
		return ""
	}
	return strconv.Itoa(r.cluster)
}

// printOccupancy writes what each kernel of a plan, or of one entry, takes of a multiprocessor,
// and how many blocks of it one holds; the blocks of a cluster are on neighbouring ones.
func printOccupancy(out io.Writer, p *plan.Plan, entry string) error {
	if entry != "" && !slices.ContainsFunc(p.Entries, func(e plan.Entry) bool { return p.Str(e.Name) == entry }) {
		return fmt.Errorf("the plan has no entry %q", entry)
	}
	limits, err := cost.LimitsOf(p.MetaValue(plan.MetaTarget))
	if err != nil {
		return err
	}
	var rows []*occupied
	index := make(map[string]*occupied)
	clusters := clustersOf(p)
	for i := range p.Launches {
		l := &p.Launches[i]
		if l.Kernel == plan.None || entry != "" && p.Str(p.Entries[l.Entry].Name) != entry {
			continue
		}
		k := &p.Kernels[l.Kernel]
		if k.Cubin.Len == 0 {
			return fmt.Errorf("kernel %s has no cubin, so its registers are not known: compile again where ptxas is found", p.Str(k.Name))
		}
		key := fmt.Sprint(l.Kernel, l.Grid, l.Block, l.Shared)
		r := index[key]
		if r == nil {
			r = &occupied{op: p.Str(p.Steps[l.First].Op), name: p.Str(k.Name), blocks: int(l.Grid[0]) * int(l.Grid[1]) * int(l.Grid[2]),
				cluster: clusters(l.Kernel), threads: int(l.Block[0] * l.Block[1] * l.Block[2]), registers: int(k.Regs), shared: int(k.Shared + l.Shared)}
			index[key] = r
			rows = append(rows, r)
		}
		r.launches++
	}
	slices.SortStableFunc(rows, func(a, b *occupied) int { return cmp.Compare(a.op, b.op) })
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "launches\tgrid\tcluster\tthreads\tregisters\tshared\tblocks per SM\twarps per SM\tbound by\t\tkernel")
	for _, r := range rows {
		n, bound := limits.Blocks(r.threads, r.registers, r.shared)
		fmt.Fprintf(w, "%d\t%d\t%s\t%d\t%d\t%d\t%d\t%d\t%s\t\t%s\n", r.launches, r.blocks, r.clusterText(), r.threads, r.registers, r.shared, n, n*((r.threads+31)/32), bound, r.name)
	}
	return w.Flush()
}
