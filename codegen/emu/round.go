package emu

import "math"

// rounding is an IEEE rounding direction.
type rounding uint8

const (
	nearest rounding = iota // ties to even
	zero
	down
	up
	away // nearest, ties away from zero
)

var roundingNames = map[string]rounding{
	"rn": nearest, "rz": zero, "rm": down, "rp": up, "rna": away,
	"rni": nearest, "rzi": zero, "rmi": down, "rpi": up,
}

// format is a binary floating-point format of at most 32 bits.
type format struct {
	exp, man int
	nan      uint32 // the NaN that the hardware makes
}

var (
	half     = format{5, 10, 0x7fff}
	bfloat   = format{8, 7, 0x7fff}
	single   = format{8, 23, 0x7fffffff}
	tfloat32 = format{8, 10, 0x3ffff}
)

// encode rounds x to the format. x must be exact, or rounded to odd with at least two bits more.
func (f format) encode(x float64, mode rounding) uint32 {
	if x != x {
		return f.nan
	}
	bits := math.Float64bits(x)
	sign := uint32(bits>>63) << (f.exp + f.man)
	inf := uint32(1<<f.exp-1) << f.man
	e := int(bits>>52&0x7ff) - 1023
	m := bits & (1<<52 - 1)
	switch {
	case e == 1024:
		return sign | inf
	case e == -1023 && m == 0:
		return sign
	case e == -1023: // a subnormal double is far below every format
		e = -1022
	default:
		m |= 1 << 52
	}
	bias := 1<<(f.exp-1) - 1
	shift, low := 52-f.man, 0
	if e < 1-bias {
		low = 1 - bias - e
	}
	shift = min(shift+low, 63)
	q := m >> shift
	rem, mid := m&(1<<shift-1), uint64(1)<<(shift-1)
	inc := false
	switch mode {
	case nearest:
		inc = rem > mid || rem == mid && q&1 == 1
	case away:
		inc = rem >= mid
	case down:
		inc = rem != 0 && sign != 0
	case up:
		inc = rem != 0 && sign == 0
	}
	if inc {
		q++
	}
	out := q
	if low == 0 {
		out += uint64(e+bias-1) << f.man
	}
	if out >= uint64(inf) {
		if mode == zero || mode == down && sign == 0 || mode == up && sign != 0 {
			return sign | (inf - 1)
		}
		return sign | inf
	}
	return sign | uint32(out)
}

// isNaN reports whether the bits, which may have others above the format's, are a NaN.
func (f format) isNaN(b uint64) bool {
	return b&(1<<(f.exp+f.man)-1) > (1<<f.exp-1)<<f.man
}

// decode is the exact value of the bits.
func (f format) decode(b uint32) float64 {
	e := int(b>>f.man) & (1<<f.exp - 1)
	m := b & (1<<f.man - 1)
	bias := 1<<(f.exp-1) - 1
	var x float64
	switch {
	case e == 1<<f.exp-1 && m != 0:
		return math.NaN()
	case e == 1<<f.exp-1:
		x = math.Inf(1)
	case e == 0:
		x = math.Ldexp(float64(m), 1-bias-f.man)
	default:
		x = math.Ldexp(float64(m|1<<f.man), e-bias-f.man)
	}
	if b>>(f.exp+f.man)&1 != 0 {
		x = -x
	}
	return x
}

// halfTable holds every f16 value.
var halfTable = func() *[1 << 16]float32 {
	var t [1 << 16]float32
	for i := range t {
		t[i] = float32(half.decode(uint32(i)))
	}
	return &t
}()

func f16(b uint64) float64  { return float64(halfTable[uint16(b)]) }
func bf16(b uint64) float64 { return float64(math.Float32frombits(uint32(b) << 16)) }
func f32(b uint64) float32  { return math.Float32frombits(uint32(b)) }
func f64(b uint64) float64  { return math.Float64frombits(b) }

// bits32 is the register form of x; every NaN is the hardware's.
func bits32(x float32) uint64 {
	if x != x {
		return uint64(single.nan)
	}
	return uint64(math.Float32bits(x))
}

func bits64(x float64) uint64 { return math.Float64bits(x) }

// sumOdd is p+c rounded to odd: exact when the sum is a double, else the neighbour whose last
// bit is set, so that rounding once more to fewer bits gives the rounding of the exact sum.
func sumOdd(p, c float64) float64 {
	s := p + c
	if math.IsInf(s, 0) || s != s {
		return s
	}
	b := s - p
	err := (p - (s - b)) + (c - b)
	if err == 0 {
		return s
	}
	u := math.Float64bits(s)
	if u&1 == 0 {
		if (err > 0) == (s > 0) {
			u++
		} else {
			u--
		}
	}
	return math.Float64frombits(u)
}

// sumDirected is sumOdd with the sign that direction r gives an exact zero: a sum of two zeros of
// one sign keeps it, any other is -0 when rounding down and +0 otherwise.
func sumDirected(p, c float64, r rounding) float64 {
	s := sumOdd(p, c)
	if s == 0 && r == down && (math.Signbit(p) || math.Signbit(c)) {
		return math.Copysign(0, -1)
	}
	return s
}

// flush32 replaces a subnormal by a zero of its sign.
func flush32(b uint64) uint64 {
	if b&0x7f800000 == 0 {
		return b & 0x80000000
	}
	return b
}

func flush16(b uint64) uint64 {
	if b&0x7c00 == 0 {
		return b & 0x8000
	}
	return b
}

// roundInt rounds x to an integer value.
func roundInt(x float64, mode rounding) float64 {
	switch mode {
	case zero:
		return math.Trunc(x)
	case down:
		return math.Floor(x)
	case up:
		return math.Ceil(x)
	}
	return math.RoundToEven(x)
}
