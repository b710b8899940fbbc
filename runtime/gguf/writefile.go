package gguf

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Options say how WriteFile lays a model out on disk.
type Options struct {
	Shards     int  // files; 0 and 1 both mean one, with no split keys
	EmptyFirst bool // the first of several files holds the keys and no tensors
	HeaderOnly bool // leave out the tensor data; Fill is not called

	// Fill writes the t.Size bytes of one tensor to dst. Tensors are asked for in order.
	Fill func(t *Tensor, dst io.Writer) error
}

// WriteFile writes the model to path, or, when split, to path with "-00001-of-0000N" before
// its ".gguf", and returns the names of the files. Files appear under their names only when
// all are complete; an existing file is replaced only if it is a GGUF file.
func (w *Writer) WriteFile(path string, o Options) ([]string, error) {
	if w.err != nil {
		return nil, fileError(path, w.err)
	}
	plans, err := w.shards(path, o)
	if err != nil {
		return nil, fileError(path, err)
	}
	var names, temps []string
	for _, p := range plans {
		if err := replaceable(p.path); err != nil {
			return nil, err
		}
		names = append(names, p.path)
	}
	defer func() {
		for _, t := range temps {
			os.Remove(t) // gone already when renamed
		}
	}()
	for _, p := range plans {
		temp, err := p.writeTemp(o)
		temps = append(temps, temp)
		if err != nil {
			return nil, fileError(p.path, err)
		}
	}
	for i, t := range temps {
		if err := os.Rename(t, names[i]); err != nil {
			return nil, fileError(names[i], err)
		}
	}
	return names, nil
}

// shard is what one file of the model will hold.
type shard struct {
	path      string
	keys      []kv
	tensors   []Tensor
	alignment uint64
}

// shards distributes the tensors, in order, over the files so that each gets about the same
// number of bytes and at least one tensor.
func (w *Writer) shards(path string, o Options) ([]shard, error) {
	if o.Shards <= 1 {
		return []shard{{path, w.keys, slices.Clone(w.tensors), w.alignment}}, nil
	}
	prefix, ok := strings.CutSuffix(path, ".gguf")
	if !ok {
		return nil, errors.New("the name of a split model must end in .gguf")
	}
	files := o.Shards // that hold tensors
	if o.EmptyFirst {
		files--
	}
	if len(w.tensors) < files || o.Shards > 65535 {
		return nil, fmt.Errorf("%d tensors cannot be split over %d files", len(w.tensors), o.Shards)
	}
	var plans []shard
	if o.EmptyFirst {
		plans = append(plans, shard{})
	}
	rest, total, done := w.tensors, w.DataBytes(), uint64(0)
	for i := range files {
		n := 1
		done += rest[0].Size
		for n < len(rest)-(files-i-1) && (i == files-1 || done+rest[n].Size/2 <= total/uint64(files)*uint64(i+1)) {
			done += rest[n].Size
			n++
		}
		plans = append(plans, shard{tensors: slices.Clone(rest[:n])})
		rest = rest[n:]
	}
	for i := range plans {
		p := &plans[i]
		p.path, p.alignment = SplitName(prefix, i, o.Shards), defaultAlignment
		if i == 0 {
			p.keys, p.alignment = slices.Clone(w.keys), w.alignment
		}
		for _, k := range []struct {
			name  string
			value any
		}{{splitNoKey, uint16(i)}, {splitTensorsKey, int32(len(w.tensors))}, {splitCountKey, uint16(o.Shards)}} {
			_, raw, _ := scalar(k.value)
			kind, _, _ := scalar(k.value)
			p.keys = append(p.keys, kv{k.name, append([]byte{byte(kind), 0, 0, 0}, raw...)})
		}
	}
	return plans, nil
}

// writeTemp writes the file under a temporary name beside its own and returns that name.
func (p *shard) writeTemp(o Options) (temp string, err error) {
	f, err := os.CreateTemp(filepath.Dir(p.path), "."+filepath.Base(p.path)+".*.tmp")
	if err != nil {
		return "", err
	}
	buf := bufio.NewWriterSize(f, 1<<20)
	err = p.write(buf, o)
	if err == nil {
		err = buf.Flush()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	return f.Name(), errors.Join(err, f.Close())
}

func (p *shard) write(dst io.Writer, o Options) error {
	if _, err := dst.Write(header(p.keys, p.tensors, p.alignment)); err != nil {
		return err
	}
	if o.HeaderOnly {
		return nil
	}
	zeros := make([]byte, p.alignment)
	for i := range p.tensors {
		t := &p.tensors[i]
		lim := &exactly{dst, t.Size}
		if err := o.Fill(t, lim); err != nil {
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		}
		if lim.left != 0 {
			return fmt.Errorf("tensor %q: %d of its %d bytes were not written", t.Name, lim.left, t.Size)
		}
		if _, err := dst.Write(zeros[:padding(t.Size, p.alignment)]); err != nil {
			return err
		}
	}
	return nil
}

// exactly passes on at most left bytes.
type exactly struct {
	dst  io.Writer
	left uint64
}

func (e *exactly) Write(b []byte) (int, error) {
	if uint64(len(b)) > e.left {
		return 0, fmt.Errorf("%d bytes more than the tensor holds", uint64(len(b))-e.left)
	}
	e.left -= uint64(len(b))
	return e.dst.Write(b)
}

// replaceable refuses paths that exist and are not GGUF files.
func replaceable(path string) error {
	st, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fileError(path, err)
	}
	if !st.Mode().IsRegular() {
		return fmt.Errorf("%s: exists and is not a regular file; not overwritten", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return fileError(path, err)
	}
	defer f.Close()
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(f, head); err != nil || string(head) != magic {
		return fmt.Errorf("%s: exists and is not a GGUF file; not overwritten", path)
	}
	return nil
}
