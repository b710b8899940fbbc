package gguf

import (
	"encoding/binary"
	"fmt"
	"math"

	"dsac/runtime/quant"
)

// Writer collects the keys and tensors of a model; WriteFile writes them. Its methods keep
// the first error, which WriteFile returns.
type Writer struct {
	keys      []kv
	tensors   []Tensor // Offset unset
	names     map[string]bool
	alignment uint64
	err       error
}

// kv is a key whose value is already in file form.
type kv struct {
	name  string
	bytes []byte // kind and value
}

// NewWriter returns a Writer with no keys and no tensors.
func NewWriter() *Writer {
	return &Writer{names: map[string]bool{}, alignment: defaultAlignment}
}

func (w *Writer) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// Set adds a key. value is a fixed-size integer, float or bool, a string, or a slice of one
// of those (not of slices).
func (w *Writer) Set(key string, value any) {
	if key == "" || len(key) > maxKey || w.names["key "+key] {
		w.fail("key %q is empty, too long or set twice", key)
		return
	}
	w.names["key "+key] = true
	b, err := appendValue(nil, value)
	if err != nil {
		w.fail("key %q: %w", key, err)
		return
	}
	if key == alignmentKey {
		a, ok := value.(uint32)
		if !ok || a == 0 || a&(a-1) != 0 {
			w.fail("key %q is %v, want a uint32 power of two", key, value)
			return
		}
		w.alignment = uint64(a)
	}
	w.keys = append(w.keys, kv{key, b})
}

// Add adds a tensor; dims are in ggml order.
func (w *Writer) Add(name string, t quant.Type, dims ...uint64) {
	if name == "" || len(name) >= maxName || w.names["tensor "+name] {
		w.fail("tensor %q: name is empty, longer than %d bytes or added twice", name, maxName-1)
		return
	}
	w.names["tensor "+name] = true
	size, err := tensorBytes(t, dims)
	if err != nil {
		w.fail("tensor %q: %w", name, err)
		return
	}
	w.tensors = append(w.tensors, Tensor{Name: name, Type: t, Dims: dims, Size: size})
}

// DataBytes returns the bytes of all tensors without padding.
func (w *Writer) DataBytes() uint64 {
	var n uint64
	for i := range w.tensors {
		n += w.tensors[i].Size
	}
	return n
}

// Tensors returns what was added, in order, with sizes and without offsets.
func (w *Writer) Tensors() []Tensor { return w.tensors }

// header returns the bytes up to the tensor data, padded to the alignment when there are
// tensors, and sets their offsets.
func header(keys []kv, tensors []Tensor, alignment uint64) []byte {
	b := append([]byte(magic), 3, 0, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(tensors)))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(keys)))
	for _, k := range keys {
		b = append(appendString(b, k.name), k.bytes...)
	}
	var off uint64
	for i := range tensors {
		t := &tensors[i]
		b = appendString(b, t.Name)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(t.Dims)))
		for _, d := range t.Dims {
			b = binary.LittleEndian.AppendUint64(b, d)
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(t.Type))
		b = binary.LittleEndian.AppendUint64(b, off)
		t.Offset = off
		off += t.Size + padding(t.Size, alignment)
	}
	if len(tensors) > 0 {
		b = append(b, make([]byte, padding(uint64(len(b)), alignment))...)
	}
	for i := range tensors {
		tensors[i].Offset += uint64(len(b))
	}
	return b
}

// padding returns the bytes from n to the next multiple of alignment.
func padding(n, alignment uint64) uint64 { return -n & (alignment - 1) }

func appendString(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...)
}

// appendValue appends kind and value.
func appendValue(b []byte, value any) ([]byte, error) {
	if k, raw, ok := scalar(value); ok {
		return append(binary.LittleEndian.AppendUint32(b, uint32(k)), raw...), nil
	}
	switch v := value.(type) {
	case []string:
		b = arrayHead(b, String, len(v))
		for _, s := range v {
			b = appendString(b, s)
		}
		return b, nil
	case []bool:
		return appendArray(b, Bool, v)
	case []uint8:
		return appendArray(b, Uint8, v)
	case []int32:
		return appendArray(b, Int32, v)
	case []uint32:
		return appendArray(b, Uint32, v)
	case []float32:
		return appendArray(b, Float32, v)
	}
	return nil, fmt.Errorf("values of %T cannot be written", value)
}

func arrayHead(b []byte, elem Kind, n int) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(Array))
	b = binary.LittleEndian.AppendUint32(b, uint32(elem))
	return binary.LittleEndian.AppendUint64(b, uint64(n))
}

func appendArray[T any](b []byte, elem Kind, v []T) ([]byte, error) {
	b = arrayHead(b, elem, len(v))
	for _, e := range v {
		_, raw, _ := scalar(e)
		b = append(b, raw...)
	}
	return b, nil
}

// scalar returns the kind of v and its bytes in a file.
func scalar(v any) (Kind, []byte, bool) {
	le := binary.LittleEndian
	switch v := v.(type) {
	case uint8:
		return Uint8, []byte{v}, true
	case int8:
		return Int8, []byte{byte(v)}, true
	case uint16:
		return Uint16, le.AppendUint16(nil, v), true
	case int16:
		return Int16, le.AppendUint16(nil, uint16(v)), true
	case uint32:
		return Uint32, le.AppendUint32(nil, v), true
	case int32:
		return Int32, le.AppendUint32(nil, uint32(v)), true
	case uint64:
		return Uint64, le.AppendUint64(nil, v), true
	case int64:
		return Int64, le.AppendUint64(nil, uint64(v)), true
	case float32:
		return Float32, le.AppendUint32(nil, math.Float32bits(v)), true
	case float64:
		return Float64, le.AppendUint64(nil, math.Float64bits(v)), true
	case bool:
		if v {
			return Bool, []byte{1}, true
		}
		return Bool, []byte{0}, true
	case string:
		return String, appendString(nil, v), true
	}
	return 0, nil, false
}
