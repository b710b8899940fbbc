package tokenizer

import (
	"encoding/binary"
	"fmt"
	"os"
	"testing"
)

// vocabOf reads the tokenizer keys of a GGUF file, and nothing else.
func vocabOf(t testing.TB, path string) Vocab {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 1<<20) // header and keys of the test models take 60 KB
	n, _ := f.Read(b)
	r := &keyReader{b: b[:n]}
	if got := string(r.bytes(4)); got != "GGUF" {
		t.Fatalf("%s: magic %q", path, got)
	}
	r.u32()
	r.u64()
	kv := map[string]any{}
	for range r.u64() {
		key := r.str()
		kv[key] = r.value(r.u32())
	}
	id := func(name string) int32 {
		if v, ok := kv["tokenizer.ggml."+name+"_token_id"]; ok {
			return int32(v.(uint64))
		}
		return -1
	}
	v := Vocab{
		Model: kv["tokenizer.ggml.model"].(string),
		Pre:   kv["tokenizer.ggml.pre"].(string),
		EOS:   id("eos"), EOT: id("eot"), EOM: id("eom"), BOS: id("bos"), Pad: id("padding"), Unk: id("unknown"),
	}
	for _, s := range kv["tokenizer.ggml.tokens"].([]any) {
		v.Tokens = append(v.Tokens, s.(string))
	}
	for _, n := range kv["tokenizer.ggml.token_type"].([]any) {
		v.Types = append(v.Types, int32(n.(uint64)))
	}
	for _, s := range kv["tokenizer.ggml.merges"].([]any) {
		v.Merges = append(v.Merges, s.(string))
	}
	return v
}

// keyReader walks the key section of a GGUF file.
type keyReader struct{ b []byte }

func (r *keyReader) bytes(n int) []byte {
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}
func (r *keyReader) u32() uint32 { return binary.LittleEndian.Uint32(r.bytes(4)) }
func (r *keyReader) u64() uint64 { return binary.LittleEndian.Uint64(r.bytes(8)) }
func (r *keyReader) str() string { return string(r.bytes(int(r.u64()))) }

// value reads one value; integers of all widths come back as uint64.
func (r *keyReader) value(typ uint32) any {
	const str, array = 8, 9
	switch typ {
	case str:
		return r.str()
	case array:
		elem, list := r.u32(), []any{}
		for range r.u64() {
			list = append(list, r.value(elem))
		}
		return list
	}
	width := map[uint32]int{0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}[typ]
	if width == 0 {
		panic(fmt.Sprintf("GGUF value type %d", typ))
	}
	var full [8]byte
	copy(full[:], r.bytes(width))
	return binary.LittleEndian.Uint64(full[:])
}
