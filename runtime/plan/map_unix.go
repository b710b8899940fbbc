//go:build unix

package plan

import (
	"fmt"
	"math"
	"syscall"
)

// mapFile maps a file read-only. An empty file gives no bytes.
func mapFile(path string) ([]byte, func() error, error) {
	f, size, err := openRegular(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if size == 0 {
		return nil, func() error { return nil }, nil
	}
	if size > math.MaxInt {
		return nil, nil, fmt.Errorf("%s: %d bytes cannot be mapped", path, size)
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_PRIVATE|mapPopulate)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: map %d bytes: %w", path, size, err)
	}
	return data, func() error { return syscall.Munmap(data) }, nil
}
