package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"dsac/ir/ops"
	"dsac/runtime/check"
	"dsac/runtime/host"
)

// forcedDecode is how many decode steps --force-choices runs: its verdict is over all rows of an
// entry, and one row of a model that multiplies errors says little.
const forcedDecode = 16

// checkFlags say what a check runs.
type checkFlags struct {
	session       sessionFlags
	device        string
	entry, from   string
	tokens        string
	prompt        int
	decode        int
	state         string
	depth         int
	perKernel     int
	forced, free  bool
	nmse          float64
	asJSON, quick bool
	stress        bool
	chunks        string
	sizes         []int // of chunks
}

func newCheck() *cobra.Command {
	var c checkFlags
	cmd := &cobra.Command{
		Use:   "check PLAN|MODEL.gguf [-m MODEL.gguf] --device emu",
		Short: "Compare a device with the host, step by step",
		Long: `Check runs the steps of a plan on a device, each with its inputs taken from the host's run,
and compares what they write with what the host wrote, within the tolerance of the op. It
reports values out of tolerance, NaN, bytes left unwritten, bytes changed that no operand
declares, and what the device itself sees. By default a prefill of 23 tokens and one decode
step are run. The device emu executes the plan's PTX on the CPU and also finds reads of
undefined bytes, accesses out of bounds and races.

With --force-choices or --free the device goes on from its own results instead: with the host's
lists and tokens, then the logits are judged, or with its own, then each list is that is not the
host's.

With --stress the runs are made on the GPU alone, over and over from the same state, each time
with another launch delayed by a millisecond: results that change mean that order is missing.

Exit code 0: no differences. 1: differences. 2: the check could not be made.`,
		Example: `  dsac check model.gguf --device emu --ctx 64
  dsac check model.plan -m model.gguf --device emu --entry decode1 --from l3.q
  dsac check model.plan -m model.gguf --device emu --force-choices
  dsac check model.plan -m model.gguf --device emu --free
  dsac check model.gguf --device cuda --force-choices --prompt-tokens 1000 --chunks 7,64,512,1000
  dsac check model.plan -m model.gguf --device emu --state random:7 --depth 500 --per-kernel 1
  dsac check model.plan -m model.gguf --device cuda --stress`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args[0]) },
	}
	c.session.compile.register(cmd)
	f := cmd.Flags()
	f.StringVarP(&c.session.weights, "weights", "m", "", "GGUF `FILE` with the weights (default: the model itself)")
	f.IntVar(&c.session.workers, "workers", 0, "threads of the host (default: all cores)")
	f.StringVar(&c.device, "device", "emu", "device to compare with the host: "+checkDeviceNames())
	f.StringVar(&c.entry, "entry", "", "compare this entry only (default: the prefill that fits the prompt, then decode)")
	f.StringVar(&c.from, "from", "", "compare from this `STEP` of the entry on: name or index")
	f.IntVar(&c.prompt, "prompt-tokens", 23, "length of the made-up prompt")
	f.StringVar(&c.tokens, "tokens", "", "prompt as token ids, separated by commas")
	f.IntVar(&c.decode, "decode", 1, fmt.Sprintf("decode steps after the prompt; with --force-choices %d if not given", forcedDecode))
	f.StringVar(&c.state, "state", "", "fill the caches first: random:SEED")
	f.IntVar(&c.depth, "depth", 0, "rows in the caches with --state (default: half of the context)")
	f.IntVar(&c.perKernel, "per-kernel", 0, "compare, or delay, at most so many steps of each kernel in a run (0: all)")
	f.BoolVar(&c.stress, "stress", false, "cuda: delay each launch in turn by a millisecond; results must not change")
	f.BoolVar(&c.session.steps, "steps", false, "with --stress: make the plain runs one kernel at a time, so that a fault names its step")
	f.BoolVar(&c.forced, "force-choices", false, "let the device go on from its own results, with the host's lists and tokens, and judge the logits")
	f.BoolVar(&c.free, "free", false, "let the device go on from its own results and choices, and judge each choice that is not the host's")
	f.StringVar(&c.chunks, "chunks", "", "with --force-choices: run the prompt in pieces of each of these `SIZES`, and compare the logits between them")
	f.Float64Var(&c.nmse, "nmse", 3e-5, "normalised mean square error of the logits that --force-choices allows")
	f.BoolVar(&c.quick, "no-races", false, "emu: leave races and unwritten bytes unchecked, which is faster")
	f.BoolVar(&c.asJSON, "json", false, "print the report as JSON")
	return cmd
}

