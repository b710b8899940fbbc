package gguf

import (
	"os"
	"testing"
)

// FuzzOpen parses any bytes: it must not panic, and what it accepts must be readable.
func FuzzOpen(f *testing.F) {
	for _, o := range []Options{{}, {Shards: 2}, {HeaderOnly: true}} {
		b, err := os.ReadFile(writeSample(f, o))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add(b[:len(b)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := parse(data)
		if err != nil {
			return
		}
		for i := range p.keys {
			if p.keys[i].Text(3) == "" {
				t.Errorf("key %q has no text", p.keys[i].Name)
			}
		}
		file := File{Path: "fuzz", Keys: p.keys, keyIndex: p.keyIndex}
		for i := range p.keys {
			name := p.keys[i].Name
			_, _, e1 := file.Uint(name)
			_, _, e2 := file.Ints(name)
			_, _, e3 := file.Bools(name)
			s, _, e4 := file.Strings(name)
			if e1 == nil && e2 == nil || e3 == nil && e4 == nil {
				t.Errorf("key %q has two kinds", name)
			}
			if got := len(s.Slice()); got != s.Len() {
				t.Errorf("key %q yields %d strings of %d", name, got, s.Len())
			}
		}
		if _, err := splitKeys("fuzz", p); err != nil {
			return
		}
		if p.checkData(uint64(len(data))) != nil {
			return
		}
		for i := range p.tensors {
			tn := &p.tensors[i]
			if got := uint64(len(data[tn.Offset : tn.Offset+tn.Size])); got != tn.Size {
				t.Errorf("tensor %q has %d bytes, want %d", tn.Name, got, tn.Size)
			}
		}
	})
}
