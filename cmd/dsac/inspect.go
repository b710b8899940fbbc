package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"dsac/runtime/gguf"
	"dsac/runtime/plan"
)

func newInspect() *cobra.Command {
	var filter plan.Filter
	var memory, occupancy bool
	var ptxOf, llvmOf string
	cmd := &cobra.Command{
		Use:   "inspect PLAN|MODEL.gguf",
		Short: "Show a plan or a GGUF as text",
		Long: `Inspect prints a plan in its text form, which lint and run accept back, or part of it:
an entry, a step, a buffer with who writes and who reads it, or the code of a kernel, which is
named as in the plan or by a step that runs it. Of a GGUF it prints the keys and tensors.`,
		Example: `  dsac inspect model.plan > plan.txt
  dsac inspect model.plan --memory
  dsac inspect model.plan --entry decode1 --buffer l3.q
  dsac inspect model.plan --entry decode1 --ptx l3.q
  dsac inspect model.plan --occupancy --entry decode1
  dsac inspect model.gguf`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			model, err := isGGUF(args[0])
			if err != nil {
				return err
			}
			if model {
				return inspectGGUF(cmd.OutOrStdout(), args[0])
			}
			p, done, err := openPlan(args[0])
			if err != nil {
				return err
			}
			defer done()
			switch {
			case ptxOf != "":
				return printPTX(cmd.OutOrStdout(), p, filter.Entry, ptxOf)
			case llvmOf != "":
				return printLLVM(cmd.OutOrStdout(), p, filter.Entry, llvmOf)
			case occupancy:
				return printOccupancy(cmd.OutOrStdout(), p, filter.Entry)
			case memory:
				_, err := fmt.Fprint(cmd.OutOrStdout(), plan.Report(p))
				return err
			}
			return plan.PrintPart(cmd.OutOrStdout(), p, filter)
		},
	}
	f := cmd.Flags()
	f.StringVar(&filter.Entry, "entry", "", "only this entry")
	f.StringVar(&filter.Step, "step", "", "only this step and its buffers")
	f.StringVar(&filter.Buf, "buffer", "", "history of this buffer")
	f.BoolVar(&memory, "memory", false, "memory report, to the byte")
	f.BoolVar(&occupancy, "occupancy", false, "registers, shared memory and blocks per SM of every kernel")
	f.StringVar(&ptxOf, "ptx", "", "PTX of this `KERNEL`, or of the kernel of a step")
	f.StringVar(&llvmOf, "llvm", "", "LLVM IR that this `KERNEL`, or the kernel of a step, is compiled from")
	cmd.MarkFlagsMutuallyExclusive("ptx", "llvm", "memory", "occupancy", "step", "buffer")
	return cmd
}

func inspectGGUF(out io.Writer, path string) error {
	f, err := gguf.OpenHeader(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for _, s := range f.Shards {
		fmt.Fprintf(w, "file\t%s\tversion %d\t%d bytes\n", s.Path, s.Version, s.Size)
	}
	for i := range f.Keys {
		k := &f.Keys[i]
		fmt.Fprintf(w, "key\t%s\t%s\t%s\n", k.Name, k.TypeString(), k.Text(8))
	}
	var total uint64
	for i := range f.Tensors {
		t := &f.Tensors[i]
		total += t.Size
		fmt.Fprintf(w, "tensor\t%s\t%s\t%d\t%d bytes\n", t.Name, t.Type, t.Dims, t.Size)
	}
	fmt.Fprintf(w, "%d tensors, %d bytes\n", len(f.Tensors), total)
	return w.Flush()
}
