package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dsac/passes"
	"dsac/runtime/plan"
)

// compileFlags are the options of a compile, shared by the commands that compile on the fly.
type compileFlags struct {
	dsl, target, kv string
	ctx, chunk, tp  int
	logits          string
	skip            []string
	shuffle         uint64
}

func (c *compileFlags) register(cmd *cobra.Command) { c.add(cmd.Flags()) }

func (c *compileFlags) add(f *pflag.FlagSet) {
	f.StringVar(&c.dsl, "model", "", "model description `FILE` (.dsl) instead of the built-in one")
	f.StringVar(&c.target, "target", "host", "device to compile for: "+passes.TargetNames())
	f.IntVar(&c.ctx, "ctx", 0, "rows of the caches (default: the model's context, at most 8192)")
	f.IntVar(&c.chunk, "chunk", 512, "most rows of a prefill step")
	f.IntVar(&c.tp, "tp", 1, "ranks that share the weights (tensor parallel)")
	f.StringVar(&c.kv, "kv", "", "element type of the caches: f32, f16, bf16 (default: the target's)")
	f.StringVar(&c.logits, "logits", "last", "rows of prefill that get logits: last, all")
	f.StringSliceVar(&c.skip, "skip", nil, "optional passes to leave out")
	f.Uint64Var(&c.shuffle, "shuffle", 0, "shuffle independent nodes with this seed (the plan must not change)")
	_ = f.MarkHidden("shuffle")
}

func (c *compileFlags) options(ctx int) (passes.Options, error) {
	o := passes.Options{Target: c.target, Ctx: ctx, Chunk: c.chunk, KV: c.kv, TP: c.tp, AllRows: c.logits == "all", Version: version, Shuffle: c.shuffle}
	if c.logits != "all" && c.logits != "last" {
		return o, fmt.Errorf("--logits %q: want last or all", c.logits)
	}
	if c.tp < 1 {
		return o, fmt.Errorf("--tp %d: want at least 1", c.tp)
	}
	if t := passes.Targets[c.target]; t != nil && o.KV == "" {
		o.KV = t.KV
	}
	for _, s := range c.skip {
		if o.Skip == nil {
			o.Skip = make(map[string]bool)
		}
		o.Skip[s] = true
	}
	return o, o.Check()
}

func newCompile() *cobra.Command {
	var flags compileFlags
	var out string
	var dump dumper
	cmd := &cobra.Command{
		Use:   "compile MODEL.gguf -o MODEL.plan",
		Short: "Compile a GGUF model into a static plan",
		Long: `Compile reads the header of a GGUF file (hyper-parameters and tensor types; no weights),
lowers the model's description into a plan, proves its buffers and writes the plan file.
A split model is named by any of its files or by its folder.`,
		Example: `  dsac compile GLM-5.2-UD-Q4_K_XL-00001-of-00011.gguf --ctx 131072 -o glm.plan
  dsac compile model.gguf --model my_arch.dsl -o my.plan
  dsac compile model.gguf --dump fuse,offsets --dump-dir dumps -o m.plan`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			start := time.Now()
			thrifty()
			m, err := openModel(args[0], flags.dsl, flags.ctx)
			if err != nil {
				return err
			}
			defer m.Close()
			opt, err := flags.options(m.ctx)
			if err != nil {
				return err
			}
			if terminal(os.Stderr) {
				opt.Log = os.Stderr
			}
			opt.Warn = func(msg string) { fmt.Fprintln(cmd.ErrOrStderr(), "dsac: warning:", msg) }
			if err := dump.observe(&opt); err != nil {
				return err
			}
			p, err := m.compile(cmd.Context(), opt)
			if err != nil {
				return err
			}
			if err := plan.WriteFile(out, p); err != nil {
				return err
			}
			fmt.Fprint(cmd.OutOrStdout(), plan.Report(p))
			fmt.Fprintf(cmd.OutOrStdout(), "wrote %s: %d entries, %d steps, in %.2f s\n", out, len(p.Entries), len(p.Steps), time.Since(start).Seconds())
			return nil
		},
	}
	flags.register(cmd)
	dump.register(cmd)
	cmd.Flags().StringVarP(&out, "output", "o", "", "plan `FILE` to write")
	_ = cmd.MarkFlagRequired("output")
	return cmd
}

// tooLate refuses flags of a compile beside a plan, which is compiled already; all but live.
func (c *compileFlags) tooLate(cmd *cobra.Command, path, live string) error {
	known := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(compileFlags).add(known)
	var err error
	known.VisitAll(func(f *pflag.Flag) {
		if err == nil && f.Name != live && cmd.Flags().Changed(f.Name) {
			err = fmt.Errorf("--%s is a choice of the compile, and %s is a finished plan: compile the model again with it", f.Name, path)
		}
	})
	return err
}

// thrifty lets garbage grow to four times what is in use, unless GOGC says otherwise: a command
// that reads a plan and ends is a third faster for it, and needs little memory as it is.
func thrifty() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// compile runs the pipeline, which ctx ends between passes. A bug of the compiler leaves a
// file that shows it.
func (m *model) compile(ctx context.Context, opt passes.Options) (*plan.Plan, error) {
	src, err := m.source()
	if err != nil {
		return nil, err
	}
	opt.Stopped = ctx.Err
	p, err := passes.Compile(src, opt)
	var crash *passes.Crash
	if errors.As(err, &crash) {
		name := "crash-" + crash.Pass + ".txtar"
		if werr := os.WriteFile(name, []byte(crash.Archive()), 0o644); werr == nil {
			err = fmt.Errorf("%w; %s replays it", err, name)
		}
	}
	var at *passes.Error
	if errors.As(err, &at) {
		err = errors.New(at.Caret())
	}
	return p, err
}
