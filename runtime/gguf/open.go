package gguf

import (
	"bytes"
	"errors"
	"fmt"
)

// Open maps a model with its tensor data. path is a file, any shard of a split model, or a
// folder that holds exactly one model.
func Open(path string) (*File, error) { return open(path, true) }

// IsGGUF says whether a file that begins with head claims to be GGUF.
func IsGGUF(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }

// OpenHeader is Open for uses that need no weights: the tensor data may be missing
// altogether, which HasData then reports.
func OpenHeader(path string) (*File, error) { return open(path, false) }

func open(path string, needData bool) (*File, error) {
	path, err := resolve(path)
	if err != nil {
		return nil, err
	}
	f := &File{}
	if err := f.openShards(path, needData); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (f *File) openShards(path string, needData bool) error {
	first, p, err := f.mapShard(path)
	if err != nil {
		return err
	}
	s, err := splitKeys(path, p)
	if err != nil {
		return err
	}
	if s.no != 0 { // another shard than the first was named
		if err := f.Close(); err != nil {
			return err
		}
		path, err = shardOf(path, s, 0)
		if err != nil {
			return err
		}
		if first, p, err = f.mapShard(path); err != nil {
			return err
		}
		if s, err = splitKeys(path, p); err != nil {
			return err
		}
		if s.no != 0 {
			return fmt.Errorf("%s: key %q is %d, want 0 for the first file of a split model", path, splitNoKey, s.no)
		}
	}
	f.Path, f.Keys, f.keyIndex = path, p.keys, p.keyIndex
	f.tensorIndex = make(map[string]int, len(p.tensors))
	f.HasData = true
	if err := f.addShard(first, p, needData); err != nil {
		return err
	}
	for no := 1; no < s.count; no++ {
		if err := f.openSplit(path, s, no, needData); err != nil {
			return err
		}
	}
	if s.tensors >= 0 && len(f.Tensors) != s.tensors {
		return fmt.Errorf("%s: key %q is %d, but the %d files hold %d tensors", path, splitTensorsKey, s.tensors, s.count, len(f.Tensors))
	}
	return nil
}

// openSplit adds file number no (from 0) of the split model whose first file is first.
func (f *File) openSplit(first string, s split, no int, needData bool) error {
	path, err := shardOf(first, s, no)
	if err != nil {
		return err
	}
	sh, p, err := f.mapShard(path)
	if err != nil {
		return err
	}
	got, err := splitKeys(path, p)
	if err != nil {
		return err
	}
	if got.no != no {
		return fmt.Errorf("%s: key %q is %d, want %d by the file's name", path, splitNoKey, got.no, no)
	}
	if got.count != s.count {
		return fmt.Errorf("%s: key %q is %d, but %d in %s", path, splitCountKey, got.count, s.count, first)
	}
	return f.addShard(sh, p, needData)
}

// mapShard maps and parses one file; f closes it.
func (f *File) mapShard(path string) (Shard, *parsed, error) {
	m, err := mapFile(path)
	if err != nil {
		return Shard{}, nil, fileError(path, err)
	}
	f.close = append(f.close, m.close)
	p, err := parse(m.bytes)
	if err != nil {
		return Shard{}, nil, fileError(path, err)
	}
	return Shard{
		Path: path, Version: p.version, Alignment: p.alignment,
		DataStart: p.dataStart, Size: uint64(len(m.bytes)), mapping: m,
	}, p, nil
}

func (f *File) addShard(s Shard, p *parsed, needData bool) error {
	if err := p.checkData(s.Size); err != nil {
		switch {
		case needData && p.headerOnly(s.Size):
			return fmt.Errorf("%s: %w: it can be compiled and inspected, not run", s.Path, ErrNoData)
		case needData || !p.headerOnly(s.Size):
			return fileError(s.Path, err)
		}
		f.HasData = false
	}
	no := len(f.Shards)
	f.Shards = append(f.Shards, s)
	for _, t := range p.tensors {
		if i, dup := f.tensorIndex[t.Name]; dup {
			return fmt.Errorf("%s: tensor %q is also in %s", s.Path, t.Name, f.Shards[f.Tensors[i].Shard].Path)
		}
		t.Shard = no
		f.tensorIndex[t.Name] = len(f.Tensors)
		f.Tensors = append(f.Tensors, t)
	}
	return nil
}
