package emu

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"dsac/codegen/ptx"
)

var awkward32 = []uint64{0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x3f800001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
	0x7fc00000, 0x4b800000, 0x4b800001, 0x33800000, 0xb3800000, 0x0c000000, 0x38800000, 0x387fc000, 0x477fe000, 0x477ff000, 0x4f000000, 0xcf000000, 0x3effffff, 0x3f000000, 0x3fc00000}

var awkward16 = []uint64{0, 0x8000, 1, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x3c01, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x1400, 0x3555, 0x6400, 0x2bff}

// exact is the value of a*b+c (or another expression) with big.Float, for finite operands.
func exact(f func(x, y, z *big.Float) *big.Float, x, y, z float64) *big.Float {
	b := func(v float64) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(v) }
	return f(b(x), b(y), b(z))
}

// slowRound rounds an exact value to the nearest of the format by trying both neighbours.
func slowRound(fm format, v *big.Float, mode rounding) uint64 {
	lo, hi := uint32(0), uint32(1<<fm.exp-1)<<fm.man // magnitudes: 0 and infinity
	mag := new(big.Float).Abs(v)
	for hi-lo > 1 {
		mid := lo + (hi-lo)/2
		if new(big.Float).SetFloat64(fm.decode(mid)).Cmp(mag) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	below := new(big.Float).Sub(mag, new(big.Float).SetFloat64(fm.decode(lo)))
	next := fm.decode(hi)
	if math.IsInf(next, 0) {
		next = 2*fm.decode(lo) - fm.decode(lo-1)
	}
	above := new(big.Float).Sub(new(big.Float).SetFloat64(next), mag)
	pick := lo
	switch c := below.Cmp(above); {
	case below.Sign() == 0:
	case mode == nearest && (c > 0 || c == 0 && lo&1 == 1), mode == away && c >= 0, mode == up && v.Sign() > 0, mode == down && v.Sign() < 0:
		pick = hi
	}
	if v.Signbit() {
		pick |= 1 << (fm.exp + fm.man)
	}
	return uint64(pick)
}

func TestRoundingAgainstSlow(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for _, fm := range []format{half, bfloat, single, tfloat32} {
		for range 3000 {
			x := math.Ldexp(rng.NormFloat64(), rng.Intn(60)-30)
			if rng.Intn(4) == 0 { // a tie
				x = (fm.decode(uint32(rng.Intn(1<<14))) + fm.decode(uint32(rng.Intn(1<<14)))) / 2
			}
			for _, r := range []rounding{nearest, zero, down, up, away} {
				want := slowRound(fm, new(big.Float).SetFloat64(x), r)
				if max := uint64(1<<fm.exp-1)<<fm.man - 1; want&^(1<<(fm.exp+fm.man)) >= max {
					continue // overflow rules differ by direction; tested below
				}
				if got := uint64(fm.encode(x, r)); got != want {
					t.Fatalf("format %v mode %d: %g: got %#x, want %#x", fm, r, x, got, want)
				}
			}
		}
	}
	for _, c := range []struct {
		x    float64
		mode rounding
		want uint32
	}{{65520, nearest, 0x7c00}, {65519, nearest, 0x7bff}, {1e9, zero, 0x7bff}, {1e9, up, 0x7c00}, {-1e9, up, 0xfbff}, {-1e9, down, 0xfc00}, {math.NaN(), nearest, 0x7fff}} {
		if got := half.encode(c.x, c.mode); got != c.want {
			t.Errorf("%g mode %d: got %#x, want %#x", c.x, c.mode, got, c.want)
		}
	}
}

type floatCase struct {
	name, code string
	fm         format
	mode       rounding
	expr       func(x, y, z *big.Float) *big.Float
	args       int
}

func addF(x, y, _ *big.Float) *big.Float { return new(big.Float).Add(x, y) }
func subF(x, y, _ *big.Float) *big.Float { return new(big.Float).Sub(x, y) }
func mulF(x, y, _ *big.Float) *big.Float { return new(big.Float).Mul(x, y) }
func fmaF(x, y, z *big.Float) *big.Float {
	return new(big.Float).Add(new(big.Float).Mul(x, y), z)
}

// TestFloatInstructions compares with exact arithmetic rounded once.
func TestFloatInstructions(t *testing.T) {
	out32, out16 := " cvt.u64.u32 %rd30, %r30;", " cvt.u64.u16 %rd30, %h13;"
	var cases []floatCase
	for op, f := range map[string]func(x, y, z *big.Float) *big.Float{"add": addF, "sub": subF, "mul": mulF} {
		for m, r := range map[string]rounding{"rn": nearest, "rz": zero, "rm": down, "rp": up} {
			cases = append(cases, floatCase{op + "." + m + ".f32", op + "." + m + ".f32 %f30, %f20, %f21; mov.b32 %r30, %f30;" + out32, single, r, f, 2})
		}
		cases = append(cases, floatCase{op + ".f16", op + ".rn.f16 %h13, %h10, %h11;" + out16, half, nearest, f, 2},
			floatCase{op + ".bf16", op + ".rn.bf16 %h13, %h10, %h11;" + out16, bfloat, nearest, f, 2})
	}
	for m, r := range map[string]rounding{"rn": nearest, "rz": zero, "rm": down, "rp": up} {
		cases = append(cases, floatCase{"fma." + m + ".f32", "fma." + m + ".f32 %f30, %f20, %f21, %f22; mov.b32 %r30, %f30;" + out32, single, r, fmaF, 3})
	}
	cases = append(cases, floatCase{"fma.f16", "fma.rn.f16 %h13, %h10, %h11, %h12;" + out16, half, nearest, fmaF, 3},
		floatCase{"fma.bf16", "fma.rn.bf16 %h13, %h10, %h11, %h12;" + out16, bfloat, nearest, fmaF, 3},
		floatCase{"fma.f16x2 high", "mov.b32 %r31, {%h0, %h10}; mov.b32 %r32, {%h0, %h11}; mov.b32 %r33, {%h0, %h12}; fma.rn.f16x2 %r30, %r31, %r32, %r33; shr.u32 %r30, %r30, 16;" + out32, half, nearest, fmaF, 3})
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewSource(3))
			awkward := awkward32
			if c.fm.man < 23 {
				awkward = awkward16
			}
			rows := operandRows(rng, awkward, 500)
			for i := range rows[len(awkward)*len(awkward):] { // random, but of near exponents
				row := rows[len(awkward)*len(awkward)+i]
				for j := range row {
					row[j] = uint64(c.fm.encode(math.Ldexp(rng.NormFloat64(), rng.Intn(30)-15), nearest))
				}
			}
			for i, got := range apply(t, c.code, rows) {
				var v [3]float64
				finite := true
				for j := range c.args {
					v[j] = c.fm.decode(uint32(truncate(rows[i][j], 1+c.fm.exp+c.fm.man)))
					finite = finite && v[j]-v[j] == 0
				}
				if !finite {
					continue
				}
				x := exact(c.expr, v[0], v[1], v[2])
				want := slowRound(c.fm, x, c.mode)
				if top := uint64(1<<c.fm.exp-1)<<c.fm.man - 1; want&^(1<<(c.fm.exp+c.fm.man)) >= top || x.Sign() == 0 {
					continue // overflow and the sign of zero have tests of their own
				}
				if got != want {
					t.Fatalf("%v: got %#x, want %#x", v, got, want)
				}
			}
		})
	}
}

