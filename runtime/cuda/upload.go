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
	d        *Device
	jobs     []job
	next     atomic.Int64
	stager   stager
	staged   prepared
	repacker repacker
	loaded   prepared

	mu          sync.Mutex
	done, total uint64
	told        time.Time // when Options.Progress was called last
	err         error     // the first
}

// prepared is something that workers wait for while it is made.
type prepared struct {
	ready chan struct{} // closed when it is there, or cannot be
	ok    bool          // which of both
}

func (p *prepared) wait() bool { <-p.ready; return p.ok }

// upload copies the weights.
func (d *Device) upload(ctx context.Context, jobs []job) error {
	if len(jobs) == 0 {
		return ctx.Err()
	}
	u := &uploader{d: d, jobs: jobs, staged: prepared{ready: make(chan struct{})}, loaded: prepared{ready: make(chan struct{})}, told: time.Now()}
	for i := range jobs {
		u.total += uint64(len(jobs[i].data))
	}
	err := u.workers(ctx)
	if err == nil {
		err = ctx.Err()
	}
	err = errors.Join(err, u.bound(func() error {
		return errors.Join(append(u.stager.close(d.drv), u.repacker.close(d.drv)...)...)
	}))
	if err == nil {
		u.tell()
	}
	return err
}

// workers runs them until all jobs are done or one has failed. The kernel that repacks is loaded
// while they read and copy.
func (u *uploader) workers(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	run := func(f func() error) {
		wg.Go(func() {
			if err := f(); err != nil {
				u.mu.Lock()
				if u.err == nil {
					u.err = err
				}
				u.mu.Unlock()
				stop()
			}
		})
	}
	prepare := func(p *prepared, f func() error) {
		run(func() error {
			defer close(p.ready) // also where the thread may not use the GPU
			err := u.bound(f)
			p.ok = err == nil
			return err
		})
	}
	workers := min(maxWorkers, runtime.GOMAXPROCS(0), len(u.jobs))
	prepare(&u.staged, func() error { return u.stage(workers * perWorker) })
	prepare(&u.loaded, func() error { return u.repacker.open(u.d.drv, u.jobs) })
	for i := range workers {
		run(func() error { return u.bound(func() error { return u.work(ctx, i*perWorker) }) })
	}
	wg.Wait()
	return u.err
}

// stage makes the buffers.
func (u *uploader) stage(buffers int) error {
	size, repacks := 0, false
	for i := range u.jobs {
		size = max(size, len(u.jobs[i].data))
		repacks = repacks || u.jobs[i].layout != nil
	}
	return u.stager.open(u.d.drv, buffers, size, repacks)
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

// work sends jobs until none is left, through buffers from number first on.
func (u *uploader) work(ctx context.Context, first int) (err error) {
	if !u.staged.wait() {
		return nil // its error ends the upload
	}
	own := turns{halves: u.stager.halves[first : first+perWorker]}
	for {
		i := int(u.next.Add(1)) - 1
		if i >= len(u.jobs) {
			return own.wait()
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		h, err := own.free()
		if err != nil {
			return err
		}
		j := &u.jobs[i]
		if err := u.send(h, j); err != nil {
			return fmt.Errorf("weight %s: %w", u.d.plan.Str(j.weight.Name), err)
		}
		u.report(len(j.data))
	}
}

// send reads a job's bytes into a buffer and starts to copy them.
func (u *uploader) send(h *half, j *job) error {
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
	if !u.loaded.wait() {
		return nil // its error ends the upload
	}
	return h.lane.run(u.repacker.launch(j, at, h.raw))
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
