package host

import (
	"context"
	"encoding/binary"
	"fmt"

	"dsac/runtime/plan"
)

// RunContext is Run that stops between steps with the context's error when it is done.
func (d *Device) RunContext(ctx context.Context, e, n int) error {
	if d.dead != nil {
		return d.dead
	}
	if e < 0 || e >= len(d.entries) {
		return fmt.Errorf("entry %d of a plan with %d", e, len(d.entries))
	}
	en := d.entries[e]
	pos := d.Pos()
	if err := d.admit(en, n, pos); err != nil {
		return err
	}
	le := binary.LittleEndian
	le.PutUint64(d.ctl[plan.CtlN:], uint64(n))
	le.PutUint64(d.ctl[plan.CtlLen:], uint64(pos+n))
	le.PutUint32(d.ctl[plan.CtlAccepted:], uint32(n))
	le.PutUint32(d.ctl[plan.CtlError:], 0)
	if d.opt.Poison {
		d.poisonScratch()
	}
	if d.opt.Canary {
		d.check.remember(d, e, pos+n)
	}
	for _, s := range en.steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.step(s, n, pos); err != nil {
			return fmt.Errorf("step %s (%s): %w", s.name, s.op, err)
		}
	}
	if n := len(en.steps); d.opt.Canary && n > 0 {
		return d.check.finish(d, en.steps[n-1])
	}
	return nil
}

// admit checks what the plan's ranges rely upon.
func (d *Device) admit(en *entry, n, pos int) error {
	if n < 1 || n > en.rows {
		return fmt.Errorf("%d rows in an entry for 1 to %d", n, en.rows)
	}
	if d.ctx > 0 && (pos < 0 || pos > d.ctx-n) {
		return fmt.Errorf("context is full: %d rows after %d positions, the plan has room for %d", n, pos, d.ctx)
	}
	for i, id := range en.ids[:min(n, len(en.ids))] {
		if id < 0 || int(id) >= en.vocab {
			return fmt.Errorf("token id %d at row %d is outside the vocabulary of %d", id, i, en.vocab)
		}
	}
	return nil
}

// step runs one step. A panic inside an op is a broken plan, or a bug of ours: it becomes an
// error that names the step and
// wraps a *Crash.
func (d *Device) step(s *step, n, pos int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = crashed(r)
		}
	}()
	if d.opt.Before != nil {
		if err := d.opt.Before(s.index); err != nil {
			return err
		}
	}
	c := &s.call
	c.N, c.Pos, c.Len, c.Lo, c.Hi = n, pos, pos+n, 0, n
	if s.rows {
		// After take_rows there are fewer rows than the step has.
		c.N = min(n, c.Args[0].Shape[0])
		c.Hi = c.N
	}
	if d.opt.Poison {
		if err := d.poison(s); err != nil {
			return err
		}
	}
	work := &d.engine.pool.workers[0].work
	c.Work = work
	switch {
	case s.run != nil:
		s.run(d.engine, c)
	case s.rows:
		d.engine.rows(c, s.ref)
	default:
		s.ref(c)
	}
	if err := work.Err; err != nil {
		work.Err = nil
		return err
	}
	if d.opt.Canary {
		if err := d.check.compare(d, s); err != nil {
			return err
		}
	}
	if d.opt.Poison {
		if err := d.defined(s); err != nil {
			return err
		}
	}
	if d.opt.After != nil {
		return d.opt.After(s.index)
	}
	return nil
}

// Observe sets the callbacks around every step (see Options); nil ends observing.
func (d *Device) Observe(before, after func(step int32) error) {
	d.opt.Before, d.opt.After = before, after
}
