package quant

import (
	"encoding/binary"
	"math"
)

// Random blocks, one function per type; d is the value of the scale field, before jitter.
// Scale fields take either sign where the codes are not centred on 0, so that no mean builds
// up; types with a minimum get one that centres the codes on average.

// jitter returns d times a factor in [0.75, 1.25); half of the time negated when signed.
func (r *Rand) jitter(d float32, signed bool) float32 {
	u := r.Uint64()
	d *= 0.75 + float32(u>>40)*(0.5/(1<<24))
	if signed && u&1 != 0 {
		return -d
	}
	return d
}

func randomF32(dst []byte, r *Rand, d float32) {
	binary.LittleEndian.PutUint32(dst, math.Float32bits(r.Normal()*d))
}
func randomF16(dst []byte, r *Rand, d float32) {
	binary.LittleEndian.PutUint16(dst, F32ToF16(r.Normal()*d))
}
func randomBF16(dst []byte, r *Rand, d float32) {
	binary.LittleEndian.PutUint16(dst, F32ToBF16(r.Normal()*d))
}

// randomCodes fills the block and sets the half at its start to d with jitter and sign.
func randomCodes(dst []byte, r *Rand, d float32) {
	r.Fill(dst)
	putHalf(dst, r.jitter(d, true))
}

func randomQ4_0(dst []byte, r *Rand, d float32)  { randomCodes(dst, r, d) }
func randomQ5_0(dst []byte, r *Rand, d float32)  { randomCodes(dst, r, d) }
func randomQ8_0(dst []byte, r *Rand, d float32)  { randomCodes(dst, r, d) }
func randomIQ4NL(dst []byte, r *Rand, d float32) { randomCodes(dst, r, d) }

func randomQ4_1(dst []byte, r *Rand, d float32) { randomRange(dst, r, d, 7.5) }
func randomQ5_1(dst []byte, r *Rand, d float32) { randomRange(dst, r, d, 15.5) }

func randomRange(dst []byte, r *Rand, d float32, mid float32) {
	r.Fill(dst)
	d = putHalf(dst, r.jitter(d, false))
	putHalf(dst[2:], -r.jitter(mid*d, false))
}

// randomMXFP4 picks between the two powers of two around d so that the mean square is d*d.
func randomMXFP4(dst []byte, r *Rand, d float32) {
	r.Fill(dst)
	frac, exp := math.Frexp(float64(d)) // d = frac * 2^exp, 0.5 <= frac < 1
	e := exp + 127                      // mxScale(e) = 2^(exp-1) <= d
	if p := (4*frac*frac - 1) / 3; float64(r.Uint64()>>40)/(1<<24) < p {
		e++
	}
	dst[0] = byte(max(0, min(254, e)))
}

// randomQ2K keeps scales and minima in 8..15 and centres 3/2 scale on the minimum.
func randomQ2K(dst []byte, r *Rand, d float32) {
	r.Fill(dst)
	for k := range 16 {
		dst[k] |= 0x88
	}
	d = putHalf(dst[80:], r.jitter(d, false))
	putHalf(dst[82:], 1.5*d)
}

// randomQ3K leaves the packed scales random: they are symmetric in -32..31.
func randomQ3K(dst []byte, r *Rand, d float32) {
	r.Fill(dst)
	putHalf(dst[108:], r.jitter(d, true))
}

func randomQ4K(dst []byte, r *Rand, d float32) { random45(dst, r, d, 7.5) }
func randomQ5K(dst []byte, r *Rand, d float32) { random45(dst, r, d, 15.5) }

// random45 keeps the 6-bit scales and minima in 32..63: bit 5 of each is set.
func random45(dst []byte, r *Rand, d, mid float32) {
	r.Fill(dst)
	for j := range 4 {
		dst[4+j] |= 0xa0
		dst[8+j] |= 0xa0
	}
	d = putHalf(dst, r.jitter(d, false))
	putHalf(dst[2:], mid*d)
}

// randomQ6K keeps the sixteen int8 scales at 16..47 in magnitude, either sign.
func randomQ6K(dst []byte, r *Rand, d float32) {
	r.Fill(dst)
	for i := range 16 {
		s := int8(16 + dst[192+i]&31)
		if dst[192+i]&64 != 0 {
			s = -s
		}
		dst[192+i] = byte(s)
	}
	putHalf(dst[208:], r.jitter(d, false))
}

func randomQ8K(dst []byte, r *Rand, d float32) {
	r.Fill(dst[:260])
	binary.LittleEndian.PutUint32(dst, math.Float32bits(r.jitter(d, true)))
	for g := range 16 {
		sum := 0
		for _, q := range dst[4+16*g : 20+16*g] {
			sum += int(int8(q))
		}
		binary.LittleEndian.PutUint16(dst[260+2*g:], uint16(sum))
	}
}

func randomIQ4XS(dst []byte, r *Rand, d float32) { randomCodes(dst, r, d) }
