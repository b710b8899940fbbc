package gguf

import (
	"bytes"
	"errors"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestWriteThenOpen(t *testing.T) {
	for _, o := range []Options{{}, {Shards: 2}, {Shards: 3}, {Shards: 4, EmptyFirst: true}} {
		f, err := Open(writeSample(t, o))
		if err != nil {
			t.Fatal(err)
		}
		w := sample()
		if got, want := len(f.Tensors), len(w.tensors); got != want {
			t.Fatalf("%+v: %d tensors, want %d", o, got, want)
		}
		if got, want := len(f.Shards), max(1, o.Shards); got != want {
			t.Errorf("%+v: %d shards, want %d", o, got, want)
		}
		for i := range w.tensors {
			want := &w.tensors[i]
			got := f.Tensor(want.Name)
			if got == nil || got.Type != want.Type || !reflect.DeepEqual(got.Dims, want.Dims) || got.Size != want.Size {
				t.Fatalf("%+v: tensor %q is %+v, want %+v", o, want.Name, got, want)
			}
			data, err := f.Data(got)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := fillSeed(want, &b); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(data, b.Bytes()) {
				t.Errorf("%+v: data of %q differ", o, want.Name)
			}
		}
		if o.EmptyFirst && f.Tensors[0].Shard != 1 {
			t.Errorf("first tensor is in shard %d, want 1", f.Tensors[0].Shard)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestGetters(t *testing.T) {
	f, err := Open(writeSample(t, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, want := f.Arch(), "glm-dsa"; got != want {
		t.Errorf("Arch() = %q, want %q", got, want)
	}
	for key, want := range map[string]uint64{"a.u8": 200, "a.u16": 60000, "a.u32": 4e9, "a.u64": 1<<63 + 5} {
		if got, ok, err := f.Uint(key); got != want || !ok || err != nil {
			t.Errorf("Uint(%q) = %d, %v, %v; want %d", key, got, ok, err, want)
		}
	}
	for key, want := range map[string]float64{"a.f32": 2.5, "a.f64": 1e-300} {
		if got, ok, err := f.Float(key); got != want || !ok || err != nil {
			t.Errorf("Float(%q) = %v, %v, %v; want %v", key, got, ok, err, want)
		}
	}
	if got, ok, err := f.Bool("a.bool"); !got || !ok || err != nil {
		t.Errorf("Bool = %v, %v, %v", got, ok, err)
	}
	if got, _, err := f.Bools("a.bools"); err != nil || !reflect.DeepEqual(got, []bool{true, false, true}) {
		t.Errorf("Bools = %v, %v", got, err)
	}
	if got, _, err := f.Ints("a.ints"); err != nil || !reflect.DeepEqual(got, []int64{1, -2, 3}) {
		t.Errorf("Ints = %v, %v", got, err)
	}
	s, _, err := f.Strings("a.strings")
	if err != nil || s.Len() != 3 || !reflect.DeepEqual(s.Slice(), []string{"x", "", "häß"}) {
		t.Errorf("Strings = %q, %v", s.Slice(), err)
	}
	for _, key := range []string{"absent", ""} {
		if _, ok, err := f.Uint(key); ok || err != nil {
			t.Errorf("Uint(%q) = %v, %v; want absent without error", key, ok, err)
		}
	}
	if s, ok, _ := f.Strings("absent"); ok || s.Len() != 0 || len(s.Slice()) != 0 {
		t.Errorf("absent Strings = %v", s)
	}
}

func TestGetterErrorsNameFileAndKey(t *testing.T) {
	f, err := Open(writeSample(t, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	get := func(_ any, _ bool, err error) error { return err }
	for _, tt := range []struct {
		err  error
		want string
	}{
		{get(f.Uint("a.f32")), `key "a.f32" is f32, want an integer`},
		{get(f.Uint("a.i8")), `key "a.i8" is -3, want 0 or more`},
		{get(f.Float("a.u8")), `key "a.u8" is u8, want a float`},
		{get(f.Bool("a.u8")), `key "a.u8" is u8, want a bool`},
		{get(f.String("a.bools")), `key "a.bools" is arr[bool,3], want a string`},
		{get(f.Ints("a.strings")), `key "a.strings" is arr[str,3], want an array of integers`},
		{get(f.Bools("a.ints")), `key "a.ints" is arr[i32,3], want an array of bools`},
		{get(f.Strings("a.ints")), `key "a.ints" is arr[i32,3], want an array of strings`},
	} {
		if tt.err == nil || !strings.HasSuffix(tt.err.Error(), tt.want) || !strings.HasPrefix(tt.err.Error(), f.Path+": ") {
			t.Errorf("got %v, want %q after the file's name", tt.err, tt.want)
		}
	}
}

func TestKeyText(t *testing.T) {
	f, err := Open(writeSample(t, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for key, want := range map[string]string{
		"a.i8": "-3", "a.u64": "9223372036854775813", "a.f32": "2.5", "a.bool": "true",
		"a.strings": `["x", "", ...]`, "a.ints": "[1, -2, ...]", "a.floats": "[0.5]",
		"general.architecture": `"glm-dsa"`,
	} {
		if got := f.Key(key).Text(2); got != want {
			t.Errorf("Text of %q = %s, want %s", key, got, want)
		}
	}
}

func TestHeaderOnly(t *testing.T) {
	for _, shards := range []int{1, 2} {
		path := writeSample(t, Options{HeaderOnly: true, Shards: shards})
		if _, err := Open(path); !errors.Is(err, ErrNoData) {
			t.Errorf("Open = %v, want ErrNoData", err)
		}
		f, err := OpenHeader(path)
		if err != nil {
			t.Fatal(err)
		}
		if f.HasData {
			t.Error("HasData is true")
		}
		if _, err := f.Data(&f.Tensors[0]); !errors.Is(err, ErrNoData) || !strings.Contains(err.Error(), `tensor "token_embd.weight"`) {
			t.Errorf("Data = %v, want ErrNoData and the tensor's name", err)
		}
		f.Close()
	}
	f, err := OpenHeader(writeSample(t, Options{}))
	if err != nil || !f.HasData {
		t.Errorf("OpenHeader of a whole file: %v, HasData %v", err, f.HasData)
	}
	f.Close()
}

func TestVersion2(t *testing.T) {
	path := writeSample(t, Options{})
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[4] = 2
	f, err := Open(writeBytes(t, "v2.gguf", b))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, want := f.Shards[0].Version, uint32(2); got != want || len(f.Tensors) != 3 {
		t.Errorf("version %d, %d tensors; want %d and 3", got, len(f.Tensors), want)
	}
}

func TestAlignmentKey(t *testing.T) {
	w := sample()
	w.Set("general.alignment", uint32(4096))
	path := t.TempDir() + "/m.gguf"
	if _, err := w.WriteFile(path, Options{Fill: fillSeed}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range f.Tensors {
		if off := f.Tensors[i].Offset; off%4096 != 0 {
			t.Errorf("tensor %d at %d, want a multiple of 4096", i, off)
		}
	}
}

func TestDimsOverflowIsRefused(t *testing.T) {
	for _, dims := range [][]uint64{{math.MaxUint64}, {1 << 32, 1 << 32}, {32, 1 << 31, 1 << 31}, {4, 1 << 62, 4, 4}} {
		if n, err := tensorBytes(0, dims); err == nil {
			t.Errorf("tensorBytes(%v) = %d, want an error", dims, n)
		}
	}
}
