package main

import "github.com/spf13/cobra"

func newBench() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure how fast kernels and plans run",
	}
	cmd.AddCommand(newBenchKernels(), newBenchModel(), newBenchGrowth(), newBenchPredict())
	return cmd
}
