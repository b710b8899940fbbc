package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"dsac/runtime/plan"
	"dsac/runtime/sample"
)

// minPrefill is the fewest tokens for which a prefill rate is printed: fewer measure launches.
const minPrefill = 128

// modelFlags are the options of bench model.
type modelFlags struct {
	session         sessionFlags
	depths, prompts []int
	steps, repeat   int
	kinds, asJSON   bool
	compare         string
}

func newBenchModel() *cobra.Command {
	var m modelFlags
	cmd := &cobra.Command{
		Use:   "model PLAN|MODEL.gguf -m MODEL.gguf",
		Short: "Prefill and decode rates at given depths, and where the time goes",
		Long: `Bench model fills the caches with random rows to each depth and measures decode steps one by
one (median) and prefills of whole prompts in the plan's chunks (median of --repeat), by the
clock of the host: all that a user waits for. Beside a rate it prints the bytes of weights and
caches that the step must read and the part of its time in which a copy at the device's
bandwidth would have moved them.

Time by op kind, on a GPU: all launches of one kind in one graph of their own, one after the
other in the order of the plan, on the plan's memory, by the GPU's clock. What the kinds leave
of a step is launches that wait for each other, copies and the host; where it is less than
nothing, launches overlap. On the host: the time of each op in one run.`,
		Example: `  dsac bench model slice.plan -m slice.gguf --device cuda --depth 0,16384 --prompt 512,2048
  dsac bench model slice.plan --random-weights --json > before.json
  dsac bench model slice.plan --random-weights --compare before.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return m.run(cmd, args[0]) },
	}
	m.session.register(cmd)
	f := cmd.Flags()
	f.BoolVar(&m.session.madeUp, "random-weights", false, "GPU: make weights up on it in place of reading a file")
	f.IntSliceVar(&m.depths, "depth", []int{0}, "rows in the caches before")
	f.IntSliceVar(&m.prompts, "prompt", []int{512}, "tokens of the prompts to prefill")
	f.IntVar(&m.steps, "steps-decode", 64, "decode steps to measure")
	f.IntVar(&m.repeat, "repeat", 5, "prefills to measure of each prompt")
	f.BoolVar(&m.kinds, "kinds", true, "measure the time by op kind too")
	f.StringVar(&m.compare, "compare", "", "`FILE` of an earlier run (--json) to compare with")
	f.BoolVar(&m.asJSON, "json", false, "print the run as JSON")
	return cmd
}

func (m *modelFlags) check() error {
	for _, p := range m.prompts {
		if p < minPrefill {
			return fmt.Errorf("--prompt %d: a rate of fewer than %d tokens says more about launches than about prefill", p, minPrefill)
		}
	}
	for _, d := range m.depths {
		if d < 0 {
			return fmt.Errorf("--depth %d: want 0 or more", d)
		}
	}
	if m.steps < 1 || m.repeat < 1 {
		return fmt.Errorf("--steps-decode %d, --repeat %d: want at least 1", m.steps, m.repeat)
	}
	return nil
}

func (m *modelFlags) run(cmd *cobra.Command, path string) error {
	if err := m.check(); err != nil {
		return err
	}
	var before *benchRun
	var err error
	if m.compare != "" {
		if before, err = readBench(m.compare, "model"); err != nil {
			return err
		}
	}
	x, err := m.session.openSession(cmd, path)
	if err != nil {
		return err
	}
	defer x.Close()
	if err := m.fits(x.plan); err != nil {
		return err
	}
	if err := x.dev.SetParams(sample.Greedy()); err != nil {
		return err
	}
	b := &modelBench{session: x, flags: m, ctx: cmd.Context(), run: newModelRun(x)}
	b.out = cmd.OutOrStdout()
	if m.asJSON {
		b.out = io.Discard
	}
	b.before = before
	if err := b.measure(); err != nil {
		return err
	}
	if m.asJSON {
		return b.run.write(cmd.OutOrStdout())
	}
	return nil
}

// fits says which depth leaves no room in the plan's caches.
func (m *modelFlags) fits(p *plan.Plan) error {
	most := m.steps + 1
	for _, n := range m.prompts {
		most = max(most, n)
	}
	ctx := p.MetaInt(plan.MetaCtx)
	for _, d := range m.depths {
		if d+most > ctx {
			return fmt.Errorf("--depth %d: with %d tokens more it does not fit a context of %d rows: compile with a larger --ctx, or lower --prompt and --steps-decode", d, most, ctx)
		}
	}
	return nil
}

// newModelRun describes what is measured. It holds nothing of the plan, which may lie in a
// mapped file that is closed first.
func newModelRun(x *session) *benchRun {
	r := &benchRun{Kind: "model", Version: version, Device: "host", Target: strings.Clone(x.plan.MetaValue(plan.MetaTarget))}
	if g := x.gpu(); g != nil {
		d := g.GPU()
		r.Device = d.Name
	}
	for i := range x.plan.Bufs {
		r.Layers = max(r.Layers, int(x.plan.Bufs[i].Layer)+1)
	}
	return r
}
