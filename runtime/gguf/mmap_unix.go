//go:build unix

package gguf

import (
	"errors"
	"os"
	"syscall"
)

// mapFile maps a regular file read-only. The file stays open: reads of it go to the same file
// even when another takes its name.
func mapFile(path string) (*mapping, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	m := &mapping{file: f, close: f.Close}
	if m.bytes, err = mapOpen(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if m.bytes != nil {
		m.close = func() error { return errors.Join(syscall.Munmap(m.bytes), f.Close()) }
	}
	return m, nil
}

func mapOpen(f *os.File) ([]byte, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if st.Size() == 0 {
		return nil, nil
	}
	b, err := syscall.Mmap(int(f.Fd()), 0, int(st.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	return b, os.NewSyscallError("mmap", err)
}
