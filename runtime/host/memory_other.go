//go:build !unix

package host

// mapMemory returns n zero bytes.
func mapMemory(n int) ([]byte, func() error, error) {
	return make([]byte, n), func() error { return nil }, nil
}
