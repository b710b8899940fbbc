//go:build !unix

package plan

import "io"

// mapFile reads a file where files cannot be mapped.
func mapFile(path string) ([]byte, func() error, error) {
	f, _, err := openRegular(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	return data, func() error { return nil }, err
}
