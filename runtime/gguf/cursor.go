package gguf

import (
	"encoding/binary"
	"fmt"

	"dsac/runtime/quant"
)

// cursor walks over the header; off never passes len(data).
type cursor struct {
	data []byte
	off  uint64
}

func (c *cursor) left() uint64 { return uint64(len(c.data)) - c.off }

func (c *cursor) truncated(where string) error {
	return fmt.Errorf("truncated in %s: the file ends at byte %d", where, len(c.data))
}

// take returns the next n bytes; ok is false when there are fewer.
func (c *cursor) take(n uint64) (b []byte, ok bool) {
	if n > c.left() {
		return nil, false
	}
	b = c.data[c.off : c.off+n : c.off+n]
	c.off += n
	return b, true
}

func (c *cursor) u32() (v uint32, ok bool) {
	b, ok := c.take(4)
	if !ok {
		return 0, false
	}
	return binary.LittleEndian.Uint32(b), true
}

func (c *cursor) u64() (v uint64, ok bool) {
	b, ok := c.take(8)
	if !ok {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b), true
}

// str returns the bytes of a string of at most limit bytes.
func (c *cursor) str(limit uint64) (b []byte, ok bool) {
	n, ok := c.u64()
	if !ok || n > limit {
		return nil, false
	}
	return c.take(n)
}

// value reads kind and value of k and steps over it.
func (c *cursor) value(k *Key, where string) error {
	kind, ok := c.u32()
	if !ok {
		return c.truncated(where)
	}
	k.Kind = Kind(kind)
	if int(kind) >= len(kinds) {
		return fmt.Errorf("%s: unknown value type %d", where, kind)
	}
	if k.Kind == Array {
		return c.array(k, where)
	}
	if k.Kind == String {
		k.raw, ok = c.str(c.left())
	} else {
		k.raw, ok = c.take(uint64(kinds[kind].size))
	}
	if !ok {
		return c.truncated(where)
	}
	return nil
}

func (c *cursor) array(k *Key, where string) error {
	elem, ok1 := c.u32()
	count, ok2 := c.u64()
	if !ok1 || !ok2 {
		return c.truncated(where)
	}
	k.Elem, k.Count = Kind(elem), count
	switch {
	case int(elem) >= len(kinds):
		return fmt.Errorf("%s: unknown element type %d", where, elem)
	case k.Elem == Array:
		return fmt.Errorf("%s: arrays of arrays are not supported", where)
	case k.Elem == String:
		return c.strings(k, where)
	}
	size := uint64(kinds[elem].size)
	if count > c.left()/size {
		return fmt.Errorf("%s: %d elements of %s cannot fit in the %d bytes left of the file", where, count, k.Elem, c.left())
	}
	k.raw, _ = c.take(count * size)
	return nil
}

// strings steps over the strings one by one: only their lengths say where they end.
func (c *cursor) strings(k *Key, where string) error {
	if k.Count > c.left()/8 {
		return fmt.Errorf("%s: %d strings cannot fit in the %d bytes left of the file", where, k.Count, c.left())
	}
	start := c.off
	for i := range k.Count {
		if _, ok := c.str(c.left()); !ok {
			return c.truncated(fmt.Sprintf("%s, string %d of %d", where, i+1, k.Count))
		}
	}
	k.raw = c.data[start:c.off:c.off]
	return nil
}

// tensor reads info i of n. rel is the offset from the start of the data.
func (c *cursor) tensor(i, n uint64) (t Tensor, rel uint64, err error) {
	where := fmt.Sprintf("tensor info %d of %d", i+1, n)
	length, ok := c.u64()
	if ok && length >= maxName {
		return t, 0, fmt.Errorf("%s: name of %d bytes, want less than %d", where, length, maxName)
	}
	name, ok2 := c.take(length)
	if !ok || !ok2 {
		return t, 0, c.truncated(where)
	}
	t.Name = string(name)
	where = fmt.Sprintf("the info of tensor %q (%d of %d)", t.Name, i+1, n)
	dims, ok := c.u32()
	if !ok {
		return t, 0, c.truncated(where)
	}
	if dims == 0 || dims > maxDims {
		return t, 0, fmt.Errorf("tensor %q: %d dimensions, want 1 to %d", t.Name, dims, maxDims)
	}
	t.Dims = make([]uint64, dims)
	for d := range t.Dims {
		if t.Dims[d], ok = c.u64(); !ok {
			return t, 0, c.truncated(where)
		}
	}
	typ, ok1 := c.u32()
	rel, ok2 = c.u64()
	if !ok1 || !ok2 {
		return t, 0, c.truncated(where)
	}
	t.Type = quant.Type(typ)
	if t.Size, err = tensorBytes(t.Type, t.Dims); err != nil {
		return t, 0, fmt.Errorf("tensor %q: %w", t.Name, err)
	}
	return t, rel, nil
}
