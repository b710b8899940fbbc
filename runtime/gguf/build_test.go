package gguf

import (
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"testing"

	"dsac/runtime/quant"
)

// sample returns a small model with every kind of value and three tensors.
func sample() *Writer {
	w := NewWriter()
	w.Set("general.architecture", "glm-dsa")
	w.Set("a.u8", uint8(200))
	w.Set("a.i8", int8(-3))
	w.Set("a.u16", uint16(60000))
	w.Set("a.i16", int16(-300))
	w.Set("a.u32", uint32(4e9))
	w.Set("a.i32", int32(-70000))
	w.Set("a.u64", uint64(1<<63+5))
	w.Set("a.i64", int64(-1<<40))
	w.Set("a.f32", float32(2.5))
	w.Set("a.f64", 1e-300)
	w.Set("a.bool", true)
	w.Set("a.bools", []bool{true, false, true})
	w.Set("a.ints", []int32{1, -2, 3})
	w.Set("a.strings", []string{"x", "", "häß"})
	w.Set("a.floats", []float32{0.5})
	w.Add("token_embd.weight", quant.Q8_0, 64, 3)
	w.Add("output_norm.weight", quant.F32, 5) // 20 bytes: padding follows
	w.Add("output.weight", quant.Q4_K, 256, 2, 2)
	return w
}

// fillSeed writes bytes that depend on the tensor's name.
func fillSeed(t *Tensor, dst io.Writer) error {
	b := make([]byte, t.Size)
	quant.NewRand(uint64(len(t.Name))).Fill(b)
	_, err := dst.Write(b)
	return err
}

// writeSample writes sample() to a fresh folder and returns the file's path.
func writeSample(t testing.TB, o Options) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.gguf")
	o.Fill = fillSeed
	names, err := sample().WriteFile(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return names[0]
}

// rawFile assembles a file by hand, so that it can be wrong in ways that Writer refuses.
type rawFile struct {
	version         uint32
	nTensors, nKeys int64
	body            []byte
}

func (f rawFile) bytes() []byte {
	b := binary.LittleEndian.AppendUint32([]byte(magic), f.version)
	b = binary.LittleEndian.AppendUint64(b, uint64(f.nTensors))
	b = binary.LittleEndian.AppendUint64(b, uint64(f.nKeys))
	return append(b, f.body...)
}

func rawKey(name string, value any) []byte {
	b, err := appendValue(appendString(nil, name), value)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return b
}

func rawTensor(name string, typ quant.Type, off uint64, dims ...uint64) []byte {
	b := binary.LittleEndian.AppendUint32(appendString(nil, name), uint32(len(dims)))
	for _, d := range dims {
		b = binary.LittleEndian.AppendUint64(b, d)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(typ))
	return binary.LittleEndian.AppendUint64(b, off)
}

func writeBytes(t testing.TB, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func cat(parts ...[]byte) []byte {
	var b []byte
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}
