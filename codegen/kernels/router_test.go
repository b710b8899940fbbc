package kernels

import (
	"encoding/binary"
	"math"
	"testing"

	"dsac/codegen"
	"dsac/ir"
	"dsac/runtime/quant"
)

func f32s(xs []float32) []byte {
	var b []byte
	for _, x := range xs {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// coarse makes rows with many equal elements, zeros of both signs, infinities and NaNs.
func coarse(o codegen.OperandSpec, r *quant.Rand, special bool) []byte {
	xs := make([]float32, elems(o.Shape))
	for i := range xs {
		u := r.Uint64()
		xs[i] = float32(int(u%5)-2) / 2
		if u%7 == 0 {
			xs[i] = float32(math.Copysign(0, -1))
		}
		if special && u%31 == 0 {
			xs[i] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}[u/31%3]
		}
	}
	return f32s(xs)
}

func TestTopk(t *testing.T) {
	k := func(n int) ir.Attrs { return ir.Attrs{{Name: "k", Val: int64(n)}} }
	ties := func(operand string, o codegen.OperandSpec, st step, r *quant.Rand) []byte { return coarse(o, r, true) }
	var trials []trial
	for _, c := range []struct{ rows, n, k int }{{1, 256, 8}, {5, 32, 1}, {3, 17, 17}, {2, 33, 5}, {7, 160, 6}, {17, 20, 3}, {2, 1024, 40}} {
		spec := codegen.Spec{Op: "topk", Operands: operands(dense(c.rows, c.n), typed("i32", c.rows, c.k)), Attrs: k(c.k), Rows: c.rows}
		trials = append(trials, trial{spec: spec, steps: liveRows(c.rows)}, trial{name: "ties ", spec: spec, fill: ties})
	}
	check(t, trials)
}

func TestRouter(t *testing.T) {
	attrs := func(k, groups, used, norm int) ir.Attrs {
		return ir.Attrs{}.With("k", int64(k)).With("groups", int64(groups)).With("used", int64(used)).With("norm", int64(norm)).With("scale", 2.5)
	}
	var trials []trial
	for _, c := range []struct {
		rows, experts int
		attrs         ir.Attrs
	}{
		{1, 256, attrs(8, 1, 1, 1)}, {5, 256, attrs(8, 8, 4, 1)}, {3, 16, attrs(4, 1, 1, 0)}, {8, 40, attrs(6, 5, 2, 1)}, {17, 16, attrs(4, 1, 1, 1)},
		{2, 8, attrs(8, 1, 1, 1)}, {3, 12, attrs(5, 4, 1, 1)},
	} {
		k := int(c.attrs.Int("k"))
		spec := codegen.Spec{Op: "router", Operands: operands(dense(c.rows, c.experts), dense(c.experts), typed("i32", c.rows, k), dense(c.rows, k)), Attrs: c.attrs, Rows: c.rows}
		trials = append(trials, trial{spec: spec, steps: liveRows(c.rows)},
			trial{name: "ties ", spec: spec, fill: func(operand string, o codegen.OperandSpec, st step, r *quant.Rand) []byte {
				return coarse(o, r, false)
			}})
	}
	check(t, trials)
}

func TestGates(t *testing.T) {
	fill := func(operand string, o codegen.OperandSpec, st step, r *quant.Rand) []byte {
		if operand != "idx" {
			return nil
		}
		xs := make([]int32, elems(o.Shape))
		for i := range xs {
			xs[i] = int32(r.Uint64() % 16)
		}
		return i32s(xs...)
	}
	norm := ir.Attrs{}.With("norm", int64(1)).With("scale", 2.5)
	mask := ir.Attrs{}.With("groups", int64(8)).With("used", int64(3))
	check(t, []trial{
		{spec: codegen.Spec{Op: "gate_weights", Operands: operands(dense(5, 16), typed("i32", 5, 3), dense(5, 3)), Attrs: norm, Rows: 5}, fill: fill, steps: liveRows(5)},
		{spec: codegen.Spec{Op: "gate_weights", Operands: operands(dense(2, 16), typed("i32", 2, 40), dense(2, 40)), Attrs: ir.Attrs{}.With("scale", 0.5), Rows: 2}, fill: fill},
		{spec: codegen.Spec{Op: "group_mask", Operands: operands(dense(5, 64), dense(5, 64)), Attrs: mask, Rows: 5}, steps: liveRows(5)},
		{spec: codegen.Spec{Op: "group_mask", Operands: operands(dense(2, 24), dense(2, 24)), Attrs: mask, Rows: 2}},
	})
}