// TestFloatEdges lists results that exact arithmetic does not give: signs of zero, infinities,
// NaN, saturation, flushing.
func TestFloatEdges(t *testing.T) {
	const inf, nan, one, sub = 0x7f800000, 0x7fc00000, 0x3f800000, 0x00400000
	for _, c := range []struct {
		code string
		a, b uint64
		want uint64
	}{
		{"add.f32 %f30, %f20, %f21;", one, 0xbf800000, 0},
		{"add.rm.f32 %f30, %f20, %f21;", one, 0xbf800000, 0x80000000},
		{"add.rm.f32 %f30, %f20, %f21;", 0, 0x80000000, 0x80000000},
		{"add.rm.f32 %f30, %f20, %f21;", 0x80000000, 0, 0x80000000},
		{"add.rm.f32 %f30, %f20, %f21;", 0x80000000, 0x80000000, 0x80000000},
		{"add.rm.f32 %f30, %f20, %f21;", 0, 0, 0},
		{"add.rp.f32 %f30, %f20, %f21;", 0, 0x80000000, 0},
		{"sub.rm.f32 %f30, %f20, %f21;", 0, 0, 0x80000000},
		{"sub.rm.f32 %f30, %f20, %f21;", 0, 0x80000000, 0},
		{"fma.rm.f32 %f30, %f20, %f21, 0f00000000;", 0xbf800000, 0, 0x80000000},
		{"fma.rm.f32 %f30, %f20, %f21, 0f3F800000;", one, 0xbf800000, 0x80000000},
		{"fma.rz.f32 %f30, %f20, %f21, 0f3F800000;", one, 0xbf800000, 0},
		{"fma.rm.f32 %f30, %f20, %f21, 0f00000000;", one, 0, 0},
		{"add.f32 %f30, %f20, %f21;", inf, 0xff800000, 0x7fffffff},
		{"add.f32 %f30, %f20, %f21;", nan, one, 0x7fffffff},
		{"add.ftz.f32 %f30, %f20, %f21;", sub, sub, 0},
		{"add.f32 %f30, %f20, %f21;", sub, sub, 0x00800000},
		{"mul.ftz.f32 %f30, %f20, %f21;", 0x00800000, 0x3f000000, 0},
		{"mul.f32 %f30, %f20, %f21;", 0x00800000, 0x3f000000, sub},
		{"add.sat.f32 %f30, %f20, %f21;", one, one, one},
		{"add.sat.f32 %f30, %f20, %f21;", nan, one, 0},
		{"min.f32 %f30, %f20, %f21;", nan, one, one},
		{"min.NaN.f32 %f30, %f20, %f21;", nan, one, 0x7fffffff},
		{"max.f32 %f30, %f20, %f21;", 0x80000000, 0, 0},
		{"min.f32 %f30, %f20, %f21;", 0x80000000, 0, 0x80000000},
		{"div.rn.f32 %f30, %f20, %f21;", one, 0x40400000, 0x3eaaaaab},
		{"div.rn.f32 %f30, %f20, %f21;", one, 0, inf},
		{"sqrt.rn.f32 %f30, %f20;", 0x40000000, 0, 0x3fb504f3},
		{"sqrt.rp.f32 %f30, %f20;", 0x40000000, 0, 0x3fb504f4},
		{"sqrt.rz.f32 %f30, %f20;", 0x40800000, 0, 0x40000000},
		{"rcp.rm.f32 %f30, %f20;", 0x40400000, 0, 0x3eaaaaaa},
		{"rcp.rn.f32 %f30, %f20;", 0x40400000, 0, 0x3eaaaaab},
		{"ex2.approx.f32 %f30, %f20;", 0xff800000, 0, 0},
		{"ex2.approx.ftz.f32 %f30, %f20;", 0xc3000000, 0, 0}, // 2^-128
		{"rsqrt.approx.f32 %f30, %f20;", 0, 0, inf},
		{"rsqrt.approx.f32 %f30, %f20;", 0xbf800000, 0, 0x7fffffff},
		{"abs.f32 %f30, %f20;", 0xbf800000, 0, one},
		{"neg.f32 %f30, %f20;", one, 0, 0xbf800000},
		{"abs.f32 %f30, %f20;", 0xffc12345, 0, 0x7fffffff},
		{"neg.f32 %f30, %f20;", nan, 0, 0x7fffffff},
		{"neg.ftz.f32 %f30, %f20;", sub, 0, 0x80000000},
		{"abs.f32 %f30, %f20;", 0xff800000, 0, inf},
		{"cvt.sat.f32.f32 %f30, %f20;", 0x40000000, 0, one},
		{"cvt.rni.f32.f32 %f30, %f20;", 0x40200000, 0, 0x40000000}, // 2.5
		{"cvt.rpi.f32.f32 %f30, %f20;", 0x40200000, 0, 0x40400000},
		{"cvt.rmi.f32.f32 %f30, %f20;", 0xbf000000, 0, 0xbf800000},
		{"copysign.f32 %f30, %f20, %f21;", 0x80000000, one, 0xbf800000},
	} {
		got := apply(t, c.code+" mov.b32 %r30, %f30; cvt.u64.u32 %rd30, %r30;", [][]uint64{{c.a, c.b, 0, 0}})[0]
		if got != c.want {
			t.Errorf("%s of %#x, %#x: got %#x, want %#x", c.code, c.a, c.b, got, c.want)
		}
	}
}

