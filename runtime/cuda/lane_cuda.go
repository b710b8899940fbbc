//go:build cuda

package cuda

import (
	"errors"
	"unsafe"

	"gorgonia.org/cu"
)

// stream is a lane. All lanes copy through one stream of the driver, in which a copy starts as
// the one before it ends: between copies of different streams the link idles for about 8 us, as
// long as 400 KB take. A lane's own stream waits for its last copy and has its kernels.
type stream struct {
	cu.Stream
	copies cu.Stream
	copied cu.Event // the lane's last copy is done
}

func (v *nvidia) lane() (lane, error) {
	l := &stream{copies: v.copies}
	var err error
	if l.copied, err = cu.MakeEvent(cu.DisableTiming); err != nil {
		return nil, wrap("cuEventCreate", err)
	}
	if l.Stream, err = cu.MakeStream(cu.NonBlocking); err != nil {
		return nil, errors.Join(wrap("cuStreamCreate", err), wrap("cuEventDestroy", cu.DestroyEvent(&l.copied)))
	}
	return l, nil
}

func (l *stream) copy(dst uint64, src *pinned, bytes int) error {
	from := unsafe.Pointer(unsafe.SliceData(src.bytes))
	if err := cu.MemcpyHtoDAsync(cu.DevicePtr(dst), from, int64(bytes), l.copies); err != nil {
		return wrap("cuMemcpyHtoDAsync", err)
	}
	if err := l.copied.Record(l.copies); err != nil {
		return wrap("cuEventRecord", err)
	}
	return wrap("cuStreamWaitEvent", l.Wait(l.copied, 0))
}

func (l *stream) run(n *node) error { return launchOn(n, l.Stream) }

func (l *stream) wait() error { return wrap("cuStreamSynchronize", l.Synchronize()) }

func (l *stream) close() error {
	return errors.Join(wrap("cuStreamDestroy", l.Destroy()), wrap("cuEventDestroy", cu.DestroyEvent(&l.copied)))
}
