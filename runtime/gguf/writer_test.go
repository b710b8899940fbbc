package gguf

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dsac/runtime/quant"
)

func TestWriterErrors(t *testing.T) {
	fill := func(n int) func(*Tensor, io.Writer) error {
		return func(t *Tensor, dst io.Writer) error {
			_, err := dst.Write(make([]byte, int(t.Size)+n))
			return err
		}
	}
	tests := []struct {
		name  string
		build func(w *Writer)
		opts  Options
		want  string
	}{
		{"key_twice", func(w *Writer) { w.Set("a.u8", uint8(1)) }, Options{Fill: fill(0)}, `key "a.u8" is empty, too long or set twice`},
		{"value_kind", func(w *Writer) { w.Set("k", 1) }, Options{Fill: fill(0)}, `key "k": values of int cannot be written`},
		{"alignment", func(w *Writer) { w.Set("general.alignment", uint32(3)) }, Options{Fill: fill(0)}, "want a uint32 power of two"},
		{"tensor_twice", func(w *Writer) { w.Add("output.weight", quant.F32, 1) }, Options{Fill: fill(0)}, `tensor "output.weight": name is empty`},
		{"blocks", func(w *Writer) { w.Add("t", quant.Q6_K, 128) }, Options{Fill: fill(0)}, `tensor "t": rows of 128 values`},
		{"short_fill", func(w *Writer) {}, Options{Fill: fill(-1)}, `tensor "token_embd.weight": 1 of its 204 bytes were not written`},
		{"long_fill", func(w *Writer) {}, Options{Fill: fill(1)}, `tensor "token_embd.weight": 1 bytes more than the tensor holds`},
		{"too_many_shards", func(w *Writer) {}, Options{Fill: fill(0), Shards: 4}, "3 tensors cannot be split over 4 files"},
		{"fill_error", func(w *Writer) {}, Options{Fill: func(*Tensor, io.Writer) error { return errors.New("no rows") }}, `tensor "token_embd.weight": no rows`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			w := sample()
			tt.build(w)
			_, err := w.WriteFile(filepath.Join(dir, "m.gguf"), tt.opts)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if left, _ := os.ReadDir(dir); len(left) != 0 {
				t.Errorf("left %v behind", left)
			}
		})
	}
}

func TestOverwriteOnlyGGUF(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.gguf")
	for _, content := range []string{"", "precious"} {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := sample().WriteFile(path, Options{Fill: fillSeed})
		if want := path + ": exists and is not a GGUF file; not overwritten"; err == nil || err.Error() != want {
			t.Errorf("over %q: %v, want %q", content, err, want)
		}
		if got, _ := os.ReadFile(path); string(got) != content {
			t.Errorf("file now holds %q, want %q", got, content)
		}
	}
	os.Remove(path)
	for range 2 { // the second replaces the first
		if _, err := sample().WriteFile(path, Options{Fill: fillSeed}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := sample().WriteFile(filepath.Dir(path), Options{Fill: fillSeed}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("over a folder: %v", err)
	}
}
