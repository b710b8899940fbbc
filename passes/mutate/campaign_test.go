package mutate

import (
	"os"
	"strconv"
	"testing"

	"dsac/passes/lint"
	"dsac/passes/mutate/synthetic"
	"dsac/runtime/plan"
)

func streams(t testing.TB, layers, entries int) *plan.Plan {
	t.Helper()
	p, err := plan.Parse("streams", []byte(synthetic.Text(synthetic.Options{Layers: layers, Entries: entries})))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCampaign breaks a plan with streams, ranks and shared lists. DSAC_MUTANTS sets how often.
func TestCampaign(t *testing.T) {
	n := 800
	if s := os.Getenv("DSAC_MUTANTS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Campaign([]Subject{{Name: "streams", Plan: streams(t, 4, 3)}}, Options{Mutants: n, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", c)
	sum := c.Sum()
	if sum.Missed > 0 {
		t.Errorf("%d of %d mutants change results and are not reported", sum.Missed, sum.Mutants)
	}
	if sum.Mutants != n || sum.Reported < n/2 {
		t.Errorf("got %d mutants, %d reported: the campaign does not work", sum.Mutants, sum.Reported)
	}
}

func TestCampaignIsReproducible(t *testing.T) {
	s := []Subject{{Name: "streams", Plan: streams(t, 2, 2)}}
	a, errA := Campaign(s, Options{Mutants: 150, Seed: 3})
	b, errB := Campaign(s, Options{Mutants: 150, Seed: 3})
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if a.String() != b.String() {
		t.Errorf("equal seeds gave different tables:\n%s\n%s", a, b)
	}
}

func TestCampaignRefusesAFaultyPlan(t *testing.T) {
	p, err := plan.Parse("faulty", []byte("buf a A+0 512\nbuf y O+0 512\nop h r=a w=y\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Campaign([]Subject{{Name: "faulty", Plan: p}}, Options{Mutants: 1}); err == nil {
		t.Error("got no error for a plan with a finding")
	}
}

// TestBlindLintIsCaught: with a lint that looks at nothing, the campaign must report misses.
func TestBlindLintIsCaught(t *testing.T) {
	c, err := Campaign([]Subject{{Name: "streams", Plan: streams(t, 2, 1)}}, Options{Mutants: 100, Seed: 5, Lint: lint.Options{Only: []string{"none"}}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Sum().Missed < 40 {
		t.Errorf("got %d misses of 100 without any rule, want most", c.Sum().Missed)
	}
}

// TestOperatorsApply: every operator finds a place in some subject and changes something.
func TestOperatorsApply(t *testing.T) {
	if len(Operators) < 30 {
		t.Errorf("got %d operators, want at least 30", len(Operators))
	}
	seen := map[string]bool{}
	for _, o := range Operators {
		if seen[o.Name] || o.Doc == "" {
			t.Errorf("operator %q: name repeated or no text", o.Name)
		}
		seen[o.Name] = true
	}
}
