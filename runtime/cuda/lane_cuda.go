//go:build cuda

package cuda

import (
	"errors"
	"unsafe"

	"gorgonia.org/cu"
)

// queue is a lane. All lanes copy through one stream of the driver, in which a copy starts as the
// one before it ends: between copies of different streams the link idles for about 8 us, as long as
// 400 KB take. Kernels, which take a tenth of the time of a copy, have another stream: making a
// stream for each lane takes longer than running them one after another.
type queue struct {
	*nvidia
	copied, packed cu.Event
	last           *cu.Event // of the two; nil: nothing was begun
}

func (v *nvidia) lane() (lane, error) {
	l := &queue{nvidia: v}
	var err error
	if l.copied, err = cu.MakeEvent(cu.DisableTiming); err != nil {
		return nil, wrap("cuEventCreate", err)
	}
	if l.packed, err = cu.MakeEvent(cu.DisableTiming); err != nil {
		return nil, errors.Join(wrap("cuEventCreate", err), wrap("cuEventDestroy", cu.DestroyEvent(&l.copied)))
	}
	return l, nil
}

func (l *queue) copy(dst uint64, src *pinned, bytes int) error {
	from := unsafe.Pointer(unsafe.SliceData(src.bytes))
	if err := cu.MemcpyHtoDAsync(cu.DevicePtr(dst), from, int64(bytes), l.copies); err != nil {
		return wrap("cuMemcpyHtoDAsync", err)
	}
	return l.mark(&l.copied, l.copies)
}

func (l *queue) run(n *node) error {
	if err := l.stream.Wait(l.copied, 0); err != nil {
		return wrap("cuStreamWaitEvent", err)
	}
	if err := launchOn(n, l.stream); err != nil {
		return err
	}
	return l.mark(&l.packed, l.stream)
}

// mark makes an event that of what was begun last.
func (l *queue) mark(e *cu.Event, in cu.Stream) error {
	l.last = e
	return wrap("cuEventRecord", e.Record(in))
}

func (l *queue) wait() error {
	if l.last == nil {
		return nil
	}
	return wrap("cuEventSynchronize", l.last.Synchronize())
}

func (l *queue) close() error {
	return errors.Join(wrap("cuEventDestroy", cu.DestroyEvent(&l.copied)), wrap("cuEventDestroy", cu.DestroyEvent(&l.packed)))
}
