package gguf

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Read fills dst with the bytes of a tensor of f from byte off of it on. It reads from the file,
// not through the mapping: there is no fault for each page, and where the file has become
// shorter or the disk fails it returns an error, where a touch of the mapping ends the process.
// Several goroutines may read at a time.
func (f *File) Read(dst []byte, t *Tensor, off uint64) error {
	s := &f.Shards[t.Shard]
	if !f.HasData {
		return fmt.Errorf("%s: tensor %q: %w", s.Path, t.Name, ErrNoData)
	}
	if n := uint64(len(dst)); off > t.Size || n > t.Size-off {
		return fmt.Errorf("%s: tensor %q: bytes [%d, +%d) of its %d were asked for", s.Path, t.Name, off, n, t.Size)
	}
	at := t.Offset + off
	if s.file == nil {
		copy(dst, s.bytes[at:])
		return nil
	}
	n, err := s.file.ReadAt(dst, int64(at))
	if n == len(dst) {
		return nil
	}
	return fmt.Errorf("%s: tensor %q: %w", s.Path, t.Name, readError(at, len(dst), n, err))
}

// readError says why n of want bytes could be read from at on.
func readError(at uint64, want, n int, err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%d bytes at offset %d of the file: it ends after %d of them, so it has become shorter since it was opened: %w",
			want, at, n, io.ErrUnexpectedEOF)
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err // the file is named already
	}
	return fmt.Errorf("%d bytes at offset %d of the file: after %d of them: %w", want, at, n, err)
}
