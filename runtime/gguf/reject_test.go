package gguf

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"dsac/runtime/quant"
)

func TestBadFilesAreRefused(t *testing.T) {
	str := func(s string) []byte { return rawKey("general.architecture", s) }
	norm := rawTensor("a", quant.F32, 0, 8)
	zeros := make([]byte, 4096)
	tests := []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "not a GGUF file"},
		{"wrong_magic", cat([]byte("GGML"), zeros), `magic is "GGML", want "GGUF"`},
		{"text", []byte("hello"), "not a GGUF file"},
		{"truncated_in_header", []byte("GGUF\x03\x00\x00\x00\x01"), "truncated in the header: 9 bytes, want at least 24"},
		{"version_1", rawFile{1, 0, 0, zeros}.bytes(), "GGUF version 1"},
		{"version_4", rawFile{4, 0, 0, zeros}.bytes(), "GGUF version 4; versions 2 and 3 are read"},
		{"big_endian", rawFile{3 << 24, 0, 0, zeros}.bytes(), "big-endian"},
		{"key_count_too_large", rawFile{3, 0, 1 << 40, zeros}.bytes(), "1099511627776 keys cannot fit"},
		{"tensor_count_too_large", rawFile{3, 1 << 40, 0, zeros}.bytes(), "1099511627776 tensors cannot fit"},
		{"negative_count", rawFile{3, -1, 0, zeros}.bytes(), "tensors cannot fit"},
		{"truncated_in_key_name", rawFile{3, 0, 1, []byte{99, 0, 0, 0, 0, 0, 0, 0, 'a'}}.bytes(), "truncated in key 1 of 1"},
		{"truncated_in_value", rawFile{3, 0, 1, str("glm-dsa")[:35]}.bytes(), `truncated in key "general.architecture"`},
		{"unknown_value_type", rawFile{3, 0, 1, cat(appendString(nil, "k"), []byte{13, 0, 0, 0}, zeros)}.bytes(), `key "k": unknown value type 13`},
		{"array_of_arrays", rawFile{3, 0, 1, cat(appendString(nil, "k"), []byte{9, 0, 0, 0, 9, 0, 0, 0}, zeros)}.bytes(), `key "k": arrays of arrays`},
		{"array_too_long", rawFile{3, 0, 1, cat(appendString(nil, "k"), []byte{9, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0}, zeros)}.bytes(), `key "k": 281474976710656 elements of u32 cannot fit`},
		{"string_array_too_long", rawFile{3, 0, 1, cat(appendString(nil, "k"), []byte{9, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0}, zeros)}.bytes(), `key "k": 281474976710656 strings cannot fit`},
		{"string_in_array_too_long", rawFile{3, 0, 1, cat(appendString(nil, "k"), []byte{9, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}, bytes.Repeat([]byte{0xff}, 64))}.bytes(), `truncated in key "k", string 1 of 1`},
		{"duplicate_key", rawFile{3, 0, 2, cat(str("a"), str("b"), zeros)}.bytes(), `key "general.architecture" appears twice`},
		{"empty_key", rawFile{3, 0, 1, cat(rawKey("", "x"), zeros)}.bytes(), "key 1 of 1 has an empty name"},
		{"alignment_not_power_of_two", rawFile{3, 0, 1, cat(rawKey("general.alignment", uint32(48)), zeros)}.bytes(), `key "general.alignment" is 48, want a power of two`},
		{"alignment_zero", rawFile{3, 0, 1, cat(rawKey("general.alignment", uint32(0)), zeros)}.bytes(), "want a power of two"},
		{"alignment_string", rawFile{3, 0, 1, cat(rawKey("general.alignment", "32"), zeros)}.bytes(), `key "general.alignment" is str, want u32`},
		{"truncated_in_tensor_info", rawFile{3, 2, 0, cat(norm, rawTensor("bcd", quant.F32, 32, 8)[:20])}.bytes(), `truncated in the info of tensor "bcd" (2 of 2)`},
		{"tensor_name_too_long", rawFile{3, 1, 0, cat(rawTensor(strings.Repeat("n", 64), quant.F32, 0, 8), zeros)}.bytes(), "tensor info 1 of 1: name of 64 bytes, want less than 64"},
		{"five_dims", rawFile{3, 1, 0, cat(rawTensor("a", quant.F32, 0, 1, 1, 1, 1, 1), zeros)}.bytes(), `tensor "a": 5 dimensions`},
		{"no_dims", rawFile{3, 1, 0, cat(rawTensor("a", quant.F32, 0), zeros)}.bytes(), `tensor "a": 0 dimensions`},
		{"zero_dim", rawFile{3, 1, 0, cat(rawTensor("a", quant.F32, 0, 4, 0), zeros)}.bytes(), `tensor "a": dimensions [4 0] hold no values`},
		{"unknown_tensor_type", rawFile{3, 1, 0, cat(rawTensor("a", 4, 0, 32), zeros)}.bytes(), `tensor "a": unknown tensor type id 4`},
		{"row_not_whole_blocks", rawFile{3, 1, 0, cat(rawTensor("a", quant.Q4_K, 0, 192, 2), zeros)}.bytes(), `tensor "a": rows of 192 values are not a multiple of the 256-value block of q4_k`},
		{"size_overflow", rawFile{3, 1, 0, cat(rawTensor("a", quant.F32, 0, 1<<32, 1<<32), zeros)}.bytes(), `tensor "a": dimensions [4294967296 4294967296] of f32 are beyond any file`},
		{"duplicate_tensor", rawFile{3, 2, 0, cat(norm, rawTensor("a", quant.F32, 32, 8), zeros)}.bytes(), `tensor "a" appears twice`},
		{"offset_not_running_sum", rawFile{3, 2, 0, cat(norm, rawTensor("b", quant.F32, 64, 8), zeros)}.bytes(), `tensor "b": offset is 64, want 32`},
		{"offsets_overlap", rawFile{3, 2, 0, cat(norm, rawTensor("b", quant.F32, 0, 8), zeros)}.bytes(), `tensor "b": offset is 0, want 32`},
		{"offset_past_end", rawFile{3, 1, 0, cat(rawTensor("a", quant.F32, 1<<50, 8), zeros)}.bytes(), `tensor "a": offset is 1125899906842624, want 0`},
		{"truncated_in_data", rawFile{3, 2, 0, cat(rawTensor("a", quant.F32, 0, 64), rawTensor("b", quant.F32, 256, 64), zeros[:400])}.bytes(), `truncated in the data of tensor "b"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := writeBytes(t, "bad.gguf", tt.file)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			f, err := Open(path)
			runtime.ReadMemStats(&after)
			if err == nil {
				f.Close()
				t.Fatal("opened without error")
			}
			if got := err.Error(); !strings.HasPrefix(got, path+": ") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want the file's name and %q", got, tt.want)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > 4<<20 {
				t.Errorf("allocated %d bytes for a file of %d", got, len(tt.file))
			}
		})
	}
}

func TestEveryTruncationIsRefused(t *testing.T) {
	whole, err := os.ReadFile(writeSample(t, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	p, err := parse(whole)
	if err != nil {
		t.Fatal(err)
	}
	for n := range int(p.dataEnd) {
		q, err := parse(whole[:n:n])
		if err == nil {
			err = q.checkData(uint64(n))
		}
		if err == nil {
			t.Fatalf("the first %d of %d bytes were accepted", n, len(whole))
		}
	}
}

func TestMissingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.gguf")
	_, err := Open(path)
	if want := path + ": no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}