func (c *checkFlags) run(cmd *cobra.Command, path string) error {
	kind := checkDevices[c.device]
	if kind == nil {
		return fmt.Errorf("--device %s: want %s", c.device, checkDeviceNames())
	}
	if err := c.together(); err != nil {
		return err
	}
	if c.forced {
		if !cmd.Flags().Changed("logits") {
			c.session.compile.logits = "all"
		}
		if !cmd.Flags().Changed("decode") {
			c.decode = forcedDecode
		}
	}
	if !cmd.Flags().Changed("target") {
		c.session.compile.target = kind.target()
	}
	if c.stress {
		return c.runStress(cmd, path)
	}
	c.session.device = "host"
	x, err := c.session.openSession(cmd, path)
	if err != nil {
		return err
	}
	defer x.Close()
	dev, done, err := kind.open(cmd.Context(), c, x)
	if err != nil {
		return fmt.Errorf("--device %s: %w", c.device, err)
	}
	defer done()
	h, ok := x.dev.(*host.Device)
	if !ok {
		panic("BUG: the session is not on the host")
	}
	opt := check.Options{Tol: tolerance, From: c.from, PerKernel: c.perKernel, Forced: c.forced, Free: c.free, MaxNMSE: c.nmse, Progress: checkProgress()}
	if c.chunks != "" {
		return c.chunkings(cmd, x, dev, h, opt)
	}
	k, err := check.New(x.plan, h, dev, opt)
	if err != nil {
		return err
	}
	if err := c.runs(cmd.Context(), x, k.Run); err != nil {
		return err
	}
	return c.report(cmd, k.Report())
}

// together says which flags do not go together.
func (c *checkFlags) together() error {
	switch {
	case c.prompt < 1:
		return fmt.Errorf("--prompt-tokens %d: want at least 1", c.prompt)
	case c.from != "" && c.entry == "":
		return fmt.Errorf("--from is a step of an entry: name it with --entry")
	case c.stress:
		return c.stressable()
	case c.free && c.forced:
		return fmt.Errorf("--free and --force-choices: choices are one or the other")
	case (c.free || c.forced) && (c.from != "" || c.perKernel != 0):
		return fmt.Errorf("with --free and --force-choices the device goes on from its own results, which needs every step: leave out --from and --per-kernel")
	case c.chunks != "":
		return c.chunkable()
	}
	return nil
}

// tolerance is that of the op table.
func tolerance(op string) (abs, rel float64) {
	if o := ops.Find(op); o != nil {
		return o.Tol.Abs, o.Tol.Rel
	}
	return 0, 0
}

func (c *checkFlags) report(cmd *cobra.Command, r *check.Report) error {
	var err error
	if c.asJSON {
		e := json.NewEncoder(cmd.OutOrStdout())
		e.SetIndent("", "  ")
		err = e.Encode(r)
	} else {
		err = r.Write(cmd.OutOrStdout())
	}
	if err == nil && !r.Clean() {
		return exitCode(exitFindings)
	}
	return err
}

// checkProgress shows the step in work on a terminal.
func checkProgress() func(done, total int, step string) {
	if !terminal(os.Stderr) {
		return nil
	}
	return func(done, total int, step string) {
		fmt.Fprintf(os.Stderr, "\r\x1b[K%d of %d steps: %s", done+1, total, step)
		if done+1 == total {
			fmt.Fprint(os.Stderr, "\r\x1b[K")
		}
	}
}
