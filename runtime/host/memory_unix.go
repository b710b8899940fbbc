//go:build unix

package host

import "syscall"

// mapMemory returns n zero bytes that cost nothing until they are touched.
func mapMemory(n int) ([]byte, func() error, error) {
	mem, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	return mem, func() error { return syscall.Munmap(mem) }, nil
}
