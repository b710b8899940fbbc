package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"dsac/runtime/check"
	"dsac/runtime/host"
	"dsac/runtime/plan"
)

// chunking is the prompt in pieces of one size.
type chunking struct {
	Chunk   int          `json:"chunk"`
	Runs    int          `json:"runs"`
	Forced  int          `json:"forced"`  // lists that the device would have chosen otherwise
	Host    check.Number `json:"nmse"`    // of the device's results against the host's, all rows
	Between check.Number `json:"between"` // against the device's results in the largest pieces
	Itself  check.Number `json:"itself"`  // of the host's results against the host's in the largest pieces: rounding
	Clean   bool         `json:"clean"`

	rows map[int][2][]float32 // by position: those ofDevice and ofHost
}

// Whose results a row holds.
const (
	ofDevice = iota
	ofHost
)

// chunkings runs the prompt in pieces of each size, from empty caches, with choices forced to
// the host's, and compares what the device makes of them. Without forced choices two sizes
// may not be compared: one element of a list that is swapped at a tie makes another text. The
// host, whose sums are in another order too, takes its choices from the largest pieces, run first.
func (c *checkFlags) chunkings(cmd *cobra.Command, x *session, dev check.Device, h *host.Device, opt check.Options) error {
	ids, err := c.ids(x)
	if err != nil {
		return err
	}
	if err := x.room(len(ids)); err != nil {
		return err
	}
	if most := x.largest(allEntries); min(c.sizes[len(c.sizes)-1], len(ids)) > most {
		return fmt.Errorf("--chunks %s: the plan takes at most %d rows at once: compile it with a larger --chunk", c.chunks, most)
	}
	all := make([]*chunking, len(c.sizes))
	opt.Lists = check.NewLists()
	for i, size := range slices.Backward(c.sizes) {
		h.Reset()
		one := &chunking{Chunk: size, Clean: true, rows: map[int][2][]float32{}}
		opt.Results = func(pos int, got, want []float32) {
			one.rows[pos] = [2][]float32{append([]float32(nil), got...), append([]float32(nil), want...)}
		}
		k, err := check.New(x.plan, h, dev, opt)
		if err != nil {
			return err
		}
		if err := c.prefill(cmd.Context(), x, ids, size, allEntries, k.Run); err != nil {
			return err
		}
		r := k.Report()
		for _, run := range r.Runs {
			one.Runs++
			one.Forced += run.Forced
		}
		all[i] = one
	}
	clean, allowed := true, check.Number(c.nmse)
	for _, one := range all {
		last := all[len(all)-1].rows
		one.Host = nmse(one.rows, ofDevice, one.rows, ofHost)
		one.Between = nmse(one.rows, ofDevice, last, ofDevice)
		one.Itself = nmse(one.rows, ofHost, last, ofHost)
		one.Clean = one.Host <= allowed && one.Between <= allowed // false for NaN
		clean = clean && one.Clean
	}
	if c.asJSON {
		e := json.NewEncoder(cmd.OutOrStdout())
		e.SetIndent("", "  ")
		err = e.Encode(all)
	} else {
		err = writeChunkings(cmd.OutOrStdout(), all, dev.Name(), allowed)
	}
	if err == nil && !clean {
		return exitCode(exitFindings)
	}
	return err
}

// chunkable reads the sizes, and says what does not go with them.
func (c *checkFlags) chunkable() (err error) {
	if !c.forced || c.entry != "" || c.state != "" {
		return fmt.Errorf("--chunks compares prompts with choices forced to the host's: it goes with --force-choices, without --entry and --state")
	}
	c.sizes, err = parseSizes(c.chunks)
	return err
}

func allEntries(*plan.Entry) bool { return true }

// parseSizes reads ascending sizes of pieces.
func parseSizes(list string) ([]int, error) {
	var sizes []int
	for _, f := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(f))
		if err != nil || n < 1 || len(sizes) > 0 && n <= sizes[len(sizes)-1] {
			return nil, fmt.Errorf("--chunks %s: want ascending sizes, separated by commas", list)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// nmse compares rows of a with rows of b, each the device's or the host's, at the positions
// that both have.
func nmse(a map[int][2][]float32, ofA int, b map[int][2][]float32, ofB int) check.Number {
	var s check.Sums
	for pos, x := range a {
		if y, ok := b[pos]; ok {
			s.Add(x[ofA], y[ofB])
		}
	}
	return s.NMSE()
}

func writeChunkings(w io.Writer, all []*chunking, device string, allowed check.Number) error {
	last := all[len(all)-1].Chunk
	if _, err := fmt.Fprintf(w, "%s, choices forced to the host's, NMSE allowed %.2g\n\n", device, allowed); err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "chunk\truns\trows\tlists forced\tagainst the host\tagainst chunks of %d\t\n", last)
	for _, c := range all {
		verdict := "ok"
		if !c.Clean {
			verdict = "differs"
		}
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%.2g\t%.2g\t%s\n", c.Chunk, c.Runs, len(c.rows), c.Forced, c.Host, c.Between, verdict)
	}
	return t.Flush()
}
