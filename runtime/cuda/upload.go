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
// is filled from the file while the GPU copies, and repacks, what was in the other. Pinning
// memory costs more than copying it, so that the buffers are no larger than copies need.
const (
	stage      = 2 << 20 // bytes of a pinned buffer
	maxWorkers = 8
)

// uploader is the state that workers share.
type uploader struct {
	d    *Device
	jobs []job
	next atomic.Int64
	size int // of the pinned buffers
	repacker

	mu          sync.Mutex
	done, total uint64
	told        uint64 // of done, to Options.Progress
	err         error  // of the first worker that failed
}

// upload copies the weights.
func (d *Device) upload(ctx context.Context, jobs []job) error {
	if len(jobs) == 0 {
		return ctx.Err()
	}
	u := &uploader{d: d, jobs: jobs}
	for i := range jobs {
		u.total += uint64(len(jobs[i].data))
		u.size = max(u.size, len(jobs[i].data))
	}
	err := u.open(d.drv, jobs)
	if err == nil {
		err = u.workers(ctx)
	}
	if err == nil {
		err = ctx.Err()
	}
	err = errors.Join(append(u.close(d.drv), err)...)
	if err == nil {
		u.report(0)
	}
	return err
}

// workers runs them until all jobs are done or one has failed.
func (u *uploader) workers(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	for range min(maxWorkers, runtime.GOMAXPROCS(0), len(u.jobs)) {
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
	return u.err
}

// report adds to the bytes done, and tells of them now and then: drawing a bar takes longer than
// copying a buffer. The last call, with n = 0, says that all are done.
func (u *uploader) report(n int) {
	const times = 500
	u.mu.Lock()
	defer u.mu.Unlock()
	u.done += uint64(n)
	due := u.done-u.told >= u.total/times && u.done < u.total
	if u.d.opt.Progress != nil && (n == 0 || due) {
		u.told = u.done
		u.d.opt.Progress(u.done, u.total)
	}
}

// work sends jobs until none is left.
func (u *uploader) work(ctx context.Context) (err error) {
	drv := u.d.drv
	if err := drv.bind(); err != nil {
		return err
	}
	defer drv.unbind()
	var s stager
	defer func() { err = errors.Join(err, s.close(drv)) }()
	if err := s.open(drv, u.size, len(u.tables) > 0); err != nil {
		return err
	}
	for {
		i := int(u.next.Add(1)) - 1
		if i >= len(u.jobs) {
			return s.wait()
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		j := &u.jobs[i]
		if err := u.send(&s, j); err != nil {
			return fmt.Errorf("weight %s: %w", u.d.plan.Str(j.weight.Name), err)
		}
		u.report(len(j.data))
	}
}

// send reads a job's bytes and starts to copy them.
func (u *uploader) send(s *stager, j *job) error {
	h, err := s.free()
	if err != nil {
		return err
	}
	populate(j.data)
	n := copy(h.buf.bytes, j.data)
	at := u.d.bases[j.region] + j.dst
	if j.layout == nil {
		return h.lane.copy(at, h.buf, n)
	}
	if err := h.lane.copy(h.raw, h.buf, n); err != nil {
		return err
	}
	return h.lane.run(u.launch(j, at, h.raw))
}

// stager is the pair of pinned buffers of a worker.
type stager struct {
	halves [2]half
	turn   int
}

// half is a pinned buffer with a lane of its own, and as much memory of the GPU.
type half struct {
	buf  *pinned
	lane lane
	raw  uint64 // address; 0: nothing is repacked
}

func (s *stager) open(drv driver, size int, repacks bool) (err error) {
	for i := range s.halves {
		h := &s.halves[i]
		if h.buf, err = drv.pinned(size); err != nil {
			return err
		}
		if h.lane, err = drv.lane(); err != nil {
			return err
		}
		if !repacks {
			continue
		}
		if h.raw, err = drv.alloc(uint64(size)); err != nil {
			return err
		}
	}
	return nil
}

// free returns the half whose turn it is, once the GPU is done with it.
func (s *stager) free() (*half, error) {
	h := &s.halves[s.turn]
	s.turn = 1 - s.turn
	return h, h.lane.wait()
}

func (s *stager) wait() error { return errors.Join(s.halves[0].lane.wait(), s.halves[1].lane.wait()) }

// close waits for the copies: a buffer must not go while the GPU reads it.
func (s *stager) close(drv driver) error {
	var errs []error
	for _, h := range s.halves {
		if h.lane != nil {
			errs = append(errs, h.lane.wait(), h.lane.close())
		}
		if h.buf != nil {
			errs = append(errs, drv.unpin(h.buf))
		}
		if h.raw != 0 {
			errs = append(errs, drv.release(h.raw))
		}
	}
	return errors.Join(errs...)
}
