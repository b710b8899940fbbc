//go:build cuda

package cuda

// #include "raw.h"
import "C"

import (
	"fmt"
	"sync"
	"syscall"
	"unsafe"
)

const (
	hugePage      = 2 << 20 // bytes
	populateWrite = 23      // MADV_POPULATE_WRITE, of Linux 5.14
)

// pinned gives memory of the driver, and for large buffers memory that is mapped here and
// registered. Measured for 32 MiB on an H200: 12 to 14 ms to allocate it from the driver and 3 to
// 4 to give it back; 1 to 2 ms and 1 to register pages that are there. Those are brought in first,
// by a thread each.
func (v *nvidia) pinned(bytes int) (*pinned, error) {
	if bytes > hugePage/2 {
		if m := v.registered(bytes); m != nil {
			return m, nil
		}
	}
	var host C.uint64_t
	if err := failed("cuMemHostAlloc", C.dsac_pin(&host, C.size_t(max(bytes, 1)))); err != nil {
		return nil, fmt.Errorf("%s of pinned memory: %w", mib(uint64(bytes)), err)
	}
	return &pinned{bytes: unsafe.Slice((*byte)(hostPointer(host)), bytes), at: uint64(host)}, nil
}

// registered maps huge pages, where the kernel has them, and pins them; nil where that fails.
func (v *nvidia) registered(bytes int) *pinned {
	size := (bytes + hugePage - 1) / hugePage * hugePage
	mapped, err := syscall.Mmap(-1, 0, size+hugePage, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil
	}
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(mapped)))) & (hugePage - 1)
	b := mapped[skip : skip+size]
	_ = syscall.Madvise(b, syscall.MADV_HUGEPAGE)
	var wg sync.WaitGroup
	for at := 0; at < size; at += hugePage {
		wg.Go(func() { _ = syscall.Madvise(b[at:at+hugePage], populateWrite) }) // else pages come as they are pinned
	}
	wg.Wait()
	at := unsafe.Pointer(unsafe.SliceData(b))
	if C.dsac_register(at, C.size_t(size)) != 0 {
		_ = syscall.Munmap(mapped)
		return nil
	}
	m := &pinned{bytes: b[:bytes], at: uint64(uintptr(at))}
	v.mapped.Store(m.at, mapped)
	return m
}

// hostPointer turns an address that C gave as a number into a pointer.
func hostPointer(at C.uint64_t) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

func (v *nvidia) unpin(m *pinned) error {
	m.bytes = nil
	mapped, ours := v.mapped.LoadAndDelete(m.at)
	if !ours {
		return failed("cuMemFreeHost", C.dsac_unpin(C.uint64_t(m.at)))
	}
	if err := failed("cuMemHostUnregister", C.dsac_unregister(C.uint64_t(m.at))); err != nil {
		return err
	}
	return syscall.Munmap(mapped.([]byte))
}
