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

func TestHalfRows(t *testing.T) {
	flat := ir.Attrs{{Name: "flat", Val: int64(1)}}
	var trials []trial
	for _, c := range []struct {
		x     codegen.OperandSpec
		attrs ir.Attrs
	}{
		{dense(3, 6144), nil}, {dense(20, 64), nil}, {dense(2, 16384), flat}, {dense(5, 70), nil}, {dense(17, 3, 33), nil},
		{columns(dense(8, 576), 0, 512), nil}, {columns(dense(3, 4, 100), 1, 68), nil}, {dense(3, 8, 2048), nil}, {dense(9, 4, 192), flat},
	} {
		rows, cols := c.x.Shape[:len(c.x.Shape)-1], c.x.Selected()
		if c.attrs != nil {
			rows, cols = c.x.Shape[:1], elems(c.x.Shape[1:])
		}
		h := typed("f16", append(append([]int(nil), rows...), plan.HalfWidth(cols))...)
		tr := trial{spec: codegen.Spec{Op: "half_rows", Operands: operands(c.x, h), Attrs: c.attrs, Rows: c.x.Shape[0]}, steps: liveRows(c.x.Shape[0])}
		trials = append(trials, tr)
		tr.name, tr.fill = "large ", largeRows
		trials = append(trials, tr)
	}
	check(t, trials)
}

// largeRows has magnitudes from 1 to 2^126 in turn by row, and at the edges of 2^14.
func largeRows(_ string, o codegen.OperandSpec, _ step, r *quant.Rand) []byte {
	if o.DType != "f32" {
		return nil
	}
	b := make([]byte, 4*elems(o.Shape))
	if err := quant.F32.RandomRow(b, r, 1); err != nil {
		panic("BUG: " + err.Error())
	}
	scales := []float32{1, 16383.9, 16384, 1e6, 8.5e37}
	for i := 0; i < len(b); i += 4 {
		x := math.Float32frombits(binary.LittleEndian.Uint32(b[i:]))
		x = max(-1, min(1, x)) * scales[i/4/o.Width()%len(scales)]
		binary.LittleEndian.PutUint32(b[i:], math.Float32bits(x))
	}
	return b
}
