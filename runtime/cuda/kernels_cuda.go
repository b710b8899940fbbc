//go:build cuda

package cuda

// #include <stdlib.h>
// #include "raw.h"
import "C"

import (
	"fmt"
	"unsafe"

	"gorgonia.org/cu"
)

// The types of gorgonia.org/cu hold one handle and nothing else, but only its own loaders make
// them. These conversions do, and do not compile if that changes.
var (
	_ [unsafe.Sizeof(uint64(0))]byte = [unsafe.Sizeof(cu.Module{})]byte{}
	_ [unsafe.Sizeof(uint64(0))]byte = [unsafe.Sizeof(cu.Function{})]byte{}
	_ [unsafe.Sizeof(uint64(0))]byte = [unsafe.Sizeof(cu.Stream{})]byte{}
)

func asModule(h uint64) cu.Module         { return *(*cu.Module)(unsafe.Pointer(&h)) }
func asFunction(h uint64) cu.Function     { return *(*cu.Function)(unsafe.Pointer(&h)) }
func functionHandle(f cu.Function) uint64 { return *(*uint64)(unsafe.Pointer(&f)) }
func streamHandle(s cu.Stream) C.uint64_t { return *(*C.uint64_t)(unsafe.Pointer(&s)) }

const logSize = 16 << 10 // bytes of the compiler's messages

func (v *nvidia) load(image []byte) (module uint64, log string, err error) {
	text := C.CString(string(image)) // the driver wants PTX to end with a zero
	defer C.free(unsafe.Pointer(text))
	buf := (*C.char)(C.malloc(logSize))
	defer C.free(unsafe.Pointer(buf))
	var m C.uint64_t
	code := C.dsac_load(&m, unsafe.Pointer(text), buf, logSize)
	return uint64(m), C.GoString(buf), failed("cuModuleLoadDataEx", code)
}

func (v *nvidia) unload(module uint64) error {
	return wrap("cuModuleUnload", asModule(module).Unload())
}

func (v *nvidia) function(module uint64, name string) (uint64, error) {
	f, err := asModule(module).Function(name)
	return functionHandle(f), wrap("cuModuleGetFunction", err)
}

// allowShared raises the limit of a kernel's dynamic shared memory, never lowers it: launches of
// different size may share a kernel. Without asking, static and dynamic memory together may
// take 48 KiB.
func (v *nvidia) allowShared(fn uint64, bytes uint32) error {
	if bytes <= v.shared[fn] {
		return nil
	}
	if v.shared == nil {
		v.shared = make(map[uint64]uint32)
	}
	v.shared[fn] = bytes
	if err := failed("cuFuncSetAttribute", C.dsac_allow_shared(C.uint64_t(fn), C.int(bytes))); err != nil {
		return fmt.Errorf("%d bytes of shared memory: %w", bytes, err)
	}
	return nil
}

func (v *nvidia) cluster(fn uint64) (int, error) {
	var n C.int
	code := C.dsac_cluster(C.uint64_t(fn), &n)
	return int(n), failed("cuFuncGetAttribute", code)
}

// checkParams refuses a launch with another number of parameters than the kernel has: the
// driver would read past them.
func checkParams(n *node) error {
	if has := int(C.dsac_param_count(C.uint64_t(n.fn))); has >= 0 && has != len(n.params) {
		return fmt.Errorf("the kernel has %d parameters, the plan gives %d: one per operand and the control buffer", has, len(n.params))
	}
	return nil
}

func (v *nvidia) launchNode(n *node) error { return launchOn(n, v.stream) }

func launchOn(n *node, stream cu.Stream) error {
	if err := checkParams(n); err != nil {
		return err
	}
	args := make([]unsafe.Pointer, len(n.params))
	for i := range n.params {
		args[i] = unsafe.Pointer(&n.params[i])
	}
	g, b := n.grid, n.block
	err := asFunction(n.fn).Launch(int(g[0]), int(g[1]), int(g[2]), int(b[0]), int(b[1]), int(b[2]), int(n.shared), stream, args)
	return wrap("cuLaunchKernel", err)
}

func (v *nvidia) done(spin int) (bool, error) {
	code := C.dsac_wait(streamHandle(v.stream), C.int(spin))
	if Code(code) == codeNotReady {
		return false, nil
	}
	return code == 0, failed("cuStreamQuery", code)
}
