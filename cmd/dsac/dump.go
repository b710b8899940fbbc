package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"dsac/passes"
)

// dumper observes the pipeline: it writes the form after chosen passes, and times them.
type dumper struct {
	names []string
	dir   string
	times bool
}

func (d *dumper) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&d.names, "dump", nil, "write the form of every entry after these passes")
	f.StringVar(&d.dir, "dump-dir", "dump", "`FOLDER` for --dump")
	f.BoolVar(&d.times, "time", false, "print the time of every pass")
}

func (d *dumper) observe(opt *passes.Options) error {
	want := make(map[string]bool)
	for _, n := range d.names {
		if !passes.Known(n) {
			return fmt.Errorf("--dump %s: no such pass; the passes are %s", n, passes.Names())
		}
		want[n] = true
	}
	if len(want) > 0 {
		if err := os.MkdirAll(d.dir, 0o755); err != nil {
			return err
		}
	}
	if len(want) == 0 && !d.times {
		return nil
	}
	last := time.Now()
	opt.Observe = func(pass string, u *passes.Unit) error {
		if d.times {
			fmt.Fprintf(os.Stderr, "%-12s %-14s %8.1f ms\n", u.Entry.Name, pass, float64(time.Since(last).Microseconds())/1000)
		}
		var err error
		if want[pass] {
			name := filepath.Join(d.dir, u.Entry.Name+"."+pass+".txt")
			err = errors.Join(err, os.WriteFile(name, []byte(passes.Dump(u)), 0o644))
		}
		last = time.Now()
		return err
	}
	return nil
}
