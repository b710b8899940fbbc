package main

import (
	"errors"

	"github.com/spf13/cobra"

	"dsac/runtime/check"
	"dsac/runtime/cuda"
)

// stressed is a GPU under a name for reports.
type stressed struct{ *cuda.Device }

func (d stressed) Name() string {
	g := d.GPU()
	return g.String()
}

// stressable says what does not go with --stress.
func (c *checkFlags) stressable() error {
	switch {
	case c.device != "cuda":
		return errors.New("--stress delays launches on a GPU, and the emulator runs them one after another: give --device cuda")
	case c.from != "" || c.forced || c.free:
		return errors.New("--stress compares runs of whole entries: it goes without --from, --force-choices and --free")
	}
	return nil
}

// runStress makes the runs of a check with launches delayed. The host has no part in it.
func (c *checkFlags) runStress(cmd *cobra.Command, path string) error {
	c.session.device = c.device
	x, err := c.session.openSession(cmd, path)
	if err != nil {
		return err
	}
	defer x.Close()
	d, ok := x.dev.(*cuda.Device)
	if !ok {
		panic("BUG: the session is not on a GPU")
	}
	s := check.NewStress(x.plan, stressed{d}, check.Options{PerKernel: c.perKernel, Progress: checkProgress()})
	if err := c.runs(cmd.Context(), x, s.Run); err != nil {
		return err
	}
	return c.report(cmd, s.Report())
}
