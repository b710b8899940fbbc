package gguf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"

	"dsac/runtime/quant"
)

const (
	magic            = "GGUF"
	defaultAlignment = 32
	maxName          = 64    // bytes of a tensor name, including the reader's NUL in C
	maxKey           = 65535 // bytes of a key
	maxDims          = 4
	minTensorInfo    = 8 + 4 + 8 + 4 + 8 // bytes of a tensor info with an empty name and one dim
	minKV            = 8 + 1 + 4 + 1     // bytes of the shortest key and value
	headerBytes      = 4 + 4 + 8 + 8     // magic, version, counts
	maxBytes         = uint64(1)<<63 - 1 // sizes above this cannot be files
	maxRoom          = 4096              // entries allocated on the word of a count in a file
	alignmentKey     = "general.alignment"
)

func leUint64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// parsed is the header of one file. Tensor offsets are from the start of the file.
type parsed struct {
	version   uint32
	keys      []Key
	keyIndex  map[string]int
	tensors   []Tensor
	alignment uint64
	dataStart uint64 // 0 without tensors
	dataEnd   uint64 // end of the last tensor, without its padding
	headerEnd uint64 // end of the tensor infos
}

// parse reads the header at the start of data, which is a whole file, and checks it as far as
// that is possible without the tensor data.
func parse(data []byte) (*parsed, error) {
	if len(data) < headerBytes {
		if !bytes.HasPrefix(data, []byte(magic)) {
			return nil, fmt.Errorf("not a GGUF file (%d bytes, no GGUF magic)", len(data))
		}
		return nil, fmt.Errorf("truncated in the header: %d bytes, want at least %d", len(data), headerBytes)
	}
	if string(data[:4]) != magic {
		return nil, fmt.Errorf("not a GGUF file: magic is %q, want %q", data[:4], magic)
	}
	p := &parsed{version: binary.LittleEndian.Uint32(data[4:]), alignment: defaultAlignment}
	switch {
	case p.version == 2 || p.version == 3:
	case bits.ReverseBytes32(p.version) == 2 || bits.ReverseBytes32(p.version) == 3:
		return nil, fmt.Errorf("big-endian GGUF file; only little-endian ones are read")
	default:
		return nil, fmt.Errorf("GGUF version %d; versions 2 and 3 are read", p.version)
	}
	nTensors, nKeys := leUint64(data[8:]), leUint64(data[16:])
	c := &cursor{data: data, off: headerBytes}
	if limit := uint64(len(data)) / minKV; nKeys > limit {
		return nil, fmt.Errorf("%d keys cannot fit in a file of %d bytes", nKeys, len(data))
	}
	if limit := uint64(len(data)) / minTensorInfo; nTensors > limit {
		return nil, fmt.Errorf("%d tensors cannot fit in a file of %d bytes", nTensors, len(data))
	}
	if err := p.parseKeys(c, nKeys); err != nil {
		return nil, err
	}
	if err := p.parseTensors(c, nTensors); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *parsed) parseKeys(c *cursor, n uint64) error {
	room := min(n, maxRoom)
	p.keys, p.keyIndex = make([]Key, 0, room), make(map[string]int, room)
	for i := range n {
		where := fmt.Sprintf("key %d of %d", i+1, n)
		name, ok := c.str(maxKey)
		if !ok {
			return c.truncated(where)
		}
		k := Key{Name: string(name), Count: 1}
		if k.Name == "" {
			return fmt.Errorf("%s has an empty name", where)
		}
		where = fmt.Sprintf("key %q", k.Name)
		if err := c.value(&k, where); err != nil {
			return err
		}
		if _, dup := p.keyIndex[k.Name]; dup {
			return fmt.Errorf("%s appears twice", where)
		}
		p.keyIndex[k.Name] = len(p.keys)
		p.keys = append(p.keys, k)
	}
	if i, ok := p.keyIndex[alignmentKey]; ok {
		k := &p.keys[i]
		if k.Kind != Uint32 {
			return fmt.Errorf("key %q is %s, want u32", alignmentKey, k.TypeString())
		}
		p.alignment = uint64(binary.LittleEndian.Uint32(k.raw))
		if bits.OnesCount64(p.alignment) != 1 {
			return fmt.Errorf("key %q is %d, want a power of two", alignmentKey, p.alignment)
		}
	}
	return nil
}

