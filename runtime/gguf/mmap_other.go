//go:build !unix

package gguf

import "os"

// mapFile reads the whole file where there is no mmap.
func mapFile(path string) (*mapping, error) {
	b, err := os.ReadFile(path)
	return &mapping{bytes: b, close: func() error { return nil }}, err
}
