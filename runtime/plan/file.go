package plan

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes the binary form to path. A reader sees the old file or the new one, never
// a part. An existing file is replaced only if it is a dsac plan, and keeps its mode.
func WriteFile(path string, p *Plan) error {
	data, err := Encode(p)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	mode, err := replaceable(path)
	if err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // replace the file, not the link
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(tmp.Name()) // fails once it is renamed
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(tmp.Name(), path)
}

// replaceable returns the mode for the new file, or why path must not be overwritten.
func replaceable(path string) (fs.FileMode, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0o644, nil
	}
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", path, err)
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("write %s: exists and is not a regular file (%s): choose another path", path, info.Mode().Type())
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("write %s: exists and cannot be read to see whether it is a plan: %w", path, err)
	}
	defer f.Close()
	var head [len(magic)]byte
	if _, err := io.ReadFull(f, head[:]); err != nil || !IsPlan(head[:]) {
		return 0, fmt.Errorf("write %s: exists and is not a dsac plan: choose another path or remove it", path)
	}
	return info.Mode().Perm(), nil
}

// Mapped is a plan whose tables lie in a mapped file.
type Mapped struct {
	*Plan
	unmap func() error
}

// Open maps a plan file and checks it as Decode does. The file must not be changed in place
// while it is open (WriteFile never does that).
func Open(path string) (*Mapped, error) {
	data, unmap, err := mapFile(path)
	if err != nil {
		return nil, fmt.Errorf("open plan: %w", err)
	}
	p, err := Decode(data)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), unmap())
	}
	return &Mapped{p, unmap}, nil
}

// Close unmaps the file. The plan and every string of it are unusable afterwards; a copy made
// by Clone stays.
func (m *Mapped) Close() error {
	if m.unmap == nil {
		return nil
	}
	err := m.unmap()
	m.Plan, m.unmap = nil, nil
	return err
}

// openRegular opens a file that has a size.
func openRegular(path string) (*os.File, int64, error) {
	info, err := os.Stat(path) // before opening: a pipe would block
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s: %w: not a regular file", path, ErrNotPlan)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	return f, info.Size(), nil
}
