package kernels

import (
	"encoding/binary"
	"math"
	"testing"

	"dsac/codegen"
	"dsac/ir"
	"dsac/runtime/quant"
)

// whole fills operands with numbers whose products and sums are exact in f16 and f32 alike, so
// that lists must be equal; there are many ties.
func whole(operand string, o codegen.OperandSpec, _ step, r *quant.Rand) []byte {
	if o.DType == "i32" {
		return nil
	}
	b := make([]byte, bytesOf(o))
	size := rowBytes(o) / o.Width()
	for i := 0; i < len(b); i += size {
		x := math.Float32bits(float32(int(r.Uint64()%5) - 2))
		switch o.DType {
		case "f32":
			binary.LittleEndian.PutUint32(b[i:], x)
		case "bf16":
			binary.LittleEndian.PutUint16(b[i:], uint16(x>>16))
		case "f16":
			h := uint16(0)
			if x<<1 != 0 { // 1 or 2: the exponent's bias is 15, not 127
				h = uint16(x>>31<<15) | uint16((x>>23&0xff)-112)<<10
			}
			binary.LittleEndian.PutUint16(b[i:], h)
		}
	}
	return b
}

func TestIndexTopk(t *testing.T) {
	var trials []trial
	for _, c := range []struct {
		rows, heads, dim, ctx, k, scratch int
		kv                                string
		steps                             []step
	}{
		{16, 8, 64, 300, 8, 16, "f16", []step{{16, 0}, {7, 280}}},
		{17, 4, 32, 120, 64, 3, "f16", []step{{17, 0}, {17, 60}, {1, 119}}},
		{5, 3, 128, 63, 16, 5, "bf16", []step{{5, 50}}},
		{2, 8, 64, 40, 64, 2, "f32", []step{{2, 38}}},
		{600, 8, 32, 610, 32, 600, "f16", []step{{9, 600}}},
	} {
		unread := ""
		if c.ctx <= c.k {
			unread = "q w keys"
		}
		trials = append(trials, trial{steps: c.steps, fill: whole, unread: unread, spec: codegen.Spec{
			Op: "index_topk", Rows: c.rows, Context: c.ctx, Attrs: ir.Attrs{{Name: "k", Val: int64(c.k)}, {Name: "scale", Val: 1.0 / 64}},
			Operands: operands(dense(c.rows, c.heads, c.dim), dense(c.rows, c.heads), typed(c.kv, c.ctx, c.dim),
				typed("i32", c.rows, c.k), dense(c.scratch, c.ctx)),
		}})
	}
	check(t, trials)
}
