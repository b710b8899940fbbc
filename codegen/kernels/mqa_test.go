package kernels

import (
	"encoding/binary"
	"math"
	"testing"

	"dsac/codegen"
	"dsac/ir"
	"dsac/runtime/plan"
	"dsac/runtime/quant"
)

// lists makes ascending lists of positions that each row may see, -1 after their end; a third
// of the lists are full where the context allows it, some hold one position.
func lists(operand string, o codegen.OperandSpec, st step, r *quant.Rand) []byte {
	if operand != "sel" {
		return nil
	}
	var all []int32
	k := o.Width()
	for t := range o.Shape[0] {
		seen := st.pos + t + 1
		length := min(k, seen)
		switch t % 3 {
		case 1:
			length = 1
		case 2:
			length = 1 + int(r.Uint64()%uint64(length))
		}
		for i, left := 0, length; i < seen && left > 0; i++ {
			if int(r.Uint64()%uint64(seen-i)) < left {
				all = append(all, int32(i))
				left--
			}
		}
		for range k - length {
			all = append(all, -1)
		}
	}
	return i32s(all...)
}

type mqaCase struct {
	rows, heads, rank, rope, ctx, list, splits int
	kv                                         string
	steps                                      []step
}

// inputs are the operands up to the list; the rotated part is a selection of columns.
func (c *mqaCase) inputs() []codegen.OperandSpec {
	return operands(dense(c.rows, c.heads, c.rank), columns(dense(c.rows, c.heads, c.rope+24), 24, c.rope+24),
		typed(c.kv, c.ctx, c.rank+c.rope), typed("i32", c.rows, c.list))
}

func TestMqaPartial(t *testing.T) {
	var trials []trial
	for _, c := range []mqaCase{
		{1, 16, 64, 32, 100, 40, 4, "f16", []step{{1, 0}, {1, 99}}},
		{3, 8, 128, 32, 70, 64, 1, "f16", []step{{3, 60}, {2, 5}}},
		{2, 1, 64, 32, 50, 33, 2, "bf16", []step{{2, 40}}},
		{8, 17, 32, 32, 64, 16, 16, "f32", []step{{8, 50}, {7, 0}}},
		{1, 64, 512, 64, 40, 16, 1, "f16", []step{{1, 39}}},
		{1, 20, 256, 32, 200, 150, 1, "f16", []step{{1, 190}}},
		{1, 16, 512, 64, 90, 64, 1, "f16", []step{{1, 80}}},
		{2, 40, 512, 64, 120, 100, 1, "f16", []step{{2, 110}}},
		{4, 33, 64, 32, 80, 70, 2, "bf16", []step{{4, 70}, {1, 9}}},
	} {
		spec := codegen.Spec{Op: "mqa_partial", Rows: c.rows, Context: c.ctx,
			Attrs:    ir.Attrs{{Name: "scale", Val: 0.0625}, {Name: "splits", Val: int64(c.splits)}},
			Operands: append(c.inputs(), typed("f16", c.rows, c.splits, c.heads, c.rank), dense(c.rows, c.splits, c.heads, 2))}
		trials = append(trials, trial{spec: spec, steps: c.steps, fill: lists})
	}
	check(t, trials)
}

func TestMqaAttend(t *testing.T) {
	var trials []trial
	for _, c := range []mqaCase{
		{16, 4, 64, 32, 100, 40, 0, "f16", []step{{16, 0}, {7, 90}}},
		{17, 17, 32, 32, 70, 33, 0, "f16", []step{{17, 50}}},
		{3, 1, 64, 64, 50, 64, 0, "bf16", []step{{3, 40}}},
		{2, 40, 96, 32, 50, 20, 0, "f32", []step{{2, 40}}},
		{2, 64, 512, 64, 80, 70, 0, "f16", []step{{2, 75}}},
		{63, 8, 32, 32, 200, 96, 0, "f16", []step{{63, 137}}},
		{1, 65, 32, 32, 40, 24, 0, "f16", []step{{1, 39}}},
	} {
		spec := codegen.Spec{Op: "mqa_attend", Rows: c.rows, Context: c.ctx, Attrs: ir.Attrs{{Name: "scale", Val: 0.0625}},
			Operands: append(c.inputs(), dense(c.rows, c.heads, c.rank))}
		trials = append(trials, trial{spec: spec, steps: c.steps, fill: lists})
		spec.Operands = append(c.inputs(), typed("f16", c.rows, c.heads, plan.HalfWidth(c.rank)))
		trials = append(trials, trial{name: "halves ", spec: spec, steps: c.steps, fill: lists},
			trial{name: "large ", spec: spec, steps: c.steps, fill: largeLatents})
	}
	check(t, trials)
}

// largeLatents has caches of magnitudes that rows of half_rows are scaled for.
func largeLatents(operand string, o codegen.OperandSpec, st step, r *quant.Rand) []byte {
	if operand != "latent" || o.DType != "f16" {
		return lists(operand, o, st, r)
	}
	b := make([]byte, bytesOf(o))
	for i := 0; i < len(b); i += 2 {
		binary.LittleEndian.PutUint16(b[i:], quant.F32ToF16(float32(60000*(uniform(r)+0.05))))
	}
	return b
}

func TestMqaCombine(t *testing.T) {
	var trials []trial
	for _, c := range []struct{ rows, parts, heads, rank int }{{1, 64, 4, 512}, {8, 3, 2, 32}, {2, 1, 17, 64}, {3, 33, 1, 96}} {
		trials = append(trials, trial{steps: liveRows(c.rows), spec: codegen.Spec{Op: "mqa_combine", Rows: c.rows,
			Operands: operands(typed("f16", c.rows, c.parts, c.heads, c.rank), dense(c.rows, c.parts, c.heads, 2), dense(c.rows, c.heads, c.rank))}, fill: stats})
	}
	check(t, trials)
}

// stats makes largest scores and sums of parts, of which some are empty.
func stats(operand string, o codegen.OperandSpec, _ step, r *quant.Rand) []byte {
	if operand != "stat" {
		return nil
	}
	b := make([]byte, bytesOf(o))
	for row := 0; row*8 < len(b); row++ {
		top, sum := 20*(uniform(r)-0.5), 1+31*uniform(r)
		if row%5 == 4 && o.Shape[1] > 1 { // never all parts of a head
			top, sum = math.Inf(-1), 0
		}
		binary.LittleEndian.PutUint32(b[8*row:], math.Float32bits(float32(top)))
		binary.LittleEndian.PutUint32(b[8*row+4:], math.Float32bits(float32(sum)))
	}
	return b
}

func uniform(r *quant.Rand) float64 { return float64(r.Uint64()>>11) / (1 << 53) }