func TestFMA64(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	var rows [][]uint64
	for range 200 {
		rows = append(rows, []uint64{bits64(rng.NormFloat64()), bits64(rng.NormFloat64()), bits64(rng.NormFloat64()), 0})
	}
	for i, got := range apply(t, "fma.rn.f64 %fd13, %fd10, %fd11, %fd12; mov.b64 %rd30, %fd13;", rows) {
		want, _ := exact(fmaF, f64(rows[i][0]), f64(rows[i][1]), f64(rows[i][2])).Float64()
		if f64(got) != want {
			t.Fatalf("row %d: got %g, want %g", i, f64(got), want)
		}
	}
}

func TestConversions(t *testing.T) {
	r32 := " cvt.u64.u32 %rd30, %r30;"
	h := " cvt.u64.u16 %rd30, %h13;"
	for _, c := range []struct {
		code string
		in   uint64
		want uint64
	}{
		{"cvt.rn.f16.f32 %h13, %f20;" + h, 0x3f801000, 0x3c00}, // 1 + 2^-11: tie to even
		{"cvt.rn.f16.f32 %h13, %f20;" + h, 0x3f801001, 0x3c01},
		{"cvt.rz.f16.f32 %h13, %f20;" + h, 0x3f801fff, 0x3c00},
		{"cvt.rn.f16.f32 %h13, %f20;" + h, 0x477ff000, 0x7c00}, // 65520
		{"cvt.rn.f16.f32 %h13, %f20;" + h, 0x33000000, 0},      // 2^-25: tie to 0
		{"cvt.rn.f16.f32 %h13, %f20;" + h, 0x33000001, 1},
		{"cvt.rn.relu.f16.f32 %h13, %f20;" + h, 0xbf800000, 0},
		{"cvt.rn.bf16.f32 %h13, %f20;" + h, 0x3f808000, 0x3f80},
		{"cvt.rn.bf16.f32 %h13, %f20;" + h, 0x3f818000, 0x3f82},
		{"cvt.f32.f16 %f30, %h10; mov.b32 %r30, %f30;" + r32, 1, 0x33800000},
		{"cvt.f32.f16 %f30, %h10; mov.b32 %r30, %f30;" + r32, 0xfc00, 0xff800000},
		{"cvt.f32.bf16 %f30, %h10; mov.b32 %r30, %f30;" + r32, 0x3f81, 0x3f810000},
		{"cvt.f32.bf16 %f30, %h10; mov.b32 %r30, %f30;" + r32, 0xffff, 0xffff0000},
		{"cvt.f32.f16 %f30, %h10; mov.b32 %r30, %f30;" + r32, 0xfc71, 0x7fffffff},
		{"cvt.ftz.f32.f16 %f30, %h10; mov.b32 %r30, %f30;" + r32, 0x83ff, 0xb87fc000},
		{"neg.f16x2 %r30, %r20;" + r32, 0xfd483c00, 0x7fffbc00},
		{"abs.f16x2 %r30, %r20;" + r32, 0xbc00fe28, 0x3c007fff},
		{"neg.ftz.f16x2 %r30, %r20;" + r32, 0x00017c00, 0x8000fc00},
		{"cvt.rna.tf32.f32 %r30, %f20;" + r32, 0xffc12345, 0xffc12000},
		{"cvt.rn.f32.f64 %f30, %fd10; mov.b32 %r30, %f30;" + r32, ^uint64(0), 0xffffffff},
		{"cvt.rn.f16x2.f32 %r30, %f20, %f21;" + r32, 0x3f800000, 0x3c000000},
		{"cvt.rn.bf16x2.f32 %r30, %f20, %f21;" + r32, 0x3f800000, 0x3f800000},
		{"cvt.rna.tf32.f32 %r30, %f20;" + r32, 0x3f801000, 0x3f802000},
		{"cvt.rni.s32.f32 %r30, %f20;" + r32, 0x40200000, 2},
		{"cvt.rzi.s32.f32 %r30, %f20;" + r32, 0xbfc00000, 0xffffffff},
		{"cvt.rzi.s32.f32 %r30, %f20;" + r32, 0x4f800000, 0x7fffffff},
		{"cvt.rzi.s32.f32 %r30, %f20;" + r32, 0x7fc00000, 0},
		{"cvt.rzi.u32.f32 %r30, %f20;" + r32, 0xbf800000, 0},
		{"cvt.rzi.u64.f32 %rd30, %f20;", 0x7fc00000, 1 << 63},
		{"cvt.rzi.s64.f64 %rd30, %fd10;", bits64(-1.5), ^uint64(0)},
		{"cvt.rzi.u64.f64 %rd30, %fd10;", bits64(0x1.8p63), 3 << 62},
		{"cvt.rni.s8.f32 %r30, %f20;" + r32, 0x43800000, 127},
		{"cvt.rn.f32.s32 %f30, %r20; mov.b32 %r30, %f30;" + r32, 0x01000001, 0x4b800000},
		{"cvt.rn.f32.u64 %f30, %rd20; mov.b32 %r30, %f30;" + r32, 1<<63 + 1<<39 + 1, 0x5f000001},
		{"cvt.rp.f32.s32 %f30, %r20; mov.b32 %r30, %f30;" + r32, 0x01000001, 0x4b800001},
		{"cvt.rn.f32.s32 %f30, %r20; mov.b32 %r30, %f30;" + r32, 0xffffffff, 0xbf800000},
		{"cvt.rn.f64.u64 %fd13, %rd20; mov.b64 %rd30, %fd13;", ^uint64(0), bits64(0x1p64)},
		{"cvt.rn.f16.s32 %h13, %r20;" + h, 2049, 0x6800},
		{"cvt.rn.f32.f64 %f30, %fd10; mov.b32 %r30, %f30;" + r32, bits64(1 + 0x1p-24), 0x3f800000},
		{"cvt.f64.f32 %fd13, %f20; mov.b64 %rd30, %fd13;", 1, bits64(0x1p-149)},
		{"cvt.ftz.f64.f32 %fd13, %f20; mov.b64 %rd30, %fd13;", 1, 0},
	} {
		if got := apply(t, c.code, [][]uint64{{c.in, 0, 0, 0}})[0]; got != c.want {
			t.Errorf("%s of %#x: got %#x, want %#x", c.code, c.in, got, c.want)
		}
	}
}

