package mutate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"text/tabwriter"

	"dsac/passes/lint"
	"dsac/passes/mutate/tags"
	"dsac/runtime/plan"
)

// Subject is a plan to mutate. Entries are the ones to work on; nil means all.
type Subject struct {
	Name    string
	Plan    *plan.Plan
	Entries []int
}

// Row counts the mutants of one operator: Reported by the lint, Harmless by the tags among
// those that it did not report, Missed the rest.
type Row struct {
	Operator                            string
	Mutants, Reported, Harmless, Missed int
	NeedlessReports                     int // reported, and harmless by the tags: only counted with Judge
}

// Survivor is a mutant that changes results and that the lint does not report.
type Survivor struct {
	Operator, Subject, Entry string
	Diff                     string // the differences to the sound plan
}

// Mutant is a broken plan with the verdicts on it.
type Mutant struct {
	Operator string
	Plan     *plan.Plan
	Entry    int  // the one that was changed
	Reported bool // by the lint
	Harmless bool // by the tags; of a reported one only known with Judge
	diff     func() string
}

// Diff says in what the mutant differs from the sound plan.
func (m *Mutant) Diff() string { return m.diff() }

// Table is the result of a campaign.
type Table struct {
	Rows      []Row
	Survivors []Survivor
	Judged    bool // NeedlessReports were counted
}

// Options of a campaign.
type Options struct {
	Mutants int
	Seed    uint64
	Judge   bool // run the tags on reported mutants too, to count needless reports
	Only    []string
	Lint    lint.Options
	Each    func(m *Mutant) // if not nil, called for every mutant
}

// Campaign breaks the subjects round by round, one operator after the other, until it has made
// n mutants. It is an error if a sound plan has a finding. Equal seeds give equal tables.
func Campaign(subjects []Subject, opt Options) (*Table, error) {
	c := &campaign{opt: opt, rows: map[string]*Row{}, digests: map[[2]int]tags.Digest{}}
	c.opt.Lint.All = true
	for _, s := range subjects {
		if fs := lint.Run(s.Plan, c.opt.Lint); lint.Fails(fs, true) {
			return nil, fmt.Errorf("plan %s is not clean: %s %s", s.Name, fs[0].Code, fs[0].Summary)
		}
	}
	ops := Operators
	if opt.Only != nil {
		ops = nil
		for _, o := range Operators {
			for _, name := range opt.Only {
				if o.Name == name {
					ops = append(ops, o)
				}
			}
		}
	}
	rng := rand.New(rand.NewPCG(opt.Seed, 1))
	for made, idle := 0, 0; made < opt.Mutants && idle < 10*len(ops)*len(subjects); {
		for _, o := range ops {
			si := rng.IntN(len(subjects))
			if c.one(subjects[si], si, &o, rng) {
				made, idle = made+1, 0
			} else {
				idle++
			}
			if made == opt.Mutants {
				break
			}
		}
	}
	t := &Table{Survivors: c.survivors, Judged: opt.Judge}
	for _, o := range ops {
		if r := c.rows[o.Name]; r != nil {
			t.Rows = append(t.Rows, *r)
		} else {
			t.Rows = append(t.Rows, Row{Operator: o.Name})
		}
	}
	return t, nil
}

type campaign struct {
	opt       Options
	rows      map[string]*Row
	digests   map[[2]int]tags.Digest // subject, entry: results of the sound plan
	survivors []Survivor
}

// one makes and judges one mutant.
func (c *campaign) one(s Subject, si int, o *Operator, rng *rand.Rand) bool {
	e := rng.IntN(len(s.Plan.Entries))
	if s.Entries != nil {
		e = s.Entries[rng.IntN(len(s.Entries))]
	}
	m := newMutant(s.Plan, e, rng)
	if !o.apply(m) {
		return false
	}
	r := c.rows[o.Name]
	if r == nil {
		r = &Row{Operator: o.Name}
		c.rows[o.Name] = r
	}
	r.Mutants++
	v := &Mutant{Operator: o.Name, Plan: m.Plan, Entry: m.e, diff: func() string { return describe(s.Plan, m.Plan, m.e) }}
	v.Reported = lint.Fails(lint.Run(m.Plan, c.opt.Lint), true)
	v.Harmless = (!v.Reported || c.opt.Judge) && c.harmless(s, si, m)
	switch {
	case v.Reported:
		r.Reported++
		if v.Harmless {
			r.NeedlessReports++
		}
	case v.Harmless:
		r.Harmless++
	default:
		r.Missed++
		c.survivors = append(c.survivors, Survivor{o.Name, s.Name, m.Str(m.entry.Name), v.Diff()})
	}
	if c.opt.Each != nil {
		c.opt.Each(v)
	}
	return true
}

// harmless compares the results of the mutant's entry with those of the sound plan. Buffers
// that all entries share are seen by the others in the same way.
func (c *campaign) harmless(s Subject, si int, m *mutant) bool {
	k := [2]int{si, m.e}
	want, ok := c.digests[k]
	if !ok {
		want = tags.Entry(s.Plan, m.e, tags.Options{Seed: c.opt.Seed})
		c.digests[k] = want
	}
	return tags.Equal(want, tags.Entry(m.Plan, m.e, tags.Options{Seed: c.opt.Seed}))
}

// Sum adds up the rows.
func (t *Table) Sum() Row {
	sum := Row{Operator: "all"}
	for _, r := range t.Rows {
		sum.Mutants += r.Mutants
		sum.Reported += r.Reported
		sum.Harmless += r.Harmless
		sum.Missed += r.Missed
		sum.NeedlessReports += r.NeedlessReports
	}
	return sum
}

// String lays the table out in columns, with the survivors below.
func (t *Table) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "operator\tmutants\treported\tharmless\tmissed\t"
	if t.Judged {
		head += "of the reported harmless\t"
	}
	fmt.Fprintln(w, head)
	for _, r := range append(t.Rows, t.Sum()) {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t", r.Operator, r.Mutants, r.Reported, r.Harmless, r.Missed)
		if t.Judged {
			fmt.Fprintf(w, "%d\t", r.NeedlessReports)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	for _, s := range t.Survivors {
		fmt.Fprintf(&b, "missed: %s in %s entry %q: %s\n", s.Operator, s.Subject, s.Entry, s.Diff)
	}
	return b.String()
}
