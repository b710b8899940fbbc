package plan

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
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
	temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%x", filepath.Base(path), rand.Uint64()))
	if err := create(temp, data, mode); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(temp))
	}
	return nil
}

// create writes a new file that is on disk when it returns, or not there at all. A mode of 0
// leaves the mode to the process.
func create(path string, data []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && mode != 0 {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// replaceable returns the mode of the file at path, 0 if there is none, or why it must not be
// overwritten.
func replaceable(path string) (fs.FileMode, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
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
