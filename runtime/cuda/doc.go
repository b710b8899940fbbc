// Package cuda is the device that replays a plan on an NVIDIA GPU. It binds a plan once:
// memory for each region, the kernels, and a graph for each entry whose parameters hold final
// addresses. A run is then one graph launch. It must not import ir, models, passes or codegen.
//
// All of it but the calls of the driver is plain Go and always built, so that it is tested
// without a GPU. The driver itself is behind the interface driver: gorgonia.org/cu and one
// file of C with the build tag cuda, a stand-in in the tests. Without the tag Load returns
// ErrUnavailable, and so it does on a machine without a driver.
package cuda

import "errors"

// ErrUnavailable is wrapped by the errors that say why no GPU can be used here at all: the
// build has no CUDA support, the machine no driver, or the driver no device.
var ErrUnavailable = errors.New("CUDA is not available")

// ErrUnsupported is wrapped by the errors about plans that are right but that this device
// cannot run.
var ErrUnsupported = errors.New("not supported by the cuda device")
