package cuda

import (
	"slices"
	"strings"
	"testing"

	"dsac/runtime/plan"
)

// earlyToy is the toy plan with three launches that may start early. That of add follows an
// event too, so that it starts when all is over.
func earlyToy(t testing.TB) *plan.Plan {
	p := toyPlan(t)
	for i := range p.Steps {
		if name := p.Str(p.Steps[i].Op); name == "add" || name == "sample" || name == "advance" {
			p.Steps[i].Flags |= plan.PDL | plan.GW
		}
	}
	if err := plan.Verify(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// early lists the edges of launches that start early.
func early(g *graph) (es [][2]int32) {
	for _, e := range g.edges {
		if e.early {
			es = append(es, [2]int32{e.from, e.to})
		}
	}
	return es
}

func TestEarlyEdges(t *testing.T) {
	d, _ := loadFake(t, earlyToy(t), Options{})
	if got, want := early(d.entries[0].graph), [][2]int32{{3, 4}, {4, 5}}; !slices.Equal(got, want) {
		t.Errorf("early edges %v, want %v", got, want)
	}
	for at := range int32(6) {
		g := d.delayed(d.entries[0].graph, at)
		for _, e := range early(g) {
			if e[1] == at || int(e[1]) == len(g.nodes)-1 {
				t.Errorf("delay before node %d: edge %v is early, but a delay does not wait by itself", at, e)
			}
		}
	}
}

// A launch that does not wait for its grid starts when the one ahead of it has ended: those
// after it wait for it alone.
func TestLaunchesThatDoNotWaitAreNotEarly(t *testing.T) {
	p := earlyToy(t)
	for i := range p.Steps {
		p.Steps[i].Flags &^= plan.GW
	}
	d, _ := loadFake(t, p, Options{})
	if got := early(d.entries[0].graph); got != nil {
		t.Errorf("early edges %v, want none", got)
	}
}

func TestOldDriversHaveNoEarlyEdges(t *testing.T) {
	for _, c := range []struct {
		name  string
		plan  *plan.Plan
		wants int
	}{{"a plan with early launches", earlyToy(t), 1}, {"a plan without", toyPlan(t), 0}} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake()
			f.old = true
			var said []string
			d := loadOn(t, f, c.plan, Options{Log: func(s string) {
				if strings.Contains(s, "start early") {
					said = append(said, s)
				}
			}})
			if got := early(d.entries[0].graph); got != nil {
				t.Errorf("early edges %v, want none", got)
			}
			if len(said) != c.wants {
				t.Errorf("said %q, want %d lines", said, c.wants)
			}
		})
	}
}

// plantedKinds are graphs of the plan above with an edge of the wrong kind.
var plantedKinds = []struct {
	name     string
	from, to int32
	want     string
}{
	{"early edge made full", 3, 4, "step sample (sample), kernel sample starts when step y (add), kernel add has ended: the plan lets it start early"},
	{"full edge of a stream made early", 0, 2, "step kv (append), kernel append may start before step x (embed), kernel embed has ended: the plan does not say so"},
	{"full edge of an event made early", 1, 3, "step y (add), kernel add may start before step a (scale), kernel scale has ended: the plan does not say so"},
}

func flip(g *graph, from, to int32) {
	for i := range g.edges {
		if e := &g.edges[i]; e.from == from && e.to == to {
			e.early = !e.early
		}
	}
}

func TestCheckFindsEdgesOfTheWrongKind(t *testing.T) {
	d, _ := loadFake(t, earlyToy(t), Options{})
	for _, c := range plantedKinds {
		t.Run(c.name, func(t *testing.T) {
			g := clone(d.entries[0].graph)
			flip(g, c.from, c.to)
			if err := d.checkGraph(0, g); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
