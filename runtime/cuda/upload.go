package cuda

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Weights go from the file through pinned buffers to the GPU. Each worker has two: one is filled
// from the file while the GPU copies, and repacks, what was in the other. Pinning memory costs
// more than copying it, so that the buffers are no larger than copies need.
const (
	stage      = 2 << 20 // bytes of a pinned buffer
	maxWorkers = 12
	perWorker  = 2 // pinned buffers
)

// uploader is the state that workers share.
type uploader struct {
	d    *Device
	jobs []job
	next atomic.Int64
	size int // of the pinned buffers
	repacker
	ready  chan struct{} // closed when the repacker is open, or cannot be
	opened bool          // which of both

	mu          sync.Mutex
	done, total uint64
	told        time.Time // when Options.Progress was called last
	err         error     // the first
}

// upload copies the weights.
func (d *Device) upload(ctx context.Context, jobs []job) error {
	if len(jobs) == 0 {
		return ctx.Err()
	}
	u := &uploader{d: d, jobs: jobs, ready: make(chan struct{}), told: time.Now()}
	for i := range jobs {
		u.total += uint64(len(jobs[i].data))
		u.size = max(u.size, len(jobs[i].data))
	}
	err := u.workers(ctx)
	if err == nil {
		err = ctx.Err()
	}
	err = errors.Join(append(u.close(d.drv), err)...)
	if err == nil {
		u.tell()
	}
	return err
}

// workers runs them until all jobs are done or one has failed. They read while the kernel that
// repacks is loaded.
func (u *uploader) workers(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	run := func(f func() error) {
		wg.Go(func() {
			if err := u.bound(f); err != nil {
				u.mu.Lock()
				if u.err == nil {
					u.err = err
				}
				u.mu.Unlock()
				stop()
			}
		})
	}
	run(func() error {
		defer close(u.ready)
		err := u.open(u.d.drv, u.jobs)
		u.opened = err == nil
		return err
	})
	for range min(maxWorkers, runtime.GOMAXPROCS(0), len(u.jobs)) {
		run(func() error { return u.work(ctx) })
	}
	wg.Wait()
	return u.err
}

// bound calls f on a thread that may use the GPU.
func (u *uploader) bound(f func() error) error {
	if err := u.d.drv.bind(); err != nil {
		return err
	}
	defer u.d.drv.unbind()
	return f()
}

// report adds to the bytes done, and tells of them now and then: drawing a bar takes longer than
// copying a buffer.
func (u *uploader) report(n int) {
	const pause = 100 * time.Millisecond
	u.mu.Lock()
	defer u.mu.Unlock()
	u.done += uint64(n)
	if u.done < u.total && time.Since(u.told) >= pause {
		u.tell()
	}
}

func (u *uploader) tell() {
	if u.d.opt.Progress != nil {
		u.d.opt.Progress(u.done, u.total)
	}
	u.told = time.Now()
}

// work sends jobs until none is left.
func (u *uploader) work(ctx context.Context) (err error) {
	s := stager{drv: u.d.drv, size: u.size}
	defer func() { err = errors.Join(err, s.close()) }()
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
	h, err := s.free(j.layout != nil)
	if err != nil {
		return err
	}
	n := len(j.data)
	if err := j.fill(h.buf.bytes[:n], u.d.plan.Str(j.weight.Name)); err != nil {
		return err
	}
	at := u.d.bases[j.region] + j.dst
	if j.layout == nil {
		return h.lane.copy(at, h.buf, n)
	}
	if err := h.lane.copy(h.raw, h.buf, n); err != nil {
		return err
	}
	<-u.ready
	if !u.opened {
		return nil // its error ends the upload
	}
	return h.lane.run(u.launch(j, at, h.raw))
}

// fill puts the bytes of a job, of the tensor with that name, into a pinned buffer.
func (j *job) fill(dst []byte, name string) error {
	if j.from != nil {
		return j.from.Read(dst, name, j.off)
	}
	populate(j.data)
	copy(dst, j.data)
	return nil
}
