package cuda

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Weights go from the mapped file through pinned buffers to the GPU. Each worker has two: one
// is filled, by reading the file and repacking, while the other is copied by the GPU.
const (
	stage      = 16 << 20 // bytes of a pinned buffer
	maxWorkers = 8
)

// uploader is the state that workers share.
type uploader struct {
	d    *Device
	jobs []job
	next atomic.Int64
	size int // of the pinned buffers

	mu          sync.Mutex
	done, total uint64
	err         error // of the first worker that failed
}

// upload copies the weights.
func (d *Device) upload(ctx context.Context, jobs []job) error {
	if len(jobs) == 0 {
		return ctx.Err()
	}
	u := &uploader{d: d, jobs: jobs}
	for i := range jobs {
		u.total += uint64(len(jobs[i].data))
		u.size = max(u.size, int(min(jobs[i].size, stage)))
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	for range min(maxWorkers, runtime.GOMAXPROCS(0), len(jobs)) {
		wg.Go(func() {
			if err := u.work(ctx); err != nil {
				u.mu.Lock()
				if u.err == nil {
					u.err = err
				}
				u.mu.Unlock()
				stop()
			}
		})
	}
	wg.Wait()
	if u.err == nil {
		u.report(0)
	}
	return u.err
}

// report adds to the bytes done. The first call with nothing left says that all are.
func (u *uploader) report(n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.done += uint64(n)
	if u.d.opt.Progress != nil && (n > 0) == (u.done < u.total) {
		u.d.opt.Progress(u.done, u.total)
	}
}

// work copies jobs until none is left.
func (u *uploader) work(ctx context.Context) (err error) {
	drv := u.d.drv
	if err := drv.bind(); err != nil {
		return err
	}
	defer drv.unbind()
	var s stager
	defer func() { err = errors.Join(err, s.close(drv)) }()
	if err := s.open(drv, u.size); err != nil {
		return err
	}
	for {
		i := int(u.next.Add(1)) - 1
		if i >= len(u.jobs) {
			return s.wait()
		}
		if err := u.one(ctx, &s, &u.jobs[i]); err != nil {
			return err
		}
		u.report(len(u.jobs[i].data))
	}
}

func (u *uploader) one(ctx context.Context, s *stager, j *job) error {
	d, data := u.d, j.data
	populate(data)
	if j.layout != nil {
		var err error
		if data, err = j.layout(j.weight, data); err != nil {
			return fmt.Errorf("weight %s: layout %q: %w", d.plan.Str(j.weight.Name), d.plan.Str(j.weight.Layout), err)
		}
		if uint64(len(data)) != j.size {
			return fmt.Errorf("weight %s: layout %q gives %d bytes, the plan wants %d", d.plan.Str(j.weight.Name), d.plan.Str(j.weight.Layout), len(data), j.size)
		}
	}
	at := d.bases[j.region] + j.dst
	for len(data) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := s.copy(at, data)
		if err != nil {
			return fmt.Errorf("weight %s: %w", d.plan.Str(j.weight.Name), err)
		}
		at += uint64(n)
		data = data[n:]
	}
	return nil
}

// stager is the pair of pinned buffers of a worker, each with a lane of its own.
type stager struct {
	bufs  [2]*pinned
	lanes [2]lane
	turn  int
}

func (s *stager) open(drv driver, size int) (err error) {
	for i := range s.bufs {
		if s.bufs[i], err = drv.pinned(size); err != nil {
			return err
		}
		if s.lanes[i], err = drv.lane(); err != nil {
			return err
		}
	}
	return nil
}

// copy starts the copy of as much of data as one buffer holds, and returns how much that is.
func (s *stager) copy(at uint64, data []byte) (int, error) {
	i := s.turn
	s.turn = 1 - i
	if err := s.lanes[i].wait(); err != nil {
		return 0, err
	}
	n := copy(s.bufs[i].bytes, data)
	return n, s.lanes[i].copy(at, s.bufs[i], n)
}

func (s *stager) wait() error { return errors.Join(s.lanes[0].wait(), s.lanes[1].wait()) }

// close waits for the copies: a buffer must not go while the GPU reads it.
func (s *stager) close(drv driver) error {
	var errs []error
	for i := range s.bufs {
		if s.lanes[i] != nil {
			errs = append(errs, s.lanes[i].wait(), s.lanes[i].close())
		}
		if s.bufs[i] != nil {
			errs = append(errs, drv.unpin(s.bufs[i]))
		}
	}
	return errors.Join(errs...)
}
