package main

import (
	"math"
	"math/rand"
)

// out32, out16 widen a result to %rd30.
const (
	out32 = "; cvt.u64.u32 %rd30, %r30"
	outF  = "; mov.b32 %r30, %f30; cvt.u64.u32 %rd30, %r30"
	out16 = "; cvt.u64.u16 %rd30, %h13"
	outP  = "; selp.b64 %rd30, 1, 0, %p1"
)

func list(tol tolerance, suffix string, codes ...string) []probe {
	var out []probe
	for _, c := range codes {
		name := c
		for i := range c {
			if c[i] == ' ' {
				name = c[:i]
				break
			}
		}
		out = append(out, probe{name, c + suffix, tol})
	}
	return out
}

func join(lists ...[]probe) (out []probe) {
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

var groups = []group{
	{"p_int", join(
		list(exact, out32, "mul.hi.s32 %r30, %r20, %r21", "mul.hi.u32 %r30, %r20, %r21", "mad.hi.s32 %r30, %r20, %r21, %r22", "add.sat.s32 %r30, %r20, %r21", "sub.sat.s32 %r30, %r20, %r21",
			"min.s32 %r30, %r20, %r21", "abs.s32 %r30, %r20", "popc.b32 %r30, %r20", "clz.b32 %r30, %r20", "brev.b32 %r30, %r20", "bfind.s32 %r30, %r20", "bfind.shiftamt.u32 %r30, %r20",
			"sad.s32 %r30, %r20, %r21, %r22", "bfind.u64 %r30, %rd20", "popc.b64 %r30, %rd20", "clz.b64 %r30, %rd20"),
		list(exact, "", "mul.hi.s64 %rd30, %rd20, %rd21", "mul.hi.u64 %rd30, %rd20, %rd21", "mul.wide.s32 %rd30, %r20, %r21", "mad.wide.u32 %rd30, %r20, %r21, %rd22", "brev.b64 %rd30, %rd20"),
		list(exact, "", "or.b32 %r25, %r21, 1; div.s32 %r30, %r20, %r25; rem.s32 %r31, %r20, %r25; mov.b64 %rd30, {%r30, %r31}", "or.b64 %rd25, %rd21, 1; div.u64 %rd30, %rd20, %rd25", "or.b64 %rd25, %rd21, 1; rem.s64 %rd30, %rd20, %rd25"),
	), ints},
	{"p_bits", join(
		list(exact, out32, "prmt.b32 %r30, %r20, %r21, %r22", "prmt.b32.f4e %r30, %r20, %r21, %r22", "prmt.b32.b4e %r30, %r20, %r21, %r22", "prmt.b32.rc8 %r30, %r20, %r21, %r22", "prmt.b32.ecl %r30, %r20, %r21, %r22",
			"prmt.b32.ecr %r30, %r20, %r21, %r22", "prmt.b32.rc16 %r30, %r20, %r21, %r22", "lop3.b32 %r30, %r20, %r21, %r22, 0xEA", "lop3.b32 %r30, %r20, %r21, %r22, 0x1B", "lop3.b32 %r30, %r20, %r21, %r22, 0x96",
			"shf.l.wrap.b32 %r30, %r20, %r21, %r22", "shf.l.clamp.b32 %r30, %r20, %r21, %r22", "shf.r.wrap.b32 %r30, %r20, %r21, %r22", "shf.r.clamp.b32 %r30, %r20, %r21, %r22",
			"bfe.u32 %r30, %r20, %r21, %r22", "bfe.s32 %r30, %r20, %r21, %r22", "bfi.b32 %r30, %r20, %r21, %r22, 7", "bfi.b32 %r30, %r20, %r21, 5, %r22", "shl.b32 %r30, %r20, %r21", "shr.s32 %r30, %r20, %r21", "shr.u32 %r30, %r20, %r21",
			"dp4a.s32.s32 %r30, %r20, %r21, %r22", "dp4a.u32.u32 %r30, %r20, %r21, %r22", "dp4a.s32.u32 %r30, %r20, %r21, %r22", "dp2a.lo.s32.s32 %r30, %r20, %r21, %r22", "dp2a.hi.u32.s32 %r30, %r20, %r21, %r22"),
		list(exact, "", "bfe.s64 %rd30, %rd20, %r21, %r22", "bfe.u64 %rd30, %rd20, %r21, %r22", "bfi.b64 %rd30, %rd20, %rd21, 9, %r22", "shl.b64 %rd30, %rd20, %r21", "shr.s64 %rd30, %rd20, %r21"),
	), ints},
	{"p_float", join(
		list(exact, outF, "add.f32 %f30, %f20, %f21", "add.ftz.f32 %f30, %f20, %f21", "add.rz.f32 %f30, %f20, %f21", "add.rm.f32 %f30, %f20, %f21", "add.rp.f32 %f30, %f20, %f21", "add.sat.f32 %f30, %f20, %f21", "sub.f32 %f30, %f20, %f21",
			"mul.f32 %f30, %f20, %f21", "mul.ftz.f32 %f30, %f20, %f21", "mul.rz.f32 %f30, %f20, %f21", "mul.rp.f32 %f30, %f20, %f21", "fma.rn.f32 %f30, %f20, %f21, %f22", "fma.rn.ftz.f32 %f30, %f20, %f21, %f22", "fma.rz.f32 %f30, %f20, %f21, %f22", "fma.rm.f32 %f30, %f20, %f21, %f22",
			"div.rn.f32 %f30, %f20, %f21", "div.rn.ftz.f32 %f30, %f20, %f21", "min.f32 %f30, %f20, %f21", "max.f32 %f30, %f20, %f21", "max.NaN.f32 %f30, %f20, %f21", "min.ftz.f32 %f30, %f20, %f21", "abs.f32 %f30, %f20", "neg.f32 %f30, %f20", "copysign.f32 %f30, %f20, %f21",
			"sqrt.rn.f32 %f30, %f20", "sqrt.rz.f32 %f30, %f20", "rcp.rn.f32 %f30, %f20", "rcp.rp.f32 %f30, %f20"),
		list(exact, outP, "setp.lt.f32 %p1, %f20, %f21", "setp.gtu.f32 %p1, %f20, %f21", "setp.ne.ftz.f32 %p1, %f20, %f21", "setp.num.f32 %p1, %f20, %f21", "testp.subnormal.f32 %p1, %f20"),
	), floats32},
	{"p_double", list(exact, "; mov.b64 %rd30, %fd13", "add.f64 %fd13, %fd10, %fd11", "mul.f64 %fd13, %fd10, %fd11", "fma.rn.f64 %fd13, %fd10, %fd11, %fd12", "div.rn.f64 %fd13, %fd10, %fd11", "sqrt.rn.f64 %fd13, %fd10", "min.f64 %fd13, %fd10, %fd11"), floats64},
	{"p_approx", join(
		list(ulp2, outF, "ex2.approx.f32 %f30, %f20", "ex2.approx.ftz.f32 %f30, %f20", "rcp.approx.f32 %f30, %f20", "rcp.approx.ftz.f32 %f30, %f20", "rsqrt.approx.f32 %f30, %f20", "rsqrt.approx.ftz.f32 %f30, %f20"),
	), moderate},
	{"p_half", join(
		list(exact, out32, "add.rn.f16x2 %r30, %r20, %r21", "sub.rn.f16x2 %r30, %r20, %r21", "mul.rn.f16x2 %r30, %r20, %r21", "fma.rn.f16x2 %r30, %r20, %r21, %r22", "add.ftz.f16x2 %r30, %r20, %r21", "mul.ftz.f16x2 %r30, %r20, %r21", "fma.rn.ftz.f16x2 %r30, %r20, %r21, %r22", "fma.rn.relu.f16x2 %r30, %r20, %r21, %r22", "add.sat.f16x2 %r30, %r20, %r21",
			"min.f16x2 %r30, %r20, %r21", "max.NaN.f16x2 %r30, %r20, %r21", "neg.f16x2 %r30, %r20", "abs.f16x2 %r30, %r20", "fma.rn.bf16x2 %r30, %r20, %r21, %r22", "add.rn.bf16x2 %r30, %r20, %r21", "mul.rn.bf16x2 %r30, %r20, %r21", "max.bf16x2 %r30, %r20, %r21"),
		list(exact, out16, "add.rn.f16 %h13, %h10, %h11", "fma.rn.f16 %h13, %h10, %h11, %h12", "fma.rn.bf16 %h13, %h10, %h11, %h12"),
		list(exact, outP, "setp.lt.f16 %p1, %h10, %h11", "setp.geu.bf16 %p1, %h10, %h11"),
	), halves},
	{"p_narrow", join(
		list(exact, out16, "cvt.rn.f16.f32 %h13, %f20", "cvt.rz.f16.f32 %h13, %f20", "cvt.rn.ftz.f16.f32 %h13, %f20", "cvt.rn.relu.f16.f32 %h13, %f20", "cvt.rn.bf16.f32 %h13, %f20", "cvt.rz.bf16.f32 %h13, %f20", "cvt.rn.sat.f16.f32 %h13, %f20"),
		list(exact, out32, "cvt.rn.f16x2.f32 %r30, %f20, %f21", "cvt.rz.f16x2.f32 %r30, %f20, %f21", "cvt.rn.bf16x2.f32 %r30, %f20, %f21", "cvt.rn.relu.bf16x2.f32 %r30, %f20, %f21", "cvt.rna.tf32.f32 %r30, %f20"),
		list(exact, outF, "cvt.f32.f16 %f30, %h10", "cvt.f32.bf16 %f30, %h10", "cvt.ftz.f32.f16 %f30, %h10", "cvt.rn.f32.s32 %f30, %r20", "cvt.rz.f32.u32 %f30, %r20", "cvt.rp.f32.s64 %f30, %rd20", "cvt.rn.f32.u64 %f30, %rd20", "cvt.rni.f32.f32 %f30, %f20", "cvt.rzi.f32.f32 %f30, %f20", "cvt.rmi.f32.f32 %f30, %f20", "cvt.rpi.ftz.f32.f32 %f30, %f20", "cvt.sat.f32.f32 %f30, %f20"),
		list(exact, out16, "cvt.rn.f16.s32 %h13, %r20", "cvt.rn.f16.u16 %h13, %h10", "cvt.rni.f16.f16 %h13, %h10"),
		list(exact, out32, "cvt.rni.s32.f32 %r30, %f20", "cvt.rzi.s32.f32 %r30, %f20", "cvt.rmi.s32.f32 %r30, %f20", "cvt.rpi.u32.f32 %r30, %f20", "cvt.rzi.ftz.s32.f32 %r30, %f20", "cvt.rni.s32.f16 %r30, %h10", "cvt.rzi.s32.f64 %r30, %fd10", "cvt.sat.u8.s32 %r30, %r20", "cvt.s32.s8 %r30, %r20"),
		list(exact, "", "cvt.rzi.s64.f32 %rd30, %f20", "cvt.rzi.u64.f32 %rd30, %f20", "cvt.rni.s64.f64 %rd30, %fd10", "cvt.rzi.u64.f64 %rd30, %fd10", "cvt.f64.f32 %fd13, %f20; mov.b64 %rd30, %fd13", "cvt.rn.f64.s64 %fd13, %rd20; mov.b64 %rd30, %fd13", "cvt.rz.f64.u64 %fd13, %rd20; mov.b64 %rd30, %fd13", "cvt.rn.f32.f64 %f30, %fd10; mov.b32 %r30, %f30; cvt.u64.u32 %rd30, %r30"),
	), mixed},
}

func cross(rng *rand.Rand, xs []uint64, random func() uint64) [][3]uint64 {
	var rows [][3]uint64
	for _, x := range xs {
		for _, y := range xs {
			rows = append(rows, [3]uint64{x, y, xs[rng.Intn(len(xs))]})
		}
	}
	for range 256 {
		rows = append(rows, [3]uint64{random(), random(), random()})
	}
	return rows
}

func ints(rng *rand.Rand) [][3]uint64 {
	return cross(rng, []uint64{0, 1, 5, 31, 32, 33, 63, 64, 255, 256, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 32, 1<<63 - 1, 1 << 63, ^uint64(0), 0x3210, 0xfedc},
		func() uint64 { return rng.Uint64() >> rng.Intn(64) })
}

var special32 = []uint64{0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x3f800001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x4b800001, 0x33800000, 0x40200000, 0x3f000000, 0x4f000000, 0xcf000001}

func floats32(rng *rand.Rand) [][3]uint64 {
	return cross(rng, special32, func() uint64 {
		return uint64(math.Float32bits(float32(math.Ldexp(rng.NormFloat64(), rng.Intn(20)-10))))
	})
}

func floats64(rng *rand.Rand) [][3]uint64 {
	xs := []uint64{0, 1 << 63, 1, math.Float64bits(1), math.Float64bits(-1.5), math.Float64bits(math.MaxFloat64), math.Float64bits(0x1p-1022), math.Float64bits(math.Inf(1)), math.Float64bits(math.Inf(-1))}
	return cross(rng, xs, func() uint64 { return math.Float64bits(math.Ldexp(rng.NormFloat64(), rng.Intn(20)-10)) })
}

func moderate(rng *rand.Rand) [][3]uint64 {
	var rows [][3]uint64
	for _, x := range special32 {
		if x&0x7fffffff < 0x42000000 { // ex2 of larger ones says nothing
			rows = append(rows, [3]uint64{x, x, x})
		}
	}
	for range 1000 {
		rows = append(rows, [3]uint64{uint64(math.Float32bits(float32(rng.NormFloat64())))})
	}
	return rows
}

func halves(rng *rand.Rand) [][3]uint64 {
	var xs []uint64
	for _, h := range []uint64{0, 0x8000, 1, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x1400, 0x3555, 0x3f80, 0x7f7f, 0x0080} {
		xs = append(xs, h|h<<16)
	}
	return cross(rng, xs, func() uint64 {
		if rng.Intn(2) == 0 {
			return uint64(rng.Uint32())
		}
		return uint64(rng.Intn(0x2000)+0x3000) | uint64(rng.Intn(0x2000)+0xb000)<<16
	})
}

// mixed are patterns that are awkward as singles, as doubles, as halves or as integers.
func mixed(rng *rand.Rand) [][3]uint64 {
	xs := append([]uint64{0x33000000, 0x33000001, 0x477fe000, 0x477ff000, 0x38800000, 0x387fffff, 0x3f801000, 0x3f803000, 0x3f808000, 0x3f818000, 0x4effffff, 0x5f000000, 0x3c00, 0x7c00, 0x0001, 0x83ff,
		1 << 53, 1<<53 + 1, 1<<63 + 1<<39, 1<<63 + 1<<39 + 1, ^uint64(0), math.Float64bits(2.5), math.Float64bits(-0.5), math.Float64bits(1e300), math.Float64bits(1 + 0x1p-24)}, special32...)
	return cross(rng, xs, func() uint64 { return rng.Uint64() >> rng.Intn(64) })
}
