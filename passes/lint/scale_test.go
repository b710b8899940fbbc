package lint

import (
	"fmt"
	"testing"

	"dsac/passes/mutate/synthetic"
	"dsac/runtime/plan"
)

func big(t testing.TB, layers, entries int) *plan.Plan {
	t.Helper()
	p, err := plan.Parse("big", []byte(synthetic.Text(synthetic.Options{Layers: layers, Entries: entries, Ctx: 131072})))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// BenchmarkRun lints plans of 8 entries over two streams with 78 layers, twice and four times
// as many. Growth should be close to linear.
func BenchmarkRun(b *testing.B) {
	for _, k := range []int{1, 2, 4} {
		p := big(b, 78*k, 8)
		b.Run(fmt.Sprintf("%dx", k), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if fs := Run(p, Options{}); len(fs) > 0 {
					b.Fatal(fs[0].Summary)
				}
			}
			b.ReportMetric(float64(len(p.Steps)), "steps")
		})
	}
}

// TestWorkGrowsWithThePlan counts spans instead of time: four times the layers, four times the
// work and a little.
func TestWorkGrowsWithThePlan(t *testing.T) {
	work := func(layers int) (visits int) {
		u := newUnit(newModel(big(t, layers, 1), &Options{}), 0)
		for i := range u.points {
			w := &walk{unit: u, point: u.points[i], world: u.worlds[0], out: &collector{}, defined: map[int32]bool{}}
			w.run()
			visits += w.visits
		}
		return visits
	}
	one, four := work(78), work(312)
	if one == 0 || four > 4*one+one/10 {
		t.Errorf("78 layers look at %d spans, 312 at %d: more than linear", one, four)
	}
}
