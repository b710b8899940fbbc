package cuda

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dsac/runtime/plan"
)

func TestGraphOfTheToy(t *testing.T) {
	d, _ := loadFake(t, toyPlan(t), Options{})
	got := fmt.Sprint(d.entries[0].graph.edges)
	// 0 embed, 1 scale, 2 append, 3 add, 4 sample, 5 advance, 6 and 7 the control block.
	want := "[{0 1 false} {0 2 false} {1 3 false} {2 3 false} {3 4 false} {4 5 false} {5 7 false} {6 0 false}]"
	if got != want {
		t.Errorf("edges %s, want %s", got, want)
	}
}

// Random orders of steps on three streams with events: the graph must order exactly the pairs
// that a simulation of streams orders.
func TestGraphOrdersWhatStreamsOrder(t *testing.T) {
	d, _ := loadFake(t, toyPlan(t), Options{})
	rapid.Check(t, func(t *rapid.T) {
		p := randomOrder(t)
		b := binding{plan: p, arch: "sm_90", bases: []uint64{0}, fns: []uint64{0}, ctl: d.ctl, early: true}
		g, err := b.buildGraph(0)
		if err != nil {
			t.Fatal(err)
		}
		n := len(g.nodes) - 2
		want := simulate(p)
		for i := range n {
			for j := range n {
				if got := path(g, int32(i), int32(j)); got != want[[2]int{i, j}] {
					t.Fatalf("step %d before %d: %v in the graph, %v on streams\n%v", i, j, got, want[[2]int{i, j}], p.Items)
				}
			}
			if !path(g, int32(n), int32(i)) || !path(g, int32(i), int32(n+1)) {
				t.Fatalf("step %d is not between the copies of the control block", i)
			}
		}
		dev := Device{binding: b}
		if err := dev.checkGraph(0, g); err != nil {
			t.Fatalf("the check refuses what was built: %v", err)
		}
	})
}

// randomOrder makes an entry of steps without operands.
func randomOrder(t *rapid.T) *plan.Plan {
	var b strings.Builder
	b.WriteString("kernel k\nentry e rows=1\n")
	recorded := 0
	stream := rapid.SampledFrom([]string{"main", "s1", "s2"})
	for i := range rapid.IntRange(1, 10).Draw(t, "items") {
		s := stream.Draw(t, "stream")
		switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
		case kind == 0:
			fmt.Fprintf(&b, "rec e%d @%s\n", recorded, s)
			recorded++
		case kind == 1 && recorded > 0:
			fmt.Fprintf(&b, "wait e%d @%s\n", rapid.IntRange(0, recorded-1).Draw(t, "event"), s)
		default:
			early := rapid.SampledFrom([]string{"", " pdl gw"}).Draw(t, "early")
			fmt.Fprintf(&b, "launch %d kernel=k grid=1x1x1 block=1x1x1\nop s%d @%s%s launch=%d\n", i, i, s, early, i)
		}
	}
	p, err := plan.Parse("random", []byte(renumber(b.String())))
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	return p
}

// renumber makes the launches dense.
func renumber(text string) string {
	n := 0
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if _, rest, ok := strings.Cut(l, " kernel=k"); ok && strings.HasPrefix(l, "launch ") {
			lines[i] = fmt.Sprintf("launch %d kernel=k%s", n, rest)
			at := strings.LastIndex(lines[i+1], "=")
			lines[i+1] = fmt.Sprintf("%s=%d", lines[i+1][:at], n)
			n++
		}
	}
	return strings.Join(lines, "\n")
}

// simulate follows the items: per stream and event, the set of steps that are over when what
// comes next on it starts.
func simulate(p *plan.Plan) map[[2]int]bool {
	over := map[plan.Str]map[int]bool{}
	event := map[plan.Str]map[int]bool{}
	join := func(to, from map[int]bool) map[int]bool {
		out := map[int]bool{}
		for _, m := range []map[int]bool{to, from} {
			for k := range m {
				out[k] = true
			}
		}
		return out
	}
	before := map[[2]int]bool{}
	step := 0
	for _, it := range p.EntryItems(&p.Entries[0]) {
		switch it.Kind {
		case plan.Record:
			event[it.Name] = join(nil, over[it.Stream])
		case plan.Wait:
			over[it.Stream] = join(over[it.Stream], event[it.Name])
		case plan.DoStep:
			s := p.Steps[it.Index].Stream
			for k := range over[s] {
				before[[2]int{k, step}] = true
			}
			over[s] = join(over[s], map[int]bool{step: true})
			step++
		}
	}
	return before
}
