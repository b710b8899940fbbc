package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"dsac/runtime/sample"
)

var errEmptyPrompt = errors.New("the prompt is empty: give at least one token of text")

// runFlags are the options of run beside those of a session.
type runFlags struct {
	session sessionFlags
	prompt  string
	file    string
	chat    bool
	raw     bool
	system  string
	think   bool
	tokens  int
	sample  sample.Params
	state   string
}

func newRun() *cobra.Command {
	var r runFlags
	cmd := &cobra.Command{
		Use:   "run PLAN|MODEL.gguf -m MODEL.gguf -p TEXT",
		Short: "Generate text with a plan",
		Long: `Run replays a plan: it prefills the prompt in chunks and then draws token by token until a
stop token, -n tokens, or Ctrl-C. Given a GGUF it compiles on the fly and keeps the plan. The
text goes to standard output, one line of figures to standard error.

With --chat the file's own chat template is used: one turn for -p, a conversation without it.`,
		Example: `  dsac run model.plan -m model.gguf -p "The capital of France is" -n 64
  dsac run model.gguf --chat --system "Answer briefly."
  dsac run model.gguf -f prompt.txt --temp 0`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd, args[0]) },
	}
	r.session.register(cmd)
	f := cmd.Flags()
	f.StringVarP(&r.prompt, "prompt", "p", "", "prompt text")
	f.StringVarP(&r.file, "file", "f", "", "read the prompt from `FILE`, - for standard input")
	f.BoolVar(&r.chat, "chat", false, "use the chat template of the file")
	f.StringVar(&r.system, "system", "", "system message for --chat")
	f.BoolVar(&r.think, "think", true, "let the model think before it answers (--chat)")
	f.BoolVar(&r.raw, "special", false, "read tokens such as <|user|> out of the prompt text")
	f.IntVarP(&r.tokens, "n", "n", 128, "most tokens to generate")
	f.Float32Var(&r.sample.Temperature, "temp", 1, "temperature, 0 = greedy (default: the file's, else 1)")
	f.Lookup("temp").DefValue = "0" // the usage says it better
	f.Float32Var(&r.sample.TopP, "top-p", 0.95, "keep the best tokens that hold this share (default: the file's, else 0.95)")
	f.Lookup("top-p").DefValue = "0"
	f.IntVar(&r.sample.TopK, "top-k", 0, "keep this many of the best tokens, 0 = all")
	f.Float32Var(&r.sample.MinP, "min-p", 0, "keep tokens at least this likely relative to the best")
	f.Float32Var(&r.sample.Repeat, "repeat-penalty", 1, "penalty on tokens seen before, 1 = none")
	f.Uint64Var(&r.sample.Seed, "seed", 1, "of the random numbers: same seed, same text")
	f.StringVar(&r.state, "state", "", "random:SEED[:ROWS] fills the caches, in place of a long prompt")
	return cmd
}

// text returns the prompt that was given; ok is false when none was.
func (r *runFlags) text(cmd *cobra.Command) (string, bool, error) {
	given := cmd.Flags().Changed("prompt")
	switch {
	case given && r.file != "":
		return "", false, fmt.Errorf("-p and -f exclude each other")
	case r.file == "-":
		b, err := io.ReadAll(interruptible(cmd.Context(), cmd.InOrStdin()))
		return string(b), true, err
	case r.file != "":
		b, err := os.ReadFile(r.file)
		return string(b), true, err
	}
	return r.prompt, given, nil
}

func (r *runFlags) run(cmd *cobra.Command, path string) error {
	if r.tokens < 1 {
		return fmt.Errorf("-n %d: want at least 1", r.tokens)
	}
	text, given, err := r.text(cmd)
	if err != nil {
		return err
	}
	switch {
	case !given && !r.chat:
		return fmt.Errorf("no prompt: give one with -p or -f, or start a conversation with --chat")
	case given && text == "":
		return errEmptyPrompt
	}
	x, err := r.session.openSession(cmd, path)
	if err != nil {
		return err
	}
	defer x.Close()
	g, err := newGenerator(x, r, cmd)
	if err != nil {
		return err
	}
	switch {
	case r.chat && !given:
		return g.converse(interruptible(cmd.Context(), cmd.InOrStdin()))
	case r.chat:
		return g.turn(text)
	}
	return g.complete(text)
}
