package kernels

import (
	"testing"

	"dsac/codegen"
	"dsac/ir"
	"dsac/runtime/quant"
)

func TestMove(t *testing.T) {
	slice := func(off, cols int) ir.Attrs {
		return ir.Attrs{{Name: "cols", Val: int64(cols)}, {Name: "off", Val: int64(off)}}
	}
	check(t, []trial{
		{spec: codegen.Spec{Op: "copy", Operands: operands(typed("i32", 3, 70), typed("i32", 3, 70)), Rows: 3}, steps: liveRows(3),
			fill: func(operand string, o codegen.OperandSpec, st step, r *quant.Rand) []byte {
				b := make([]byte, bytesOf(o)) // NaNs with payloads among them
				r.Fill(b)
				return b
			}},
		{spec: codegen.Spec{Op: "copy", Operands: operands(dense(3, 70), dense(3, 70)), Rows: 3}, steps: liveRows(3)},
		{spec: codegen.Spec{Op: "copy", Operands: operands(dense(2, 3, 5), dense(2, 3, 5)), Rows: 2}, steps: liveRows(2)},
		{spec: codegen.Spec{Op: "slice", Operands: operands(dense(3, 70), dense(3, 17)), Attrs: slice(3, 17), Rows: 3}, steps: liveRows(3)},
		{spec: codegen.Spec{Op: "slice", Operands: operands(dense(2, 4, 256), dense(2, 4, 64)), Attrs: slice(192, 64), Rows: 2}, steps: liveRows(2)},
		{spec: codegen.Spec{Op: "concat", Operands: operands(columns(dense(8, 576), 0, 512), columns(dense(8, 576), 512, 576), dense(8, 576)), Rows: 8}, steps: liveRows(8)},
		{spec: codegen.Spec{Op: "concat", Operands: operands(dense(3, 5), dense(3, 6), dense(3, 11)), Rows: 3}, steps: liveRows(3)},
		{spec: codegen.Spec{Op: "take_rows", Operands: operands(dense(7, 1030), dense(1, 1030)), Rows: 7}, steps: liveRows(7)},
		{spec: codegen.Spec{Op: "take_rows", Operands: operands(dense(7, 33), dense(7, 33)), Rows: 7}, steps: liveRows(7)},
	})
}

func TestAppend(t *testing.T) {
	steps := []step{{n: 3, pos: 0}, {n: 1, pos: 6}, {n: 2, pos: 18}}
	var trials []trial
	for _, dtype := range []string{"f32", "f16", "bf16"} {
		trials = append(trials,
			trial{spec: codegen.Spec{Op: "append", Operands: operands(dense(3, 128), typed(dtype, 20, 128)), Rows: 3}, steps: steps[:2]},
			trial{spec: codegen.Spec{Op: "append", Operands: operands(dense(3, 7), typed(dtype, 20, 7)), Rows: 3}, steps: steps},
			trial{spec: codegen.Spec{Op: "append2", Operands: operands(columns(dense(3, 600), 0, 512), dense(3, 64), typed(dtype, 20, 576)), Rows: 3}, steps: steps},
			trial{spec: codegen.Spec{Op: "append2", Operands: operands(dense(3, 6), dense(3, 3), typed(dtype, 20, 9)), Rows: 3}, steps: steps},
		)
	}
	check(t, trials)
}

func TestAdvance(t *testing.T) {
	check(t, []trial{{
		spec: codegen.Spec{Op: "advance", Operands: operands(typed("u8", 64), typed("i32", 1)), Rows: 8},
		fill: controlFill, steps: []step{{n: 8, pos: 5}, {n: 1}},
	}})
}

func controlFill(operand string, o codegen.OperandSpec, st step, r *quant.Rand) []byte {
	b := control(st)
	copy(b[40:], i32s(77))
	return b
}