func TestFunctionsNearDouble(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	for name, f := range map[string]func(float64) float64{
		"ex2.approx.f32": math.Exp2, "rcp.approx.ftz.f32": func(x float64) float64 { return 1 / x },
	} {
		var rows [][]uint64
		for range 100 {
			rows = append(rows, []uint64{bits32(float32(rng.NormFloat64() * 3)), 0, 0, 0})
		}
		for i, got := range apply(t, name+" %f30, %f20; mov.b32 %r30, %f30; cvt.u64.u32 %rd30, %r30;", rows) {
			want := float32(f(float64(f32(rows[i][0]))))
			if d := int64(got) - int64(bits32(want)); d < -1 || d > 1 {
				t.Errorf("%s(%g): got %g, want %g", name, f32(rows[i][0]), f32(got), want)
			}
		}
	}
}

func TestEveryRowCompilesOrIsControl(t *testing.T) {
	for _, r := range ptx.Rows {
		name := r.Pattern
		if r.Effect == ptx.Branch || r.Effect == ptx.Exit || r.Effect == ptx.Barrier {
			continue
		}
		for i := range name {
			if name[i] == ' ' || name[i] == '|' {
				name = name[:i]
				break
			}
		}
		if builders[name] == nil {
			t.Errorf("the emulator has no %s", name)
		}
	}
}
