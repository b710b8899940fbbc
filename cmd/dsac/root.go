package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "dsac",
		Short: "Compile GLM-DSA models to static plans, prove their buffers, run them",
		Long: `dsac lowers a GLM-DSA model (GLM-5 family: MLA + DeepSeek sparse attention + MoE)
from a DSL and a GGUF file into one static execution plan. Every op writes into an
explicitly allocated output; aliasing is proved at compile time and can be checked on
any plan with dsac lint.`,
		Example: `  dsac compile model.gguf -o model.plan
  dsac lint model.plan
  dsac run model.plan -m model.gguf -p "The capital of France is"`,
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(newCompile(), newLint(), newRun(), newLogits(), newCheck(), newInspect(), newSynth(), newBench(), newDoctor())
	return root
}

// oneArg is what commands with one file as argument say when there is none, or more.
func oneArg(cmd *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	return fmt.Errorf("got %d arguments; usage: %s", len(args), cmd.UseLine())
}
