package cuda

import "fmt"

// driver is what a device needs of a GPU. Addresses are device addresses, handles are the
// driver's own. Every call but done needs the calling thread to be bound.
type driver interface {
	gpu() *GPU

	// bind locks the goroutine to its thread and makes the GPU current there, unbind undoes it.
	bind() error
	unbind()

	memory() (free, total uint64, err error) // bytes
	alloc(bytes uint64) (uint64, error)
	release(at uint64) error
	pinned(bytes int) (*pinned, error)
	unpin(m *pinned) error

	write(at uint64, src []byte) error // returns when src may be reused
	read(dst []byte, at uint64) error
	fill(at uint64, word uint32, bytes uint64) error // bytes is a multiple of 4

	lane() (lane, error)

	load(image []byte) (module uint64, log string, err error) // a cubin, or PTX
	unload(module uint64) error
	function(module uint64, name string) (uint64, error)
	allowShared(fn uint64, bytes uint32) error // of dynamic shared memory
	cluster(fn uint64) (blocks int, err error) // of a cluster of its launches, along x; at most 1: there are none

	early() bool // graphs may have edges of launches that start early
	instantiate(g *graph) (executable, error)
	launch(x executable) error // asynchronous
	launchNode(n *node) error  // the same for one kernel, outside of a graph
	stopwatch() (stopwatch, error)
	done(spin int) (bool, error) // whether all that was launched is done; waits for a few microseconds times spin
	close() error
}

// executable is an instantiated graph.
type executable interface {
	readBack() (*graph, error) // what the driver holds, nodes in the order of the graph it was made from
	destroy() error
}

// lane is copies to the device, and kernels that work on what was copied, in order.
type lane interface {
	copy(dst uint64, src *pinned, bytes int) error // asynchronous
	run(n *node) error                             // a kernel, after a copy; asynchronous
	wait() error                                   // until all is done
	close() error
}

// pinned is host memory that the GPU reads and writes by itself.
type pinned struct {
	bytes []byte
	at    uint64 // address of the first
}

// Code is a CUresult of the driver API.
type Code int

// Codes that mean something to this package.
const (
	codeOutOfMemory Code = 2
	codeNoDevice    Code = 100
	codeNoBinary    Code = 209 // no code for this GPU in the image
	codeInvalidPTX  Code = 218
	codeJITMissing  Code = 221
	codePTXVersion  Code = 222
	codeNotReady    Code = 600
	codeIllegalAddr Code = 700
	codeECC         Code = 214
	codeUnknown     Code = 999
)

// advice says what to do about a code.
var advice = map[Code]string{
	codeOutOfMemory: "close other programs that use this GPU, or compile with a smaller --ctx or --chunk",
	codeNoBinary:    "compile the plan for this GPU: --target, see dsac doctor",
	codePTXVersion:  "update the NVIDIA driver",
	codeJITMissing:  "the driver installation lacks libnvidia-ptxjitcompiler: reinstall the driver, or compile with ptxas found",
	codeECC:         "the GPU's memory has failed: see nvidia-smi -q -d ECC",
	codeUnknown:     "if nvidia-smi finds the GPU no longer, it has fallen off the bus: see Xid messages in dmesg",
	codeIllegalAddr: "a kernel loaded or stored outside of its buffers",
}

// Error is a failed call of the driver.
type Error struct {
	Call string // name of the driver's function
	Code Code
	Name string // as the driver calls it, CUDA_ERROR_...
	Text string
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s (%d)", e.Call, e.Name, int(e.Code))
	if e.Text != "" {
		s += ", " + e.Text
	}
	if a := advice[e.Code]; a != "" {
		s += ": " + a
	}
	return s
}
