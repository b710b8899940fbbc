package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"dsac/runtime/gguf"
	"dsac/runtime/plan"
)

// sessionFlags say what to run, with which weights and on which device.
type sessionFlags struct {
	compile        compileFlags
	weights        string
	device         string
	workers        int
	poison, canary bool
	steps          bool
	madeUp         bool   // weights without a file, on a GPU
	live           string // the flag of a compile that means something for a finished plan too
}

func (s *sessionFlags) register(cmd *cobra.Command) {
	s.compile.register(cmd)
	f := cmd.Flags()
	f.StringVarP(&s.weights, "weights", "m", "", "GGUF `FILE` with the weights (default: the model itself)")
	f.StringVar(&s.device, "device", "", "host, cuda or cuda:N (default: a GPU that fits the plan's target, else the host)")
	f.IntVar(&s.workers, "workers", 0, "threads of the host (default: all cores)")
	f.BoolVar(&s.steps, "steps", false, "GPU: launch one kernel at a time; slow, but a fault names its step")
	f.BoolVar(&s.poison, "poison", false, "fill scratch with NaN before every step; an op that reads it is an error")
	f.BoolVar(&s.canary, "canary", false, "place buffers apart and check after every op that it wrote only what it declares")
}

// session is a plan bound to a device and its weights.
type session struct {
	plan   *plan.Plan
	file   *gguf.File
	dev    device
	closes []func() error
}

// openSession opens a plan, or compiles a GGUF on the fly, and loads it on a device.
func (s *sessionFlags) openSession(cmd *cobra.Command, path string) (*session, error) {
	if s.workers < 0 {
		return nil, fmt.Errorf("--workers %d: want at least 1, or 0 for all cores", s.workers)
	}
	if s.device != "" {
		if _, err := parseDevice(s.device); err != nil {
			return nil, err
		}
	}
	x := &session{}
	if err := s.open(cmd, x, path); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

func (s *sessionFlags) open(cmd *cobra.Command, x *session, path string) error {
	model, err := isGGUF(path)
	if err != nil {
		return err
	}
	if model {
		if s.weights == "" {
			s.weights = path
		}
		if err := s.openWeights(x); err != nil { // a compile for weights that cannot be read would be in vain
			return err
		}
		x.plan, err = s.compile.cached(cmd, path)
	} else {
		if err := s.compile.tooLate(cmd, path, s.live); err != nil {
			return err
		}
		var done func() error
		x.plan, done, err = openPlan(path)
		if err == nil {
			x.closes = append(x.closes, done)
			err = plan.Verify(x.plan)
		}
	}
	if err != nil {
		return err
	}
	if s.weights == "" && !s.madeUp {
		return fmt.Errorf("%s is a plan, which holds no weights: name the GGUF with -m", path)
	}
	if err := s.openWeights(x); err != nil {
		return err
	}
	if tp := x.plan.MetaValue(plan.MetaTP); tp != "" && tp != "1" {
		return fmt.Errorf("%s is a plan for %s ranks: this build compiles and lints such plans, it runs those for one", path, tp)
	}
	if !s.madeUp {
		if err := plan.WeightsMatch(x.plan, tensorsOf(x.file)); err != nil {
			return fmt.Errorf("%s: %w", s.weights, err)
		}
	}
	dev, err := s.load(cmd.Context(), x.plan, x.file)
	if err != nil {
		return err
	}
	x.dev = dev
	x.closes = append(x.closes, dev.Close)
	return nil
}

// openWeights opens the file of the weights, once, unless they are made up.
func (s *sessionFlags) openWeights(x *session) (err error) {
	if s.madeUp || x.file != nil {
		return nil
	}
	if x.file, err = gguf.Open(s.weights); err == nil {
		x.closes = append(x.closes, x.file.Close)
	}
	return err
}

// Close frees everything, last opened first.
func (x *session) Close() error {
	var errs []error
	for i := len(x.closes) - 1; i >= 0; i-- {
		errs = append(errs, x.closes[i]())
	}
	return errors.Join(errs...)
}

func tensorsOf(f *gguf.File) []plan.Tensor {
	out := make([]plan.Tensor, len(f.Tensors))
	for i := range f.Tensors {
		t := &f.Tensors[i]
		out[i] = plan.Tensor{Name: t.Name, Type: t.Type.String(), Dims: t.Dims}
	}
	return out
}

// checkIDs says which token id has no row in the vocabulary.
func (x *session) checkIDs(ids []int32) error {
	vocab := x.plan.MetaInt(plan.MetaVocab)
	for i, id := range ids {
		if id < 0 || int(id) >= vocab {
			return fmt.Errorf("token %d is %d: the vocabulary has ids 0 to %d", i, id, vocab-1)
		}
	}
	return nil
}

// room says when n more tokens do not fit the caches.
func (x *session) room(n int) error {
	ctx := x.plan.MetaInt(plan.MetaCtx)
	if free := ctx - x.dev.Pos(); n > free {
		return fmt.Errorf("%d tokens do not fit: the plan's context has %d rows, %d are free; compile with a larger --ctx", n, ctx, free)
	}
	return nil
}

// feed runs ids in pieces of at most chunk rows, each on the smallest entry that keep allows.
// before, if not nil, is called ahead of each piece; each after it.
func (x *session) feed(ctx context.Context, ids []int32, chunk int, keep func(*plan.Entry) bool, before func(last bool) error, each func(entry, rows int) error) error {
	if err := x.room(len(ids)); err != nil {
		return err
	}
	for len(ids) > 0 {
		n := min(chunk, len(ids))
		e, err := x.dev.EntryFor(n, keep)
		if err != nil {
			return err
		}
		if before != nil {
			if err := before(n == len(ids)); err != nil {
				return err
			}
		}
		copy(x.dev.IDs(), ids[:n])
		if err := x.dev.RunContext(ctx, e, n); err != nil {
			return err
		}
		if err := each(e, n); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

// largest returns the most rows of an entry that keep allows; 0 when there is none.
func (x *session) largest(keep func(*plan.Entry) bool) int {
	most := 0
	for i := range x.plan.Entries {
		if e := &x.plan.Entries[i]; keep(e) {
			most = max(most, int(e.Rows))
		}
	}
	return most
}

// isPrefill and allRows tell entries apart.
func (x *session) isPrefill(e *plan.Entry) bool {
	return strings.HasPrefix(x.plan.Str(e.Name), "prefill")
}
func allRows(e *plan.Entry) bool { return e.Rows == e.Outs }
