package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dsac/runtime/plan"
	"dsac/runtime/sample"
)

// What bench growth varies, and what stays meanwhile.
var (
	growthDepths = []int{1024, 4096, 16384, 65536, 131072, 262144, 524288, 1000000}
	growthLayers = []int{4, 6, 8}
)

const (
	growthDeep    = 4       // layers of the plan for long contexts
	growthCtx     = 1001472 // its rows
	growthShort   = 8192    // rows of the other plans
	growthAt      = 4096    // depth while rows or layers vary
	growthPrefill = 512
)

func newBenchGrowth() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "growth",
		Short: "Cost against context, rows of a step and layers, as curves",
		Long: `Bench growth measures steps of a reduced GLM-5 (all extents but layers and experts are the
model's; 16 experts, q8_0) and draws their cost against the rows in the caches (1K to 1M), the
rows of a step, and the layers, each with the exponent of the power law that fits best.

prepare compiles the plans, which needs llc and no GPU; run measures them, which needs a GPU,
about 8 GiB of its memory, and neither llc nor weights.`,
		Example: `  dsac bench growth prepare growth --target sm_90
  dsac bench growth run growth -o docs/growth.svg`,
	}
	cmd.AddCommand(newGrowthPrepare(), newGrowthRun())
	return cmd
}

func newGrowthRun() *cobra.Command {
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "run DIR -o FILE.svg",
		Short: "Measure prepared plans and draw the curves",
		Args:  oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			g := &growth{cmd: cmd, out: cmd.OutOrStdout()}
			if asJSON {
				g.out = io.Discard
			}
			if err := g.measure(args[0]); err != nil {
				return err
			}
			if asJSON {
				if err := g.run.write(cmd.OutOrStdout()); err != nil {
					return err
				}
			}
			return drawGrowth(out, g.run)
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "SVG `FILE` to write")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the measurements as JSON")
	_ = cmd.MarkFlagRequired("output")
	return cmd
}

// growth measures the plans of a folder.
type growth struct {
	cmd *cobra.Command
	out io.Writer
	run *benchRun
}

// layersName is the plan of a number of layers.
func layersName(n int) string { return fmt.Sprintf("layers%d.plan", n) }

func (g *growth) measure(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "layers*.plan"))
	if err != nil || len(names) == 0 {
		return errors.Join(err, fmt.Errorf("%s holds no plans: make them with dsac bench growth prepare %s --target sm_NN", dir, dir))
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	for _, name := range names {
		if err := g.plan(name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// plan measures one plan: cost of a layer's worth at one depth, and of the plan with the long
// context everything else.
func (g *growth) plan(name string) error {
	s := sessionFlags{device: "cuda", madeUp: true}
	x, err := s.openSession(g.cmd, name)
	if err != nil {
		return err
	}
	defer x.Close()
	if err := x.dev.SetParams(sample.Greedy()); err != nil {
		return err
	}
	b := &modelBench{session: x, flags: &modelFlags{}, ctx: g.cmd.Context(), run: newModelRun(x), out: g.out}
	if g.run == nil {
		g.run = newModelRun(x)
		g.run.Kind = "growth"
		d := b.gpu()
		if g.run.Rates, err = d.Rates(b.ctx); err != nil {
			return err
		}
		printModelHead(g.out, g.run)
	}
	b.run.Rates = g.run.Rates
	defer func() { g.run.Rows = append(g.run.Rows, b.run.Rows...) }()
	if err := b.fill(min(growthDepths[len(growthDepths)-1], x.plan.MetaInt(plan.MetaCtx)-growthPrefill)); err != nil {
		return err
	}
	if x.plan.MetaInt(plan.MetaCtx) < growthCtx {
		return g.steps(b, "layers", growthAt, []int{1, growthPrefill})
	}
	for _, d := range slices.Backward(growthDepths) { // positions can only go back
		if err := g.steps(b, "context", d, []int{1, growthPrefill}); err != nil {
			return err
		}
	}
	if err := b.fill(growthAt); err != nil {
		return err
	}
	if err := g.steps(b, "layers", growthAt, []int{1, growthPrefill}); err != nil {
		return err
	}
	var rows []int
	for i := range x.plan.Entries {
		rows = append(rows, int(x.plan.Entries[i].Rows))
	}
	return g.steps(b, "rows", growthAt, rows)
}

// growthRuns is how often a step is measured.
const growthRuns = 9

// steps measures steps of several numbers of rows at a depth.
func (g *growth) steps(b *modelBench, what string, depth int, rows []int) error {
	for _, n := range rows {
		e, err := b.dev.EntryFor(n, nil)
		if err != nil {
			return err
		}
		b.someIDs(b.dev.IDs()[:n])
		back := func() error { return b.dev.Rewind(depth) }
		row := benchRow{Name: fmt.Sprintf("%s/layers%d/rows%d/d%d", what, b.run.Layers, n, depth), What: what, Depth: depth, Tokens: n, Layers: b.run.Layers}
		row.count(b.work(e, n, depth))
		row.Attention = b.attentionOf(e, depth+n)
		if err := b.median(&row, growthRuns, back, func() error { return b.dev.RunContext(b.ctx, e, n) }); err != nil {
			return err
		}
	}
	return nil
}

// drawGrowth writes the curves.
func drawGrowth(path string, run *benchRun) error {
	var b strings.Builder
	if err := growthSVG(&b, run); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}
