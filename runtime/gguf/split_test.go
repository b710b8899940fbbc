package gguf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dsac/runtime/quant"
)

// splitDir writes the sample split in three and returns its folder and file names.
func splitDir(t *testing.T) (dir string, names []string) {
	t.Helper()
	first := writeSample(t, Options{Shards: 3})
	dir = filepath.Dir(first)
	for i := range 3 {
		names = append(names, filepath.Join(dir, SplitName("m", i, 3)))
	}
	return dir, names
}

func TestAnyShardOpensTheModel(t *testing.T) {
	dir, names := splitDir(t)
	for _, path := range append(names, dir) {
		f, err := Open(path)
		if err != nil {
			t.Errorf("Open(%s): %v", path, err)
			continue
		}
		if len(f.Tensors) != 3 || len(f.Shards) != 3 || f.Arch() != "glm-dsa" || f.Path != names[0] {
			t.Errorf("Open(%s): %d tensors, %d shards, arch %q, path %s", path, len(f.Tensors), len(f.Shards), f.Arch(), f.Path)
		}
		f.Close()
	}
}

func TestBadSplitsAreRefused(t *testing.T) {
	write := func(path string, b []byte) {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rename := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	copyTo := func(from, to string) {
		b, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		write(to, b)
	}
	splitFile := func(no, count uint16, tensor string) []byte {
		return rawFile{3, 1, 2, cat(rawKey(splitNoKey, no), rawKey(splitCountKey, count),
			rawTensor(tensor, quant.F32, 0, 8), make([]byte, 128))}.bytes()
	}
	tests := []struct {
		name  string
		spoil func(n []string)
		open  int // shard to open
		want  string
	}{
		{"missing_last", func(n []string) { os.Remove(n[2]) }, 0, "m-00003-of-00003.gguf: file 3 of 3 of the split model is missing"},
		{"missing_first", func(n []string) { os.Remove(n[0]) }, 1, "m-00001-of-00003.gguf: file 1 of 3 of the split model is missing"},
		{"repeated", func(n []string) { copyTo(n[1], n[2]) }, 0, `m-00003-of-00003.gguf: key "split.no" is 1, want 2`},
		{"swapped", func(n []string) { rename(n[1], n[1]+"x"); rename(n[2], n[1]); rename(n[1]+"x", n[2]) }, 0, `m-00002-of-00003.gguf: key "split.no" is 2, want 1`},
		{"first_is_another", func(n []string) { copyTo(n[1], n[0]) }, 0, `m-00001-of-00003.gguf: key "split.no" is 1, want 0`},
		{"renamed", func(n []string) { rename(n[0], filepath.Dir(n[0])+"/x.gguf"); n[0] = filepath.Dir(n[0]) + "/x.gguf" }, 0, "its name does not end in"},
		{"other_count", func(n []string) { write(n[1], splitFile(1, 4, "z")) }, 0, `m-00002-of-00003.gguf: key "split.count" is 4, but 3 in`},
		{"same_tensor_twice", func(n []string) { write(n[1], splitFile(1, 3, "token_embd.weight")) }, 0, `m-00002-of-00003.gguf: tensor "token_embd.weight" is also in`},
		{"wrong_total", func(n []string) {
			write(n[2], rawFile{3, 0, 2, cat(rawKey(splitNoKey, uint16(2)), rawKey(splitCountKey, uint16(3)))}.bytes())
		}, 0, `key "split.tensors.count" is 3, but the 3 files hold 2 tensors`},
		{"number_past_count", func(n []string) { write(n[0], splitFile(3, 3, "z")) }, 0, `key "split.no" is 3, want less than "split.count", which is 3`},
		{"shard_is_no_gguf", func(n []string) { write(n[2], []byte("oops")) }, 0, "m-00003-of-00003.gguf: not a GGUF file"},
		{"shard_truncated", func(n []string) {
			b, _ := os.ReadFile(n[2])
			write(n[2], b[:len(b)-32])
		}, 0, "m-00003-of-00003.gguf: truncated in the data of tensor"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, names := splitDir(t)
			tt.spoil(names)
			f, err := Open(names[tt.open])
			if err == nil {
				f.Close()
				t.Fatal("opened without error")
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q, want %q", err, tt.want)
			}
		})
	}
}

func TestFolderMustHoldOneModel(t *testing.T) {
	dir, names := splitDir(t)
	b, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "other.gguf"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "holds 2 GGUF models, want 1") {
		t.Errorf("two models: %v", err)
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "holds 0 GGUF models, want 1") {
		t.Errorf("no model: %v", err)
	}
	odd := filepath.Join(t.TempDir(), "a[b]*c")
	if err := os.Mkdir(odd, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := sample().WriteFile(filepath.Join(odd, "m.gguf"), Options{Fill: fillSeed}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(odd)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}
