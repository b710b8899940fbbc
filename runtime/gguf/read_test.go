package gguf

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// Every tensor of a split model, whole and in parts.
func TestReadGivesTheBytesOfData(t *testing.T) {
	dir, _ := splitDir(t)
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range f.Tensors {
		x := &f.Tensors[i]
		want, err := f.Data(x)
		if err != nil {
			t.Fatal(err)
		}
		for off := uint64(0); off <= x.Size; off += max(1, x.Size/3) {
			got := make([]byte, x.Size-off)
			if err := (ByName{f}).Read(got, x.Name, off); err != nil || !bytes.Equal(got, want[off:]) {
				t.Errorf("tensor %s from byte %d on: other bytes than Data gives (%v)", x.Name, off, err)
			}
		}
	}
}

// The mapping of a shard that has become shorter must not be touched: that ends the process.
func TestReadOfAFileThatHasBecomeShorter(t *testing.T) {
	dir, names := splitDir(t)
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	last := &f.Tensors[len(f.Tensors)-1]
	if err := os.Truncate(names[last.Shard], int64(last.Offset)+3); err != nil {
		t.Fatal(err)
	}
	err = f.Read(make([]byte, last.Size), last, 0)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("got %v, want %v", err, io.ErrUnexpectedEOF)
	}
	for _, want := range []string{names[last.Shard], last.Name, "it ends after 3 of them", "shorter since it was opened"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, want %q in it", err, want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	f, err := Open(writeSample(t, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	x := &f.Tensors[0]
	for _, c := range []struct{ off, n uint64 }{{0, x.Size + 1}, {x.Size, 1}, {x.Size + 1, 0}, {1 << 63, 1}} {
		if err := f.Read(make([]byte, c.n), x, c.off); err == nil || !strings.Contains(err.Error(), "were asked for") {
			t.Errorf("bytes [%d, +%d) of %d: got %v, want a refusal", c.off, c.n, x.Size, err)
		}
	}
	if err := (ByName{f}).Read(nil, "none", 0); err == nil || !strings.Contains(err.Error(), `no tensor "none"`) {
		t.Errorf("an unknown tensor: got %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Read(make([]byte, x.Size), x, 0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: got %v, want %v", err, os.ErrClosed)
	}
}
