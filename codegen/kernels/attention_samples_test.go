package kernels

import (
	"dsac/codegen"
	"dsac/ir"
	"dsac/ir/ops"
	"dsac/runtime/plan"
)

// attentionSamples are the indexer and attention kernels of GLM-5 at 131,072 positions, for
// steps of one row, 16 and 512, and the indexer's of one row at a million.
func attentionSamples() []codegen.Spec {
	const ctx, heads, rank, rope, k = 131072, 64, 512, 64, 2048
	scale := ir.Attrs{{Name: "scale", Val: 0.0625}}
	top := ir.Attrs{{Name: "k", Val: int64(k)}}
	var list []codegen.Spec
	const far = 1 << 20
	width := ops.ScoreWidth(far)
	list = append(list,
		codegen.Spec{Op: "index_scores", Rows: 1, Context: far, Attrs: scale.With("width", int64(width)),
			Operands: operands(dense(1, 32, 128), dense(1, 32), typed("f16", far, 128), dense(1, width))},
		codegen.Spec{Op: "select_topk", Rows: 1, Context: far, Operands: operands(dense(1, width), typed("i32", 1, k)), Attrs: top})
	for _, rows := range []int{1, 16, 512} {
		index := operands(dense(rows, 32, 128), dense(rows, 32), typed("f16", ctx, 128))
		sel := typed("i32", rows, k)
		attend := operands(dense(rows, heads, rank), columns(dense(rows, heads, 256), 192, 256), typed("f16", ctx, rank+rope), sel)
		if rows > 16 {
			list = append(list,
				codegen.Spec{Op: "index_topk", Rows: rows, Context: ctx, Operands: append(index, sel, dense(512, ctx)), Attrs: append(top, scale...)},
				codegen.Spec{Op: "mqa_attend", Rows: rows, Context: ctx, Operands: append(attend[:4:4], dense(rows, heads, rank)), Attrs: scale},
				codegen.Spec{Op: "mqa_attend", Rows: rows, Context: ctx, Operands: append(attend[:4:4], typed("f16", rows, heads, plan.HalfWidth(rank))), Attrs: scale})
			continue
		}
		parts := max(1, 32/rows)
		part, stat := typed("f16", rows, parts, heads, rank), dense(rows, parts, heads, 2)
		list = append(list,
			codegen.Spec{Op: "index_scores", Rows: rows, Context: ctx, Operands: append(index, dense(rows, ops.ScoreWidth(ctx))), Attrs: scale.With("width", int64(ops.ScoreWidth(ctx)))},
			codegen.Spec{Op: "select_topk", Rows: rows, Context: ctx, Operands: operands(dense(rows, ops.ScoreWidth(ctx)), sel), Attrs: top},
			codegen.Spec{Op: "mqa_partial", Rows: rows, Context: ctx, Operands: append(attend, part, stat), Attrs: scale.With("splits", int64(parts))},
			codegen.Spec{Op: "mqa_combine", Rows: rows, Context: ctx, Operands: operands(part, stat, dense(rows, heads, rank))},
			codegen.Spec{Op: "mqa_values", Rows: rows, Context: ctx, Operands: operands(part, stat, codegen.OperandSpec{DType: "q8_0", Shape: []int{heads, 256, rank}}, dense(rows, heads, 256))})
	}
	return list
}