func (p *parsed) parseTensors(c *cursor, n uint64) error {
	room := min(n, maxRoom)
	p.tensors = make([]Tensor, 0, room)
	seen := make(map[string]bool, room)
	var sum uint64 // bytes from the data start to the next tensor
	for i := range n {
		t, rel, err := c.tensor(i, n)
		if err != nil {
			return err
		}
		if seen[t.Name] {
			return fmt.Errorf("tensor %q appears twice", t.Name)
		}
		seen[t.Name] = true
		if rel != sum {
			return fmt.Errorf("tensor %q: offset is %d, want %d (the padded sizes of the tensors before it)", t.Name, rel, sum)
		}
		t.Offset = rel
		padded, ok := alignUp(t.Size, p.alignment)
		if !ok || sum+padded > maxBytes {
			return fmt.Errorf("tensor %q: %d bytes at %d are beyond any file", t.Name, t.Size, rel)
		}
		sum += padded
		p.tensors = append(p.tensors, t)
	}
	p.headerEnd = c.off
	if n == 0 {
		return nil
	}
	start, ok := alignUp(c.off, p.alignment)
	if !ok || start+sum > maxBytes {
		return fmt.Errorf("tensor data of %d bytes is beyond any file", sum)
	}
	p.dataStart = start
	for i := range p.tensors {
		p.tensors[i].Offset += start
	}
	last := &p.tensors[n-1]
	p.dataEnd = last.Offset + last.Size
	return nil
}

// checkData says whether the tensor data lies within a file of size bytes.
func (p *parsed) checkData(size uint64) error {
	for i := range p.tensors {
		t := &p.tensors[i]
		if t.Offset+t.Size > size {
			return fmt.Errorf("truncated in the data of tensor %q: it ends at byte %d, the file at %d", t.Name, t.Offset+t.Size, size)
		}
	}
	return nil
}

// headerOnly reports whether a file of size bytes stops before any tensor data.
func (p *parsed) headerOnly(size uint64) bool {
	return p.dataEnd > p.dataStart && size <= p.dataStart
}

// alignUp rounds v up to a multiple of a, a power of two; ok is false on overflow.
func alignUp(v, a uint64) (r uint64, ok bool) {
	r = (v + a - 1) &^ (a - 1)
	return r, r >= v && r <= maxBytes
}

// tensorBytes returns the size of a tensor, refusing sizes that cannot exist.
func tensorBytes(t quant.Type, dims []uint64) (uint64, error) {
	info, ok := t.Info()
	if !ok {
		return 0, fmt.Errorf("unknown tensor type id %d", uint32(t))
	}
	if len(dims) == 0 || len(dims) > maxDims {
		return 0, fmt.Errorf("%d dimensions, want 1 to %d", len(dims), maxDims)
	}
	if dims[0]%uint64(info.Elems) != 0 {
		return 0, fmt.Errorf("rows of %d values are not a multiple of the %d-value block of %s", dims[0], info.Elems, info.Name)
	}
	size := dims[0] / uint64(info.Elems)
	for _, d := range append([]uint64{uint64(info.Bytes)}, dims[1:]...) {
		hi, lo := bits.Mul64(size, d)
		if hi != 0 || lo > maxBytes {
			return 0, fmt.Errorf("dimensions %v of %s are beyond any file", dims, info.Name)
		}
		size = lo
	}
	for _, d := range dims {
		if d == 0 {
			return 0, fmt.Errorf("dimensions %v hold no values", dims)
		}
	}
	return size, nil
}
