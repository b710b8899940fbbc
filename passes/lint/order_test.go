package lint

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dsac/runtime/plan"
)

// slowBefore computes happens-before by following edges: a node per item, an edge from all
// items before on the stream but other parts of the same launch, an edge from a record to its
// waits.
func slowBefore(p *plan.Plan, e *plan.Entry) [][]bool {
	items := p.EntryItems(e)
	n := len(items)
	edge := make([][]bool, n)
	for i := range edge {
		edge[i] = make([]bool, n)
	}
	stream := func(i int) plan.Str {
		if items[i].Kind == plan.DoStep {
			return p.Steps[items[i].Index].Stream
		}
		return items[i].Stream
	}
	part := make([]int, n) // parts are numbered through
	for i := range items {
		if items[i].Kind == plan.DoStep && p.Steps[items[i].Index].Flags&plan.Par != 0 {
			part[i] = i
		} else if i > 0 {
			part[i] = part[i-1]
		}
	}
	beside := func(i, j int) bool {
		if items[i].Kind != plan.DoStep || items[j].Kind != plan.DoStep || part[i] == part[j] {
			return false
		}
		l := p.Steps[items[i].Index].Launch
		return l != plan.None && l == p.Steps[items[j].Index].Launch
	}
	for i := range items {
		for j := range i {
			if stream(i) == stream(j) && !beside(i, j) {
				edge[j][i] = true
			}
			if items[i].Kind == plan.Wait && items[j].Kind == plan.Record && items[i].Name == items[j].Name {
				edge[j][i] = true
			}
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				edge[i][j] = edge[i][j] || edge[i][k] && edge[k][j]
			}
		}
	}
	return edge
}

func TestClocksAgainstEdges(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 9))
		b := plan.NewBuilder()
		p := b.P
		streams := []plan.Str{0, b.Str("s1"), b.Str("s2"), b.Str("host")}
		events := 0
		for i := range 6 + rng.IntN(20) {
			s := streams[rng.IntN(len(streams))]
			switch k := rng.IntN(4); {
			case k == 0:
				p.Items = append(p.Items, plan.Item{Kind: plan.Record, Stream: s, Name: b.Str(fmt.Sprintf("e%d", events))})
				events++
			case k == 1 && events > 0:
				p.Items = append(p.Items, plan.Item{Kind: plan.Wait, Stream: s, Name: b.Str(fmt.Sprintf("e%d", rng.IntN(events)))})
			default:
				st := plan.Step{Stream: s, Launch: plan.None}
				steps := 1
				if k == 2 {
					steps, st.Launch = 1+rng.IntN(4), int32(len(p.Launches))
					p.Launches = append(p.Launches, plan.Launch{})
				}
				for j := range steps {
					st.Name = b.Str(fmt.Sprintf("op%d.%d", i, j))
					if st.Flags = 0; j > 0 && rng.IntN(2) == 0 {
						st.Flags = plan.Par
					}
					p.Items = append(p.Items, plan.Item{Index: int32(len(p.Steps))})
					p.Steps = append(p.Steps, st)
				}
			}
		}
		e := plan.Entry{Items: plan.Span{Len: uint32(len(p.Items))}, Steps: plan.Span{Len: uint32(len(p.Steps))}}
		execs, o, faults := buildOrder(p, &e)
		if len(faults) > 0 {
			t.Fatalf("seed %d: got event faults %v", seed, faults)
		}
		want := slowBefore(p, &e)
		var at []int
		for i, it := range p.Items {
			if it.Kind == plan.DoStep {
				at = append(at, i)
			}
		}
		for i := range execs {
			for j := i + 1; j < len(execs); j++ {
				if got, want := o.before(execs, int32(i), int32(j)), want[at[i]][at[j]]; got != want {
					t.Fatalf("seed %d: op %d before op %d: got %v, want %v", seed, i, j, got, want)
				}
			}
		}
	}
}
