package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"dsac/runtime/gguf"
)

// scriptGGUF (gguf IN OUT EDIT...) copies a model with changes. An EDIT is one argument:
//
//	set KEY TYPE VALUE   adds or replaces a key; TYPE is u32, f32, str or bools
//	drop KEY             leaves a key out
//	droptensor NAME      leaves a tensor out
//	split N              writes N files, the first without tensors
func scriptGGUF(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: gguf IN OUT EDIT...")
	}
	f, err := gguf.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	e := ggufEdits{set: map[string]any{}, drop: map[string]bool{}}
	for _, a := range args[2:] {
		if err := e.add(strings.SplitN(a, " ", 4)); err != nil {
			ts.Fatalf("edit %q: %v", a, err)
		}
	}
	ts.Check(e.write(f, ts.MkAbs(args[1])))
}

type ggufEdits struct {
	set    map[string]any
	order  []string // of the keys in set
	drop   map[string]bool
	shards int
}

func (e *ggufEdits) add(f []string) error {
	switch {
	case f[0] == "set" && len(f) == 4:
		v, err := keyValue(f[2], f[3])
		e.set[f[1]], e.drop[f[1]] = v, true
		e.order = append(e.order, f[1])
		return err
	case (f[0] == "drop" || f[0] == "droptensor") && len(f) == 2:
		e.drop[f[1]] = true
		return nil
	case f[0] == "split" && len(f) == 2:
		n, err := strconv.Atoi(f[1])
		e.shards = n
		return err
	}
	return fmt.Errorf("not an edit")
}

func keyValue(kind, text string) (any, error) {
	switch kind {
	case "u32":
		n, err := strconv.ParseUint(text, 10, 32)
		return uint32(n), err
	case "f32":
		x, err := strconv.ParseFloat(text, 32)
		return float32(x), err
	case "str":
		return text, nil
	case "bools":
		var v []bool
		for _, c := range text {
			v = append(v, c == '1')
		}
		return v, nil
	}
	return nil, fmt.Errorf("type %q", kind)
}

func (e *ggufEdits) write(f *gguf.File, out string) error {
	w := gguf.NewWriter()
	for i := range f.Keys {
		if k := &f.Keys[i]; !e.drop[k.Name] {
			v, err := copyOf(f, k)
			if err != nil {
				return err
			}
			w.Set(k.Name, v)
		}
	}
	for _, k := range e.order {
		w.Set(k, e.set[k])
	}
	for i := range f.Tensors {
		if t := &f.Tensors[i]; !e.drop[t.Name] {
			w.Add(t.Name, t.Type, t.Dims...)
		}
	}
	_, err := w.WriteFile(out, gguf.Options{
		Shards: e.shards, EmptyFirst: e.shards > 1,
		Fill: func(t *gguf.Tensor, dst io.Writer) error {
			data, err := f.Data(f.Tensor(t.Name))
			if err == nil {
				_, err = dst.Write(data)
			}
			return err
		},
	})
	return err
}

// copyOf returns the value of a key for Writer.Set.
func copyOf(f *gguf.File, k *gguf.Key) (v any, err error) {
	switch {
	case k.Kind == gguf.Uint32:
		n, _, e := f.Uint(k.Name)
		v, err = uint32(n), e
	case k.Kind == gguf.Float32:
		x, _, e := f.Float(k.Name)
		v, err = float32(x), e
	case k.Kind == gguf.Bool:
		v, _, err = f.Bool(k.Name)
	case k.Kind == gguf.String:
		v, _, err = f.String(k.Name)
	case k.Elem == gguf.Bool:
		v, _, err = f.Bools(k.Name)
	case k.Elem == gguf.String:
		s, _, e := f.Strings(k.Name)
		v, err = s.Slice(), e
	case k.Elem == gguf.Int32:
		ints, _, e := f.Ints(k.Name)
		list := make([]int32, len(ints))
		for i, n := range ints {
			list[i] = int32(n)
		}
		v, err = list, e
	default:
		err = fmt.Errorf("key %s of type %s cannot be copied", k.Name, k.TypeString())
	}
	return v, err
}

// scriptPoke (poke FILE TENSOR FIELD VALUE) damages the info of a tensor in place; FIELD is
// offset, dim0, type, or name (of the same length).
func scriptPoke(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: poke FILE TENSOR offset|dim0|type|name VALUE")
	}
	name := ts.MkAbs(args[0])
	data, err := os.ReadFile(name)
	ts.Check(err)
	le := binary.LittleEndian
	info := bytes.Index(data, append(le.AppendUint64(nil, uint64(len(args[1]))), args[1]...))
	if info < 0 {
		ts.Fatalf("no tensor %s", args[1])
	}
	text := info + 8
	dims := text + len(args[1])
	end := dims + 4 + 8*int(le.Uint32(data[dims:]))
	value, _ := strconv.ParseUint(args[3], 10, 64)
	switch args[2] {
	case "name":
		copy(data[text:dims], args[3])
	case "dim0":
		le.PutUint64(data[dims+4:], value)
	case "type":
		le.PutUint32(data[end:], uint32(value))
	case "offset":
		le.PutUint64(data[end+4:], value)
	default:
		ts.Fatalf("no field %s", args[2])
	}
	ts.Check(os.WriteFile(name, data, 0o644))
}

// scriptCut (cut IN OUT header|infos|start|data) copies a model and cuts it off: within its header, in
// the tensor infos, where its data starts, or in the last tensor's data.
func scriptCut(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: cut IN OUT header|infos|start|data")
	}
	data, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	f, err := gguf.OpenHeader(ts.MkAbs(args[0]))
	ts.Check(err)
	start := int(f.Shards[0].DataStart)
	ts.Check(f.Close())
	at, ok := map[string]int{"header": 12, "infos": start - 100, "start": start, "data": len(data) - 100}[args[2]]
	if !ok {
		ts.Fatalf("cut where? %s", args[2])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data[:at], 0o644))
}
