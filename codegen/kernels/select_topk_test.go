package kernels

import (
	"encoding/binary"
	"math"
	"testing"

	"dsac/codegen"
	"dsac/ir"
	"dsac/runtime/quant"
)

func selectSpec(rows, ctx, k int) codegen.Spec {
	return codegen.Spec{Op: "select_topk", Rows: rows, Context: ctx, Attrs: ir.Attrs{{Name: "k", Val: int64(k)}},
		Operands: operands(dense(rows, ctx), typed("i32", rows, k))}
}

// winners gives every row n large scores, the last of them at its end, and zeros of either
// sign otherwise.
func winners(n int) func(string, codegen.OperandSpec, step, *quant.Rand) []byte {
	return func(operand string, o codegen.OperandSpec, _ step, _ *quant.Rand) []byte {
		b := make([]byte, bytesOf(o))
		for i := range len(b) / 4 {
			x := math.Copysign(0, float64(i%2)-0.5)
			if s := i % o.Width(); (o.Width()-1-s)%(o.Width()/n) == 0 {
				x = 3
			}
			binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(float32(x)))
		}
		return b
	}
}

// hard makes rows with infinities and numbers that are none.
func hard(operand string, o codegen.OperandSpec, _ step, r *quant.Rand) []byte {
	odd := []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0, math.Copysign(0, -1), 1, -1}
	b := make([]byte, bytesOf(o))
	for i := range len(b) / 4 {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(float32(odd[r.Uint64()%uint64(len(odd))])))
	}
	return b
}

func TestSelectTopk(t *testing.T) {
	var trials []trial
	for _, c := range []struct {
		name         string
		rows, ctx, k int
		steps        []step
		fill         func(string, codegen.OperandSpec, step, *quant.Rand) []byte
	}{
		{"small", 3, 100, 8, []step{{3, 0}, {3, 6}, {2, 97}, {1, 99}}, nil},
		{"k_is_the_context", 2, 64, 64, []step{{2, 61}, {1, 63}}, nil},
		{"k_passes_the_context", 2, 50, 64, []step{{2, 47}}, nil},
		{"context_odd", 1, 4001, 257, []step{{1, 255}, {1, 256}, {1, 257}, {1, 4000}}, nil},
		{"many_rows", 17, 300, 16, []step{{17, 283}, {16, 0}}, nil},
		{"infinities", 2, 200, 64, []step{{2, 198}, {1, 100}}, hard},
		{"100_winners_8220_zeros", 1, 8320, 2048, []step{{1, 8319}}, winners(100)},
		{"longer_than_the_registers", 1, 20_000, 512, []step{{1, 19_998}, {1, 8_191}, {1, 8_192}}, nil},
		{"no_room_for_candidates", 1, 9_000, 5_000, []step{{1, 8_998}}, nil},
	} {
		tr := trial{name: c.name, spec: selectSpec(c.rows, c.ctx, c.k), steps: c.steps, fill: c.fill}
		if c.ctx <= c.k {
			tr.unread = "scores"
		}
		trials = append(trials, tr)
	}
	check(t, trials)
}
