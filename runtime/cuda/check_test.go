package cuda

import (
	"slices"
	"strings"
	"testing"
)

// plantedFaults are wrong graphs of the toy's entry decode, and what the check must say. The
// GPU tests let the driver instantiate them.
var plantedFaults = []struct {
	name  string
	plant func(g *graph)
	want  string
}{
	{"missing edge of an event", func(g *graph) { drop(g, 0, 1) },
		"nothing makes step a (scale), kernel scale wait for step x (embed), kernel embed: an event stands between them"},
	{"missing edge of the second event", func(g *graph) { drop(g, 1, 3) },
		"nothing makes step y (add), kernel add wait for step a (scale), kernel scale: an event stands between them"},
	{"missing edge of a stream", func(g *graph) { drop(g, 4, 5) },
		"nothing makes step advance (advance), kernel advance wait for step sample (sample), kernel sample: they are on one stream"},
	{"control block comes in late", func(g *graph) { drop(g, 6, 0) },
		"nothing makes step x (embed), kernel embed wait for the copy of the control block: the control block comes in"},
	{"control block goes out early", func(g *graph) { drop(g, 5, 7) },
		"nothing makes the copy of the control block wait for step advance (advance), kernel advance: the control block goes out"},
	{"stale address", func(g *graph) { g.nodes[1].params[0] += 4096 },
		"step a (scale): operand 0, buffer x, has address"},
	{"output of another buffer", func(g *graph) { g.nodes[3].params[2] = g.nodes[3].params[1] },
		"step y (add): operand 2, buffer y, has address"},
	{"stale control buffer", func(g *graph) { g.nodes[2].params[2] += 64 },
		"step kv (append), kernel append: the control buffer has address"},
	{"other grid", func(g *graph) { g.nodes[3].grid[0] = 2 },
		"step y (add), kernel add: launched as [2 1 1] x [64 1 1]"},
	{"other kernel", func(g *graph) { g.nodes[1].fn = g.nodes[2].fn },
		"step a (scale), kernel scale: its node has another kernel"},
	{"shorter copy", func(g *graph) { g.nodes[6].bytes = 32 },
		"the copy of the control block goes"},
}

// drop removes an edge and everything that would imply it.
func drop(g *graph, from, to int32) {
	g.edges = slices.DeleteFunc(g.edges, func(e edge) bool { return e.from == from && e.to == to })
}

func clone(g *graph) *graph {
	c := &graph{slices.Clone(g.nodes), slices.Clone(g.edges)}
	for i := range c.nodes {
		c.nodes[i].params = slices.Clone(c.nodes[i].params)
	}
	return c
}

func TestCheckFindsPlantedFaults(t *testing.T) {
	d, _ := loadFake(t, toyPlan(t), Options{})
	if err := d.checkGraph(0, d.entries[0].graph); err != nil {
		t.Fatalf("the graph as built: %v", err)
	}
	for _, c := range plantedFaults {
		t.Run(c.name, func(t *testing.T) {
			g := clone(d.entries[0].graph)
			c.plant(g)
			err := d.checkGraph(0, g)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestCheckFindsWhatADriverWouldNotTake(t *testing.T) {
	d, _ := loadFake(t, toyPlan(t), Options{})
	for _, c := range []struct {
		name  string
		plant func(g *graph)
		want  string
	}{
		{"cycle", func(g *graph) { g.edges = append(g.edges, edge{5, 0, false}) }, "the nodes form a cycle"},
		{"missing node", func(g *graph) { g.nodes = g.nodes[:7]; g.edges = nil }, "7 nodes, the plan has 6 launches and 2 copies"},
		{"missing parameter", func(g *graph) { g.nodes[1].params = g.nodes[1].params[:2] }, "2 parameters, its steps have 2 operands and the control buffer"},
		{"copy instead of a kernel", func(g *graph) { g.nodes[0].kind = toHost }, "its node is no kernel"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := clone(d.entries[0].graph)
			c.plant(g)
			err := d.checkGraph(0, g)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// Every single edge matters or is implied by others: the check must tell which, like a slow
// look at all paths does.
func TestCheckAgreesWithPaths(t *testing.T) {
	d, _ := loadFake(t, toyPlan(t), Options{})
	full := d.entries[0].graph
	for _, e := range full.edges {
		g := clone(full)
		drop(g, e.from, e.to)
		got := d.checkGraph(0, g) != nil
		if want := !path(g, e.from, e.to); got != want {
			t.Errorf("without edge %v: reported %v, want %v", e, got, want)
		}
	}
}

func path(g *graph, from, to int32) bool {
	for _, e := range g.edges {
		if e.from == from && (e.to == to || path(g, e.to, to)) {
			return true
		}
	}
	return false
}
