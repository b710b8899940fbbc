package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dsac/runtime/plan"
	"dsac/runtime/sample"
)

// minPrefill is the fewest tokens for which a prefill rate is printed: fewer measure launches.
const minPrefill = 128

func newBench() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure how fast plans run",
	}
	cmd.AddCommand(newBenchModel())
	return cmd
}

// benchRow is one measurement of bench model.
type benchRow struct {
	What   string  `json:"what"`  // prefill, decode
	Depth  int     `json:"depth"` // rows in the caches before
	Tokens int     `json:"tokens"`
	Micros float64 `json:"us_per_step"` // median
	Rate   float64 `json:"tok_per_s"`
}

func newBenchModel() *cobra.Command {
	var s sessionFlags
	var depths, prompts []int
	var steps, repeat int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "model PLAN|MODEL.gguf -m MODEL.gguf",
		Short: "Prefill and decode rates at given depths",
		Long: `Bench model fills the caches with random rows to each depth and measures decode steps one by
one (median) and prefills of whole prompts in the plan's chunks (median of --repeat).`,
		Example: `  dsac bench model slice.plan -m slice.gguf --device cuda --depth 0,16384 --prompt 512,2048`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, p := range prompts {
				if p < minPrefill {
					return fmt.Errorf("--prompt %d: a rate of fewer than %d tokens says more about launches than about prefill", p, minPrefill)
				}
			}
			x, err := s.openSession(cmd, args[0])
			if err != nil {
				return err
			}
			defer x.Close()
			if err := x.dev.SetParams(sample.Greedy()); err != nil {
				return err
			}
			var rows []benchRow
			for _, d := range depths {
				r, err := x.benchDepth(cmd, d, prompts, steps, repeat)
				if err != nil {
					return err
				}
				rows = append(rows, r...)
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(rows)
			}
			for _, r := range rows {
				fmt.Fprintf(cmd.OutOrStdout(), "%-8s depth %7d  %5d tokens  %10.1f us  %10.1f tok/s\n", r.What, r.Depth, r.Tokens, r.Micros, r.Rate)
			}
			return nil
		},
	}
	s.register(cmd)
	f := cmd.Flags()
	f.IntSliceVar(&depths, "depth", []int{0}, "rows in the caches before")
	f.IntSliceVar(&prompts, "prompt", []int{512}, "tokens of the prompts to prefill")
	f.IntVar(&steps, "steps-decode", 64, "decode steps to measure")
	f.IntVar(&repeat, "repeat", 5, "prefills to measure of each prompt")
	f.BoolVar(&asJSON, "json", false, "print the rows as JSON")
	return cmd
}

func (x *session) benchDepth(cmd *cobra.Command, depth int, prompts []int, steps, repeat int) ([]benchRow, error) {
	var rows []benchRow
	fill := func() error {
		x.dev.Reset()
		if depth == 0 {
			return nil
		}
		return x.dev.RandomState(1, depth)
	}
	median := func(what string, tokens, n int, before, once func() error) error {
		var took []float64
		for i := range n + 1 {
			if err := before(); err != nil {
				return err
			}
			start := time.Now()
			if err := once(); err != nil {
				return err
			}
			if i > 0 { // the first one warms up
				took = append(took, float64(time.Since(start).Nanoseconds())/1000)
			}
		}
		slices.Sort(took)
		us := took[len(took)/2]
		rows = append(rows, benchRow{what, depth, tokens, us, float64(tokens) / us * 1e6})
		return nil
	}
	for _, p := range prompts {
		ids := make([]int32, p)
		for i := range ids {
			ids[i] = int32(i*7919+13) % int32(x.plan.MetaInt(plan.MetaVocab))
		}
		err := median("prefill", p, repeat, fill, func() error {
			return x.feed(cmd.Context(), ids, x.largest(x.isPrefill), x.isPrefill, nil, func(int, int) error { return nil })
		})
		if err != nil {
			return nil, err
		}
	}
	if err := fill(); err != nil {
		return nil, err
	}
	x.dev.IDs()[0] = 1
	e, err := x.dev.EntryFor(1, func(e *plan.Entry) bool { return strings.HasPrefix(x.plan.Str(e.Name), "decode") })
	if err != nil {
		return nil, err
	}
	return rows, median("decode", 1, steps, func() error { return nil }, func() error { return x.dev.RunContext(cmd.Context(), e, 1) })
}
