package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dsac/ir/ops"
	"dsac/passes/cost"
	"dsac/runtime/plan"
)

// predictFlags are the options of bench predict.
type predictFlags struct {
	compile   compileFlags
	card      string
	depth     int
	measured  string
	launch    float64
	part      float64
	allReduce float64
}

func newBenchPredict() *cobra.Command {
	var f predictFlags
	cmd := &cobra.Command{
		Use:   "predict PLAN|MODEL.gguf",
		Short: "Predict the time of a decode step on a card from a plan",
		Long: `Bench predict counts, for a decode step of one token, the launches of a plan and the bytes of
weights and caches that one rank must read, and adds up

  launches x launch time + bytes / (copy bandwidth x part) + all-reduces x their time

by op kind. The bandwidth and the all-reduce are the card's (a table with sources, see --card);
launch times and the parts of the bandwidth that kernels reach come from a run of dsac bench model
--json given with --measured, from flags, or else from measurements on an H200. It leaves out what
overlaps, skew between ranks and the host: a measured step on that card is the only judge. Of a
GGUF the header is enough; it is compiled without kernels. See docs/bench.md.`,
		Example: `  dsac synth --geometry glm-5.2 --header-only -o glm52.gguf
  dsac bench predict glm52.gguf --tp 8 --ctx 131072 --depth 4096
  dsac bench predict slice.plan --card h200 --measured model.json`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.compile.register(cmd)
	_ = cmd.Flags().Set("target", "sm_120")
	cmd.Flags().Lookup("target").DefValue = "sm_120"
	cmd.Flags().Lookup("target").Changed = false
	fl := cmd.Flags()
	fl.StringVar(&f.card, "card", "rtx-pro-6000", "row of the card table: rtx-pro-6000, h200")
	fl.IntVar(&f.depth, "depth", 4096, "rows in the caches before")
	fl.StringVar(&f.measured, "measured", "", "`FILE` of dsac bench model --json to take the constants from")
	fl.Float64Var(&f.launch, "launch-us", 0, "microseconds of a launch without bytes (default: measured)")
	fl.Float64Var(&f.part, "part", 0, "of the copy bandwidth that kernels reach (default: measured)")
	fl.Float64Var(&f.allReduce, "allreduce-us", 0, "microseconds of an all-reduce (default: the card's)")
	return cmd
}

func (f *predictFlags) run(cmd *cobra.Command, path string) error {
	card, err := cost.CardNamed(f.card)
	if err != nil {
		return err
	}
	if f.launch < 0 || f.part < 0 || f.part > 1 || f.allReduce < 0 || f.depth < 0 {
		return errors.New("--launch-us, --allreduce-us and --depth are 0 or more, --part is above 0 and at most 1")
	}
	model, from, err := f.model()
	if err != nil {
		return err
	}
	p, done, err := f.open(cmd, path)
	if err != nil {
		return err
	}
	defer done()
	entry := slices.IndexFunc(p.Entries, func(e plan.Entry) bool { return e.Rows == 1 })
	if entry < 0 {
		return errors.New("the plan has no entry for one row")
	}
	if ctx := p.MetaInt(plan.MetaCtx); f.depth >= ctx {
		return fmt.Errorf("--depth %d: the plan's context has %d rows: compile with a larger --ctx", f.depth, ctx)
	}
	kinds := kindsOf(p, entry, plan.Point{N: 1, Pos: int64(f.depth), Len: int64(f.depth) + 1})
	slices.SortStableFunc(kinds, func(a, b *opKind) int { return cmp.Compare(b.work.Floor(), a.work.Floor()) })
	return f.print(cmd, p, kinds, card, model, from)
}

// open reads a plan, or compiles a model without kernels.
func (f *predictFlags) open(cmd *cobra.Command, path string) (*plan.Plan, func() error, error) {
	model, err := isGGUF(path)
	if err != nil {
		return nil, nil, err
	}
	if !model {
		if err := f.compile.tooLate(cmd, path, ""); err != nil {
			return nil, nil, err
		}
		return openPlan(path)
	}
	m, err := openModel(path, f.compile.dsl, f.compile.ctx)
	if err != nil {
		return nil, nil, err
	}
	defer m.Close()
	opt, err := f.compile.options(m.ctx)
	if err != nil {
		return nil, nil, err
	}
	opt.Bare = true
	p, err := m.compile(cmd.Context(), opt)
	return p, func() error { return nil }, err
}

// model returns the constants and where they are from.
func (f *predictFlags) model() (cost.Model, string, error) {
	m, from := cost.Measured, cost.MeasuredOn
	if f.measured != "" {
		run, err := readBench(f.measured, "model")
		if err != nil {
			return m, "", err
		}
		var ok bool
		if m, ok = fitRun(run, f.depth); !ok {
			return m, "", fmt.Errorf("%s: its decode steps by op kind do not tell launch time from bandwidth: measure with --kinds on a GPU", f.measured)
		}
		from = "fitted to " + f.measured + " (" + run.Device + ")"
	}
	if f.launch > 0 || f.part > 0 {
		m = cost.Model{Launch: cmp.Or(f.launch, m.Launch), Part: cmp.Or(f.part, m.Part)}
		from = "for every kind, as given"
	}
	return m, from, nil
}

// fitRun fits the model to the op kinds of a run's decode step, at the depth nearest to one.
func fitRun(run *benchRun, depth int) (cost.Model, bool) {
	var s []cost.Sample
	best := -1
	away := func(d int) int { return max(d-depth, depth-d) }
	for i := range run.Rows {
		r := &run.Rows[i]
		if r.Launches == 0 || !strings.HasPrefix(r.Name, "decode/") {
			continue
		}
		if best < 0 || away(r.Depth) < away(best) {
			best, s = r.Depth, nil
		}
		if r.Depth == best {
			s = append(s, cost.Sample{Kind: r.What, Launches: float64(r.Launches), Bytes: r.Floor, Micros: r.Micros})
		}
	}
	if run.Rates.Copy <= 0 {
		return cost.Model{}, false
	}
	return cost.Fit(s, run.Rates.Copy)
}

func (f *predictFlags) print(cmd *cobra.Command, p *plan.Plan, kinds []*opKind, card *cost.Card, m cost.Model, from string) error {
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%s, %s rank(s), depth %d, on %s (copy %.0f GB/s)\n", p.MetaValue(plan.MetaModel), p.MetaValue(plan.MetaTP), f.depth, card.Name, card.Copy/1e9)
	fmt.Fprintf(out, "a launch %.2f us beside its bytes, which pass at %.0f%% of the copy bandwidth: %s\n", m.Launch, 100*m.Part, from)
	fmt.Fprintf(out, "%-30s %8s %12s %10s %10s\n", "op kind", "launches", "MB per rank", "floor us", "us")
	var launches, reduces int
	var bytes, total float64
	reduce := cmp.Or(f.allReduce, card.AllReduce)
	for _, k := range kinds {
		n := len(k.launches)
		us := m.Micros(k.name, n, k.work.Floor(), card.Copy)
		if op := ops.Find(k.name); op != nil && op.Collective != "" {
			reduces += n
			us = float64(n) * reduce
		} else {
			launches += n
		}
		bytes, total = bytes+k.work.Floor(), total+us
		fmt.Fprintf(out, "%-30s %8d %12.2f %10.1f %10.1f\n", k.name, n, k.work.Floor()/1e6, k.work.Floor()/card.Copy*1e6, us)
	}
	floor := bytes / card.Copy * 1e6
	fmt.Fprintf(out, "%d launches, %d all-reduces of %.0f us, %.2f GB per rank", launches, reduces, reduce, bytes/1e9)
	if whole := wholeWeights(p); p.MetaInt(plan.MetaTP) > 1 {
		fmt.Fprintf(out, ", of which %.2f GB are matrices that every rank reads whole", whole/1e9)
	}
	fmt.Fprintln(out)
	fmt.Fprintf(out, "floor (bytes at copy speed): %.0f us, %.1f tok/s\n", floor, 1e6/floor)
	_, err := fmt.Fprintf(out, "predicted: %.0f us, %.1f tok/s, %.0f%% of the floor's rate\n", total, 1e6/total, 100*floor/total)
	return err
}

// wholeWeights returns the bytes of the matrices that a step of one row reads whole and no rank
// shares with another.
func wholeWeights(p *plan.Plan) float64 {
	shared := make(map[int32]bool) // also once counted
	for i := range p.Weights {
		shared[p.Weights[i].Buf] = p.Weights[i].Axis != plan.None
	}
	var bytes float64
	for i := range p.Entries {
		e := &p.Entries[i]
		for s := e.Steps.Off; s < e.Steps.Off+e.Steps.Len && e.Rows == 1; s++ {
			read := cost.Of(p, int32(s), plan.Point{N: 1, Len: 1}).Weights
			for _, o := range p.Ops(&p.Steps[s]) {
				b := &p.Bufs[o.Buf]
				if p.Regions[b.Region].Kind != plan.Const || b.Dims != 2 || shared[o.Buf] || read < float64(b.Size) {
					continue
				}
				shared[o.Buf] = true
				bytes += float64(b.Size)
			}
		}
	}
	return bytes
}
