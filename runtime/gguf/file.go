package gguf

import (
	"errors"
	"fmt"
	"io/fs"

	"dsac/runtime/quant"
)

// File is an open model: one GGUF file, or all shards of a split one.
type File struct {
	Path    string // the first shard
	Shards  []Shard
	Keys    []Key    // of the first shard, in file order
	Tensors []Tensor // of all shards, in file order
	HasData bool     // false when the files end where their tensor data would start

	keyIndex    map[string]int
	tensorIndex map[string]int
	close       []func() error
}

// Shard is one file of a model.
type Shard struct {
	Path      string
	Version   uint32
	Alignment uint64 // bytes
	DataStart uint64 // bytes from the start of the file; 0 without tensors
	Size      uint64 // bytes
	*mapping
}

// Tensor describes one tensor; its data is Size bytes at Offset of shard Shard.
type Tensor struct {
	Name   string
	Type   quant.Type
	Dims   []uint64 // ggml order: Dims[0] is contiguous
	Shard  int      // index into File.Shards
	Offset uint64   // bytes from the start of the shard's file
	Size   uint64   // bytes
}

// Elems returns the number of values.
func (t *Tensor) Elems() uint64 {
	n := uint64(1)
	for _, d := range t.Dims {
		n *= d
	}
	return n
}

// Arch returns general.architecture, or "" when the file has none.
func (f *File) Arch() string {
	s, _, _ := f.String("general.architecture")
	return s
}

// Tensor returns the tensor of that name, or nil.
func (f *File) Tensor(name string) *Tensor {
	if i, ok := f.tensorIndex[name]; ok {
		return &f.Tensors[i]
	}
	return nil
}

// ErrNoData is wrapped by the error of Data on a file that is only a header.
var ErrNoData = errors.New("header only, no tensor data")

// Data returns the bytes of a tensor of f. They are a read-only view of the file, valid until
// Close: writing to them is a fault.
func (f *File) Data(t *Tensor) ([]byte, error) {
	s := &f.Shards[t.Shard]
	if !f.HasData {
		return nil, fmt.Errorf("%s: tensor %q: %w", s.Path, t.Name, ErrNoData)
	}
	return s.bytes[t.Offset : t.Offset+t.Size : t.Offset+t.Size], nil
}

// Close ends the mappings and closes the files. All data and strings obtained from f become invalid.
func (f *File) Close() error {
	var errs []error
	for _, c := range f.close {
		errs = append(errs, c())
	}
	f.close = nil
	return errors.Join(errs...)
}

// fileError puts the file first and drops the path that os errors repeat.
func fileError(path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}
