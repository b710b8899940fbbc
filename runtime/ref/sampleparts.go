package ref

import (
	"encoding/binary"

	"dsac/runtime/sample"
)

// Extents of the choice in parts; see runtime/sample.
const (
	SampleBlock   = sample.Block
	SampleBuckets = sample.Buckets
	SampleKept    = sample.Kept
)

// numbers reads an operand of u64.
func (c *Call) numbers(k int) []uint64 {
	ns := make([]uint64, len(c.Args[k].Data)/8)
	for i := range ns {
		ns[i] = binary.LittleEndian.Uint64(c.Args[k].Data[8*i:])
	}
	return ns
}

// setNumbers writes an operand of u64.
func (c *Call) setNumbers(k int, ns []uint64) {
	for i, n := range ns {
		binary.LittleEndian.PutUint64(c.Args[k].Data[8*i:], n)
	}
}
