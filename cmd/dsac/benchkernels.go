package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"dsac/passes"
	"dsac/passes/cases"
	"dsac/runtime/cuda"
	"dsac/runtime/plan"
)

// kernelFlags are the options of bench kernels.
type kernelFlags struct {
	target, save, only, compare string
	gpu, depth                  int
	asJSON                      bool
}

func newBenchKernels() *cobra.Command {
	var k kernelFlags
	cmd := &cobra.Command{
		Use:   "kernels [FILE]",
		Short: "Time every kind of kernel at the shapes of GLM-5",
		Long: `Bench kernels times kernels inside CUDA graphs of 50 or more dependent rounds, on random
data; weights, caches and index lists lie in copies that together exceed the L2 several times.
The time of a case is the graph's, as the GPU measures it, divided by the rounds: the median
of up to 31 replays. The copy bandwidth (bytes read and written) and the rate of mma.sync
are measured in the same run. The bytes of a case are those of weights and caches that it must
read, or all that it moves where it reads none.

Without FILE the cases are compiled first, which needs llc. --save compiles them into a file for
a machine without, and needs no GPU; FILE may be any plan for a GPU, whose launches are then
timed, each shape once.`,
		Example: `  dsac bench kernels
  dsac bench kernels --save kernels.plan --target sm_90
  dsac bench kernels kernels.plan --only experts --json > now.json
  dsac bench kernels kernels.plan --compare before.json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if k.save != "" {
				return k.compileTo(cmd, args)
			}
			return k.run(cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&k.target, "target", "", "GPU to compile for (default: that of the first GPU)")
	f.StringVar(&k.save, "save", "", "compile the cases into `FILE` and stop")
	f.StringVar(&k.only, "only", "", "cases whose name holds this `TEXT`")
	f.StringVar(&k.compare, "compare", "", "`FILE` of an earlier run (--json) to compare with")
	f.IntVar(&k.gpu, "gpu", 0, "ordinal of the GPU")
	f.IntVar(&k.depth, "depth", 16384, "rows in the caches, for the launches of a model's plan")
	f.BoolVar(&k.asJSON, "json", false, "print the run as JSON")
	return cmd
}

func (k *kernelFlags) compileTo(cmd *cobra.Command, args []string) error {
	if len(args) > 0 || k.asJSON || k.compare != "" {
		return errors.New("--save compiles the cases and measures nothing: it goes without FILE, --json and --compare")
	}
	if k.target == "" {
		return errors.New("--save: say for which GPU with --target")
	}
	p, err := k.compiled(cmd)
	if err != nil {
		return err
	}
	if err := plan.WriteFile(k.save, p); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "wrote %s: %d cases, %d kernels\n", k.save, len(p.Entries), len(p.Kernels))
	return nil
}

// compiled makes the plan of the cases.
func (k *kernelFlags) compiled(cmd *cobra.Command) (*plan.Plan, error) {
	t := passes.Targets[k.target]
	if t == nil || t.GPU == nil {
		return nil, fmt.Errorf("--target %s: want %s", k.target, strings.Join(gpuTargets(), ", "))
	}
	list, err := cases.List()
	if err != nil {
		return nil, err
	}
	var kept []passes.Case
	for _, c := range list {
		if strings.Contains(c.Name, k.only) {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("--only %s: no case has that in its name", k.only)
	}
	say("compiling %d cases for %s", len(kept), k.target)
	warn := func(msg string) { fmt.Fprintln(cmd.ErrOrStderr(), "dsac: warning:", msg) }
	return passes.CompileCases(kept, passes.Options{Target: k.target, Ctx: cases.Ctx, Chunk: 2048, KV: t.KV, Version: version, Warn: warn})
}

func (k *kernelFlags) run(cmd *cobra.Command, args []string) error {
	var before *benchRun
	var err error
	if k.compare != "" {
		if before, err = readBench(k.compare, "kernels"); err != nil {
			return err
		}
	}
	p, done, err := k.open(cmd, args)
	if err != nil {
		return err
	}
	defer done()
	jobs := jobsOf(p, k.only, k.depth)
	if len(jobs) == 0 {
		return fmt.Errorf("--only %s: nothing in the plan has that in its name", k.only)
	}
	t, err := cuda.OpenTimer(p, cuda.Options{GPU: k.gpu, Log: func(line string) { say("%s", line) }})
	if err != nil {
		return err
	}
	defer t.Close()
	g := t.GPU()
	run := &benchRun{Kind: "kernels", Version: version, Device: g.Name, Target: strings.Clone(p.MetaValue(plan.MetaTarget))}
	say("measuring copies and products of %s", g.Name)
	if run.Rates, err = t.Rates(cmd.Context()); err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if k.asJSON {
		out = io.Discard
	}
	printRates(out, run)
	failed, err := k.measure(cmd.Context(), t, jobs, run, func(r *benchRow) { printKernel(out, run, r, before) })
	if err == nil && k.asJSON {
		err = run.write(cmd.OutOrStdout())
	}
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of %d cases were not measured", failed, len(jobs))
	}
	return err
}

// open reads the plan that was named, or compiles the cases.
func (k *kernelFlags) open(cmd *cobra.Command, args []string) (*plan.Plan, func() error, error) {
	if len(args) == 1 {
		if k.target != "" {
			return nil, nil, fmt.Errorf("--target is a choice of the compile, and %s is a finished plan", args[0])
		}
		p, done, err := openPlan(args[0])
		if err != nil {
			return nil, nil, err
		}
		if err := plan.Verify(p); err != nil {
			return nil, nil, errors.Join(fmt.Errorf("%s: %w", args[0], err), done())
		}
		return p, done, nil
	}
	if s := cuda.Probe(); len(s.GPUs) == 0 {
		return nil, nil, fmt.Errorf("%w: %s; --save FILE compiles the cases for another machine", cuda.ErrUnavailable, s.Problem)
	}
	if k.target == "" {
		k.target = ownTarget()
	}
	p, err := k.compiled(cmd)
	return p, func() error { return nil }, err
}

// measure times the jobs one by one. A job that fails alone is a row with an error.
func (k *kernelFlags) measure(ctx context.Context, t *cuda.Timer, jobs []benchJob, run *benchRun, each func(*benchRow)) (failed int, err error) {
	for i := range jobs {
		j := &jobs[i]
		if terminal(os.Stderr) {
			fmt.Fprintf(os.Stderr, "\r\x1b[K%d of %d: %s", i+1, len(jobs), j.row.Name)
		}
		took, err := t.Time(ctx, j.job)
		if terminal(os.Stderr) {
			fmt.Fprint(os.Stderr, "\r\x1b[K")
		}
		var fault *cuda.Fault
		switch {
		case ctx.Err() != nil:
			return failed, ctx.Err()
		case errors.As(err, &fault):
			return failed, fmt.Errorf("%s: %w", j.row.Name, err)
		case err != nil:
			j.row.Error = err.Error()
			failed++
		}
		j.row.Micros, j.row.Spread, j.row.Runs = took.Micros, took.Spread, took.Runs
		run.Rows = append(run.Rows, j.row)
		each(&j.row)
	}
	return failed, nil
}

func printRates(out io.Writer, run *benchRun) {
	fmt.Fprintf(out, "%s, plan for %s: copy %.0f GB/s, mma.sync f16 %.0f TFLOP/s\n", run.Device, run.Target, run.Rates.Copy/1e9, run.Rates.MMA/1e12)
	fmt.Fprintf(out, "%-36s %10s %6s %9s %7s %8s %7s\n", "case", "us", "+-", "MB", "of copy", "TFLOP/s", "of peak")
}

func printKernel(out io.Writer, run *benchRun, r *benchRow, before *benchRun) {
	if r.Error != "" {
		fmt.Fprintf(out, "%-36s not measured: %s\n", r.Name, r.Error)
		return
	}
	fmt.Fprintf(out, "%-36s %10.2f %5.1f%% %9.2f %6.1f%% %8.1f %6.1f%%%s\n", r.Name, r.Micros, 100*r.Spread,
		r.Bytes/1e6, 100*r.ofCopy(run.Rates), r.tflops(), 100*r.ofPeak(run.Rates), before.change(r))
}
