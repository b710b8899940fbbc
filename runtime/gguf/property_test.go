package gguf

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"dsac/runtime/quant"
)

// Whatever is written comes back, in any number of files and opened by any of them.
func TestWhatIsWrittenComesBack(t *testing.T) {
	dir := t.TempDir()
	types := []quant.Type{quant.F32, quant.F16, quant.Q8_0, quant.Q4_K, quant.IQ1S, quant.MXFP4}
	rapid.Check(t, func(t *rapid.T) {
		w := NewWriter()
		texts := rapid.SliceOfN(rapid.String(), 0, 5).Draw(t, "texts")
		number := rapid.Uint64().Draw(t, "number")
		w.Set("a.texts", texts)
		w.Set("a.number", number)
		n := rapid.IntRange(1, 7).Draw(t, "tensors")
		for i := range n {
			ty := rapid.SampledFrom(types).Draw(t, "type")
			info, _ := ty.Info()
			dims := []uint64{uint64(info.Elems * rapid.IntRange(1, 3).Draw(t, "blocks"))}
			for range rapid.IntRange(0, 3).Draw(t, "more dims") {
				dims = append(dims, uint64(rapid.IntRange(1, 4).Draw(t, "dim")))
			}
			w.Add(fmt.Sprintf("t%d", i), ty, dims...)
		}
		shards := rapid.IntRange(1, n).Draw(t, "shards")
		names, err := w.WriteFile(filepath.Join(dir, "m.gguf"), Options{Shards: shards, Fill: fillSeed})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			for _, name := range names {
				os.Remove(name)
			}
		}()
		f, err := Open(rapid.SampledFrom(names).Draw(t, "opened"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if got, _, err := f.Uint("a.number"); err != nil || got != number {
			t.Errorf("number %d, %v; want %d", got, err, number)
		}
		if s, _, err := f.Strings("a.texts"); err != nil || len(texts) > 0 && !reflect.DeepEqual(s.Slice(), texts) {
			t.Errorf("texts %q, %v; want %q", s.Slice(), err, texts)
		}
		if len(f.Tensors) != n || len(f.Shards) != shards {
			t.Fatalf("%d tensors in %d files, want %d in %d", len(f.Tensors), len(f.Shards), n, shards)
		}
		for i := range w.tensors {
			want := &w.tensors[i]
			got := &f.Tensors[i]
			if got.Name != want.Name || got.Type != want.Type || !reflect.DeepEqual(got.Dims, want.Dims) {
				t.Errorf("tensor %d is %+v, want %+v", i, got, want)
			}
			data, err := f.Data(got)
			var b bytes.Buffer
			if err != nil || fillSeed(want, &b) != nil || !bytes.Equal(data, b.Bytes()) {
				t.Errorf("data of %s differ (%v)", got.Name, err)
			}
		}
	})
}
