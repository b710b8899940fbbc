package lint_test

import (
	"fmt"
	"testing"
	"time"

	"dsac/passes/lint"
	"dsac/passes/mutate/synthetic"
	"dsac/runtime/plan"
)

func big(t testing.TB, layers int) *plan.Plan {
	t.Helper()
	p, err := plan.Parse("big", []byte(synthetic.Text(synthetic.Options{Layers: layers, Entries: 8, Ctx: 131072})))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// BenchmarkRun lints plans of 8 entries over two streams with 78 layers, twice and four times
// as many. Growth should be close to linear.
func BenchmarkRun(b *testing.B) {
	for _, k := range []int{1, 2, 4} {
		p := big(b, 78*k)
		b.Run(fmt.Sprintf("%dx", k), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if fs := lint.Run(p, lint.Options{}); len(fs) > 0 {
					b.Fatal(fs[0].Summary)
				}
			}
			b.ReportMetric(float64(len(p.Steps)), "steps")
		})
	}
}

// TestGrowthIsNearLinear allows four times the layers eight times the time.
func TestGrowthIsNearLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("times a plan of 312 layers")
	}
	best := func(p *plan.Plan) time.Duration {
		d := time.Hour
		for range 3 {
			s := time.Now()
			if fs := lint.Run(p, lint.Options{}); len(fs) > 0 {
				t.Fatal(fs[0].Summary)
			}
			d = min(d, time.Since(s))
		}
		return d
	}
	one, four := best(big(t, 78)), best(big(t, 312))
	t.Logf("78 layers: %v, 312 layers: %v", one, four)
	if four > 8*one {
		t.Errorf("78 layers take %v, 312 take %v: more than twice the linear growth", one, four)
	}
}
