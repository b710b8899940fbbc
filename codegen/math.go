package codegen

import "math"

// Approximations of the special function unit: about 2 units in the last place, denormals
// count as zero.

// Ex2 returns 2^a.
func (a F32) Ex2() F32 { return a.k.oneF32("ex2.approx.ftz.f32 $0, $1;", a.v) }

// Rcp returns 1/a.
func (a F32) Rcp() F32 { return a.k.oneF32("rcp.approx.ftz.f32 $0, $1;", a.v) }

// Rsqrt returns 1/sqrt(a).
func (a F32) Rsqrt() F32 { return a.k.oneF32("rsqrt.approx.ftz.f32 $0, $1;", a.v) }

// Log2E is log2(e), to turn exp into Ex2.
const Log2E = math.Log2E

// Exp returns e^a within about 3 units in the last place over the whole range: the product
// a*log2(e) is kept in two parts, of which Ex2 takes the large one.
func (a F32) Exp() F32 {
	hi := float32(math.Log2E)
	lo := math.Log2E - float64(hi)
	t := a.Mul(float64(hi))
	rest := a.Fma(float64(hi), t.Neg()).Add(a.Mul(lo)) // what rounding took from t
	e := t.Ex2()
	out := e.Fma(rest.Mul(math.Ln2), e)
	// Past the ends the rest means nothing: 0 and infinity are the values of e itself.
	return Select(t.Abs().Lt(126), out, e)
}

// Sigmoid returns 1/(1 + e^-a) within about 3 units in the last place.
func (a F32) Sigmoid() F32 {
	return a.k.F32(1).Div(a.Neg().Exp().Add(1))
}

// SinCos returns sine and cosine of an angle in turns, a fraction of 2^64: products with a
// position wrap where full turns do, so the angle is exact however large the position.
// The absolute error is below 1.2e-7.
func (a I64) SinCos() (sin, cos F32) {
	// The nearest quarter turn q, and the rest: an eighth of a turn at most to either side.
	q := a.Add(1 << 61).Shr(62)
	rest := a.Sub(q.Shl(62)).High()
	x := rest.F32().Mul(2 * math.Pi / (1 << 32))
	z := x.Mul(x)
	s := z.Fma(1.0/362880, -1.0/5040).Fma(z, 1.0/120).Fma(z, -1.0/6).Mul(z).Fma(x, x)
	c := z.Fma(1.0/40320, -1.0/720).Fma(z, 1.0/24).Fma(z, -0.5).Fma(z, 1)
	quarter := q.I32()
	odd := quarter.And(1).Ne(0)
	sin, cos = Select(odd, c, s), Select(odd, s, c)
	sin = sin.Bits().Xor(quarter.And(2).Shl(30)).AsF32()
	cos = cos.Bits().Xor(quarter.Add(1).And(2).Shl(30)).AsF32()
	return sin, cos
}
