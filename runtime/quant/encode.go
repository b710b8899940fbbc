package quant

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Encode writes src as blocks of t to dst, which must have exactly the right size. Each
// value becomes the nearest one that the chosen scale offers; scales come from the largest
// magnitude or the range of a group. src must be finite. The error wraps ErrUnsupported when
// t has no encoder.
func (t Type) Encode(dst []byte, src []float32) error {
	info, ok := t.Info()
	if !ok {
		return fmt.Errorf("unknown tensor type id %d", uint32(t))
	}
	if info.encode == nil {
		return fmt.Errorf("%w: blocks of %s cannot be encoded", ErrUnsupported, info.Name)
	}
	if err := info.checkLen(len(src), len(dst)); err != nil {
		return err
	}
	for i, v := range src {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return fmt.Errorf("value %d is %v: only finite values can be encoded as %s", i, v, info.Name)
		}
	}
	for len(src) > 0 {
		info.encode(dst[:info.Bytes], src[:info.Elems])
		dst, src = dst[info.Bytes:], src[info.Elems:]
	}
	return nil
}

func encodeF32(dst []byte, src []float32) {
	binary.LittleEndian.PutUint32(dst, math.Float32bits(src[0]))
}
func encodeF16(dst []byte, src []float32)  { binary.LittleEndian.PutUint16(dst, F32ToF16(src[0])) }
func encodeBF16(dst []byte, src []float32) { binary.LittleEndian.PutUint16(dst, F32ToBF16(src[0])) }

// putHalf stores v as fp16 and returns what a decoder will read back.
func putHalf(b []byte, v float32) float32 {
	h := F32ToF16(v)
	binary.LittleEndian.PutUint16(b, h)
	return F16ToF32(h)
}

// extreme returns the value of largest magnitude, with its sign.
func extreme(src []float32) float32 {
	var e float32
	for _, v := range src {
		if abs32(v) > abs32(e) {
			e = v
		}
	}
	return e
}

func abs32(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }

// nearest returns v/d rounded and kept in [lo, hi]; 0 (kept likewise) when d is 0.
func nearest(v, d float32, lo, hi int) int {
	if d == 0 {
		return max(lo, min(hi, 0))
	}
	return max(lo, min(hi, int(math.RoundToEven(float64(v)/float64(d)))))
}

// nearestIn returns the index of the entry e of table with table[e]*d closest to v.
func nearestIn(table *[16]float32, v, d float32) int {
	best, dist := 0, math.Inf(1)
	for i, e := range table {
		if x := math.Abs(float64(v) - float64(e*d)); x < dist {
			best, dist = i, x
		}
	}
	return best
}
