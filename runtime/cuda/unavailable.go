//go:build !cuda

package cuda

import "fmt"

// built says whether this binary can use a GPU.
const built = false

func openDriver(int) (driver, error) {
	return nil, fmt.Errorf("%w: this dsac was built without cuda.h (make cuda-headers build)", ErrUnavailable)
}

// Probe reports what there is to run on.
func Probe() System {
	return System{GPUs: []GPU{}, Problem: "this dsac was built without cuda.h: make cuda-headers build"}
}
