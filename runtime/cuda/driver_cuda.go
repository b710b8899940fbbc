//go:build cuda

package cuda

// #include "cuinit.h"
// #include "raw.h"
import "C"

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"unsafe"

	"gorgonia.org/cu"
)

// built says whether this binary can use a GPU.
const built = true

// available says why the driver cannot be called, or nil.
func available() error {
	switch status := Code(C.dsac_init_status()); {
	case status == C.DSAC_NO_LIBRARY:
		return fmt.Errorf("%w: no NVIDIA driver: %s", ErrUnavailable, C.GoString(C.dsac_init_reason()))
	case status == codeNoDevice:
		return fmt.Errorf("%w: the NVIDIA driver finds no GPU", ErrUnavailable)
	case status != 0:
		return fmt.Errorf("%w: %w", ErrUnavailable, failed("cuInit", C.int(status)))
	}
	return nil
}

// failed makes an error of a result of the driver; nil if it is none.
func failed(call string, code C.int) error {
	if code == 0 {
		return nil
	}
	return &Error{call, Code(code), C.GoString(C.dsac_error_name(code)), C.GoString(C.dsac_error_text(code))}
}

// wrap does the same for an error of gorgonia.org/cu, whose type is not exported: it is the
// driver's number.
func wrap(call string, err error) error {
	if err == nil {
		return nil
	}
	if v := reflect.ValueOf(err); v.CanInt() {
		return failed(call, C.int(v.Int()))
	}
	return fmt.Errorf("%s: %w", call, err)
}

// nvidia is the driver of one GPU.
type nvidia struct {
	info   GPU
	dev    cu.Device
	ctx    cu.CUContext
	stream cu.Stream         // of all launches
	copies cu.Stream         // of all lanes
	held   bool              // the context is retained
	shared map[uint64]uint32 // most dynamic shared memory asked for, by kernel
	mapped sync.Map          // address of pinned memory -> []byte, the mapping of ours that it lies in
}

// openDriver starts to use a GPU.
func openDriver(ordinal int) (driver, error) {
	if err := available(); err != nil {
		return nil, err
	}
	n, err := cu.NumDevices()
	if err != nil {
		return nil, wrap("cuDeviceGetCount", err)
	}
	if ordinal < 0 || ordinal >= n {
		return nil, fmt.Errorf("%w: no GPU %d: there are %d, see dsac doctor", ErrUnavailable, ordinal, n)
	}
	v := &nvidia{}
	if v.dev, err = cu.GetDevice(ordinal); err != nil {
		return nil, wrap("cuDeviceGet", err)
	}
	if v.info, err = describe(v.dev, ordinal); err != nil {
		return nil, err
	}
	if v.ctx, err = v.dev.RetainPrimaryCtx(); err != nil {
		return nil, fmt.Errorf("%s: %w", &v.info, wrap("cuDevicePrimaryCtxRetain", err))
	}
	v.held = true
	if err := v.bind(); err != nil {
		return nil, errors.Join(err, v.close())
	}
	defer v.unbind()
	for _, s := range []*cu.Stream{&v.stream, &v.copies} {
		if *s, err = cu.MakeStream(cu.NonBlocking); err != nil {
			return nil, errors.Join(wrap("cuStreamCreate", err), v.close())
		}
	}
	return v, nil
}

func (v *nvidia) gpu() *GPU { return &v.info }

func (v *nvidia) early() bool { return v.info.Major >= 9 && C.dsac_early_edges() != 0 }

func (v *nvidia) bind() error {
	runtime.LockOSThread()
	if err := cu.SetCurrentContext(v.ctx); err != nil {
		runtime.UnlockOSThread()
		return wrap("cuCtxSetCurrent", err)
	}
	return nil
}

func (v *nvidia) unbind() { runtime.UnlockOSThread() }

func (v *nvidia) close() error {
	if !v.held {
		return nil
	}
	v.held = false
	var errs []error
	if err := v.bind(); err != nil {
		return err
	}
	for _, s := range []*cu.Stream{&v.stream, &v.copies} {
		if *s != cu.NoStream {
			errs = append(errs, wrap("cuStreamDestroy", s.Destroy()))
		}
	}
	v.unbind()
	return errors.Join(append(errs, wrap("cuDevicePrimaryCtxRelease", v.dev.ReleasePrimaryCtx()))...)
}

// memory takes NVML's word, which counts what other processes hold, and the driver's, which
// knows the limits of this process; the smaller one is what there is.
func (v *nvidia) memory() (free, total uint64, err error) {
	f, t, err := cu.MemInfo()
	if err != nil {
		return 0, 0, wrap("cuMemGetInfo", err)
	}
	free, total = uint64(f), uint64(t)
	if m, err := nvmlMemory(v.info.Bus); err == nil {
		free = min(free, m.Free)
	}
	return free, total, nil
}

func (v *nvidia) alloc(bytes uint64) (uint64, error) {
	p, err := cu.MemAlloc(int64(bytes))
	return uint64(p), wrap("cuMemAlloc", err)
}

func (v *nvidia) release(at uint64) error { return wrap("cuMemFree", cu.MemFree(cu.DevicePtr(at))) }

func (v *nvidia) write(at uint64, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	err := wrap("cuMemcpyHtoDAsync", cu.MemcpyHtoDAsync(cu.DevicePtr(at), unsafe.Pointer(unsafe.SliceData(src)), int64(len(src)), v.stream))
	return v.sync(err)
}

func (v *nvidia) read(dst []byte, at uint64) error {
	if len(dst) == 0 {
		return nil
	}
	err := wrap("cuMemcpyDtoHAsync", cu.MemcpyDtoHAsync(unsafe.Pointer(unsafe.SliceData(dst)), cu.DevicePtr(at), int64(len(dst)), v.stream))
	return v.sync(err)
}

func (v *nvidia) fill(at uint64, word uint32, bytes uint64) error {
	return v.sync(wrap("cuMemsetD32Async", cu.MemsetD32Async(cu.DevicePtr(at), uint(word), int64(bytes/4), v.stream)))
}

// sync waits for a copy that was started without error. All copies go through the stream of
// the launches: the plain calls may return before the bytes have arrived, and that stream
// does not wait for them.
func (v *nvidia) sync(err error) error {
	if err != nil {
		return err
	}
	return wrap("cuStreamSynchronize", v.stream.Synchronize())
}
