// Command mutate runs the mutation campaign of the lint over plan files, or texts of plans, and
// prints its table. A built-in plan with streams, ranks and split sums joins them. It exits 1
// when a mutant that changes results goes unreported.
//
//	go run ./passes/mutate/cmd/mutate -n 10000 -seed 1 tiny.plan glm52.plan
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"dsac/passes/mutate"
	"dsac/passes/mutate/synthetic"
	"dsac/runtime/plan"
)

func main() {
	n := flag.Int("n", 1000, "mutants to make")
	seed := flag.Uint64("seed", 1, "seed of the campaign")
	only := flag.String("only", "", "operators to use, separated by commas")
	entries := flag.String("entries", "", "entries to work on, separated by commas; all by default")
	judge := flag.Bool("judge", false, "also judge the mutants that are reported")
	flag.Parse()
	if err := run(*n, *seed, *only, *entries, *judge, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(n int, seed uint64, only, entries string, judge bool, paths []string) error {
	text := synthetic.Text(synthetic.Options{Layers: 4, Entries: 3})
	streams, err := plan.Parse("streams", []byte(text))
	if err != nil {
		return err
	}
	subjects := []mutate.Subject{{Name: "streams", Plan: streams}}
	for _, path := range paths {
		p, err := open(path)
		if err != nil {
			return err
		}
		s := mutate.Subject{Name: filepath.Base(path), Plan: p}
		for i := range p.Entries {
			for _, name := range strings.Split(entries, ",") {
				if name != "" && p.Str(p.Entries[i].Name) == name {
					s.Entries = append(s.Entries, i)
				}
			}
		}
		subjects = append(subjects, s)
	}
	opt := mutate.Options{Mutants: n, Seed: seed, Judge: judge}
	if only != "" {
		opt.Only = strings.Split(only, ",")
	}
	t, err := mutate.Campaign(subjects, opt)
	if err != nil {
		return err
	}
	fmt.Print(t)
	if sum := t.Sum(); sum.Missed > 0 {
		return fmt.Errorf("%d of %d mutants change results and are not reported", sum.Missed, sum.Mutants)
	}
	return nil
}

// open reads a plan file or the text of a plan.
func open(path string) (*plan.Plan, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if plan.IsPlan(data) {
		return plan.Decode(data)
	}
	return plan.Parse(path, data)
}
