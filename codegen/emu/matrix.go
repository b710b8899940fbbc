package emu

import (
	"fmt"
	"math"

	"dsac/codegen/ptx"
)

// tensor compiles the tensor-core instructions.
var tensor = map[string]func(*compiler, *ptx.Instr) (step, error){
	"mma": matrixMultiply, "ldmatrix": loadMatrix, "stmatrix": storeMatrix,
}

// whole checks that all 32 lanes execute an .aligned instruction.
func (w *warp) whole(in *ptx.Instr, m uint32) {
	if m != fullMask {
		w.find(AbsentLane, in, lane(m), nil, 0, fmt.Sprintf("executing lanes %#x, all 32 are needed", m))
	}
}

// fragment describes operands of an mma: where lane and register hold which elements.
//
// With g = lane/4 and t = lane%4, register i of A holds rows g (+8 when i is odd) and k from
// t*per (+ half of the tile when i >= 2) on; of B column g and k from t*per (+ half) on; of C
// columns 2t and 2t+1 of row g (+8). per is the number of elements in a register.
type fragment struct {
	k, per int // depth; elements per A and B register
	a      func(x uint64, e int) float64
	b      func(x uint64, e int) float64
}

func fragmentOf(in *ptx.Instr) (f fragment, whole bool, err error) {
	shape := in.Spec.Mods[2]
	if _, err := fmt.Sscanf(shape, "m16n8k%d", &f.k); err != nil {
		return f, false, fmt.Errorf("unknown shape %s", shape)
	}
	types := in.Spec.Types // d, a, b, c
	halfOf := func(x uint64, e int) float64 { return f16(x >> (16 * e)) }
	brain := func(x uint64, e int) float64 { return bf16(x >> (16 * e) & 0xffff) }
	switch types[1] {
	case ptx.F16:
		f.per, f.a, f.b = 2, halfOf, halfOf
	case ptx.BF16:
		f.per, f.a, f.b = 2, brain, brain
	case ptx.TF32: // the low 13 bits are ignored
		read := func(x uint64, _ int) float64 { return float64(f32(x &^ 0x1fff)) }
		f.per, f.a, f.b = 1, read, read
	default:
		byteOf := func(t ptx.Type) func(uint64, int) float64 {
			if t == ptx.S8 {
				return func(x uint64, e int) float64 { return float64(int8(x >> (8 * e))) }
			}
			return func(x uint64, e int) float64 { return float64(uint8(x >> (8 * e))) }
		}
		f.per, f.a, f.b, whole = 4, byteOf(types[1]), byteOf(types[2]), true
	}
	return f, whole, nil
}

// matrixMultiply computes D = A*B + C, 16x8, with products and sums in double: for floats far
// inside 2^-21 of the sum of absolute products, for integers exact (modulo 2^32).
func matrixMultiply(c *compiler, in *ptx.Instr) (step, error) {
	f, whole, err := fragmentOf(in)
	if err != nil {
		return nil, err
	}
	halves := f.k / (4 * f.per) // registers along k
	packed := in.Spec.Types[0] == ptx.F16
	nc := 4
	if packed {
		nc = 2
	}
	var regs [4][]int
	for i, n := range [4]int{nc, 2 * halves, halves, nc} {
		t := ptx.B32
		if regs[i], err = c.elements(&in.Args[i], t, n, i == 0); err != nil {
			return nil, fmt.Errorf("operand %d: %w", i+1, err)
		}
	}
	sat := in.Spec.Has("satfinite")
	return func(w *warp, m uint32) {
		w.whole(in, m)
		var a [16][32]float64
		var b [8][32]float64 // by column
		for l := 0; l < 32; l++ {
			g, t := l/4, l%4
			for i, r := range regs[1] {
				x := w.r[r][l]
				for e := 0; e < f.per; e++ {
					a[g+8*(i&1)][t*f.per+e+f.k/2*(i>>1)] = f.a(x, e)
				}
			}
			for i, r := range regs[2] {
				x := w.r[r][l]
				for e := 0; e < f.per; e++ {
					b[g][t*f.per+e+f.k/2*i] = f.b(x, e)
				}
			}
		}
		for l := 0; l < 32; l++ {
			g, t := l/4, l%4
			var out [4]float64
			for i := range out {
				ra, rb := a[g+8*(i>>1)][:f.k], b[2*t+i&1][:f.k]
				s := 0.0
				for k, x := range ra {
					s += x * rb[k]
				}
				out[i] = s
			}
			if m>>l&1 == 0 {
				continue
			}
			switch {
			case packed:
				for i, r := range regs[0] {
					x := w.r[regs[3][i]][l]
					w.r[r][l] = uint64(half.encode(out[2*i]+f16(x), nearest)) | uint64(half.encode(out[2*i+1]+f16(x>>16), nearest))<<16
				}
			case whole:
				for i, r := range regs[0] {
					v := int64(out[i]) + signExtend(w.r[regs[3][i]][l], 32)
					if sat {
						v = min(max(v, math.MinInt32), math.MaxInt32)
					}
					w.r[r][l] = uint64(uint32(v))
				}
			default:
				for i, r := range regs[0] {
					w.r[r][l] = bits32(float32(out[i] + float64(f32(w.r[regs[3][i]][l]))))
				}
			}
		}
	}, nil
}
