package quant

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Rand is a small, fast generator (splitmix64). Its sequence is part of what makes synthetic
// files reproducible, so it never changes.
type Rand struct{ state uint64 }

// NewRand returns a generator whose sequence depends on seed only.
func NewRand(seed uint64) *Rand { return &Rand{seed} }

// Uint64 returns the next 64 bits.
func (r *Rand) Uint64() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Fill overwrites b with random bytes.
func (r *Rand) Fill(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		binary.LittleEndian.PutUint64(b, r.Uint64())
	}
	if len(b) > 0 {
		var last [8]byte
		binary.LittleEndian.PutUint64(last[:], r.Uint64())
		copy(b, last[:])
	}
}

// Normal returns a value of mean 0 and standard deviation 1, at most 3.5 in magnitude: the
// sum of four uniform 16-bit numbers, which is near enough to normal and always finite.
func (r *Rand) Normal() float32 {
	u := r.Uint64()
	sum := int32(u&0xffff) + int32(u>>16&0xffff) + int32(u>>32&0xffff) + int32(u>>48)
	const unit = 1.0 / 37837.2 // 65536 * sqrt(4/12)
	return (float32(sum) - 131070) * unit
}

// RandomRow fills dst, whole blocks of t, with random blocks whose decoded values are finite
// and have mean 0 and a standard deviation of about scale. All codes and most scale patterns
// occur. The error wraps ErrUnsupported when t has no decoder.
func (t Type) RandomRow(dst []byte, r *Rand, scale float64) error {
	info, ok := t.Info()
	switch {
	case !ok:
		return fmt.Errorf("unknown tensor type id %d", uint32(t))
	case info.randomise == nil:
		return fmt.Errorf("%w: no random blocks of %s", ErrUnsupported, info.Name)
	case len(dst)%info.Bytes != 0:
		return fmt.Errorf("%s: %d bytes are not whole blocks of %d", info.Name, len(dst), info.Bytes)
	case math.IsNaN(scale) || scale < 0 || scale/info.randomUnit > 30000:
		return fmt.Errorf("%s: scale %v is out of range", info.Name, scale)
	}
	unit := float32(scale / info.randomUnit)
	for ; len(dst) > 0; dst = dst[info.Bytes:] {
		info.randomise(dst[:info.Bytes], r, unit)
	}
	return nil
}
