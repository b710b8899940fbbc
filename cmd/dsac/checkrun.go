package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"dsac/runtime/plan"
)

// promptSeed makes the made-up prompt.
const promptSeed = 20

// runEntry runs an entry of the session's plan for ids and checks it.
type runEntry func(ctx context.Context, entry int, ids []int32) error

// runs makes the runs of a check: the entry that was asked for, or a prefill and decode steps.
func (c *checkFlags) runs(ctx context.Context, x *session, run runEntry) error {
	ids, err := c.ids(x)
	if err != nil {
		return err
	}
	if err := c.fillState(x); err != nil {
		return err
	}
	if c.entry != "" {
		return c.oneEntry(ctx, x, run, ids)
	}
	if err := x.room(len(ids) + c.decode); err != nil {
		return err
	}
	keep := x.isPrefill
	most := x.largest(keep)
	if most == 0 { // a context that has no prefill
		keep = func(*plan.Entry) bool { return true }
		most = x.largest(keep)
	}
	if err := c.prefill(ctx, x, ids, most, keep, run); err != nil {
		return err
	}
	for range c.decode {
		e, err := x.dev.EntryFor(1, nil)
		if err != nil {
			return err
		}
		if err := run(ctx, e, []int32{x.dev.Token()}); err != nil {
			return err
		}
	}
	return nil
}

// prefill runs ids in pieces of at most chunk rows.
func (c *checkFlags) prefill(ctx context.Context, x *session, ids []int32, chunk int, keep func(*plan.Entry) bool, run runEntry) error {
	for len(ids) > 0 {
		n := min(len(ids), chunk)
		e, err := x.dev.EntryFor(n, keep)
		if err != nil {
			return err
		}
		if err := run(ctx, e, ids[:n]); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

// oneEntry compares the entry that was named. Before a decode entry the prompt is run, on the
// session's device only; the entry then goes on with the prompt's tokens from the start.
func (c *checkFlags) oneEntry(ctx context.Context, x *session, run runEntry, ids []int32) error {
	e, err := x.dev.Entry(c.entry)
	if err != nil {
		return err
	}
	en := &x.plan.Entries[e]
	if en.Rows == 0 {
		return fmt.Errorf("entry %s takes no rows: there is nothing to compare", c.entry)
	}
	if !x.isPrefill(en) && c.state == "" {
		chunk := x.largest(func(*plan.Entry) bool { return true })
		if err := x.feed(ctx, ids, chunk, nil, nil, func(int, int) error { return nil }); err != nil {
			return err
		}
	}
	n := min(int(en.Rows), len(ids))
	if err := x.room(n); err != nil {
		return err
	}
	return run(ctx, e, ids[:n])
}

// ids are the prompt.
func (c *checkFlags) ids(x *session) ([]int32, error) {
	if c.tokens != "" {
		ids, err := parseTokens(c.tokens)
		if err != nil {
			return nil, err
		}
		return ids, x.checkIDs(ids)
	}
	vocab := x.plan.MetaInt(plan.MetaVocab)
	if vocab < 1 {
		return nil, fmt.Errorf("the plan does not say how large its vocabulary is: give --tokens")
	}
	r := rand.New(rand.NewPCG(promptSeed, 0))
	ids := make([]int32, c.prompt)
	for i := range ids {
		ids[i] = r.Int32N(int32(vocab))
	}
	return ids, nil
}

// fillState gives the caches made-up rows.
func (c *checkFlags) fillState(x *session) error {
	if c.state == "" {
		if c.depth != 0 {
			return fmt.Errorf("--depth is the number of rows that --state makes up: give --state random:SEED too")
		}
		return nil
	}
	text, ok := strings.CutPrefix(c.state, "random:")
	seed, err := strconv.ParseUint(text, 10, 64)
	if !ok || err != nil {
		return fmt.Errorf("--state %s: want random:SEED with a whole number", c.state)
	}
	depth := c.depth
	if depth == 0 {
		depth = x.plan.MetaInt(plan.MetaCtx) / 2
	}
	return x.dev.RandomState(seed, depth)
}
