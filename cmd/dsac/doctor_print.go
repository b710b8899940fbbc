package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"dsac/runtime/cuda"
)

func (x *examined) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "dsac\t%s\t%s\n", x.Version, x.Platform)
	s := &x.CUDA
	fmt.Fprintf(w, "CUDA support\t%s\t%s\n", either(s.Built, "built in", "not built in"), prefixed("cuda.h ", s.Header))
	fmt.Fprintf(w, "NVIDIA driver\t%s\t%s\n", orNone(s.Driver), prefixed("CUDA up to ", s.CUDA))
	for i := range s.GPUs {
		printGPU(w, &s.GPUs[i])
	}
	for _, t := range x.Tools {
		fmt.Fprintf(w, "%s\t%s\t%s (%s)\n", t.Name, either(t.Path != "" && t.Version == "", "found", orNone(t.Version)), t.Path, t.For)
	}
	for _, t := range x.Targets {
		fmt.Fprintf(w, "target %s\t%s\t%s\n", t.Name, either(t.Compile, "compiles", "cannot compile"), either(t.Run != "", "runs on "+t.Run, "runs on --device host only"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, n := range s.Notes {
		fmt.Fprintln(out, "note:", n)
	}
	for _, p := range x.Problems {
		fmt.Fprintf(out, "problem: %s\n     do: %s\n", p.What, p.Do)
	}
	_, err := fmt.Fprintln(out, either(len(x.Problems) == 0, "everything works", "--device host works"))
	return err
}

func printGPU(w io.Writer, g *cuda.GPU) {
	fmt.Fprintf(w, "GPU %d\t%s\t%s, %d SMs, %.1f GiB", g.Ordinal, g.Name, g.Arch(), g.SMs, float64(g.Memory)/(1<<30))
	if g.Free > 0 {
		fmt.Fprintf(w, " (%.1f free)", float64(g.Free)/(1<<30))
	}
	fmt.Fprintf(w, "\n\t\t%s", g.Bus)
	if g.PCIeGen > 0 {
		fmt.Fprintf(w, ", PCIe %d x%d (up to %d x%d)", g.PCIeGen, g.PCIeWidth, g.PCIeGenMax, g.PCIeWidthMax)
	}
	if g.PowerLimitW > 0 {
		fmt.Fprintf(w, ", %d of %d W", g.PowerW, g.PowerLimitW)
	}
	if g.ClockMaxMHz > 0 {
		fmt.Fprintf(w, ", %d of %d MHz", g.ClockMHz, g.ClockMaxMHz)
	}
	if len(g.Peers) > 0 {
		fmt.Fprintf(w, ", peer access to %v", g.Peers)
	}
	fmt.Fprintln(w)
}

func either(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}

func orNone(s string) string { return either(s != "", s, "none") }

func prefixed(prefix, s string) string { return either(s != "", prefix+s, "") }
