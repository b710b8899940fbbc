package kernels

import (
	"strings"
	"testing"

	"dsac/codegen"
	"dsac/runtime/quant"
)

func TestEmbed(t *testing.T) {
	fill := func(operand string, o codegen.OperandSpec, st step, r *quant.Rand) []byte {
		switch {
		case operand == "ids":
			return i32s(4, 0, 2)
		case o.DType == "mxfp4": // every exponent, the denormal ones among them
			b := make([]byte, bytesOf(o))
			r.Fill(b)
			for i := 0; i < len(b); i += 17 {
				b[i] = byte(i / 17 % 250)
			}
			return b
		}
		return nil
	}
	var trials []trial
	for _, dtype := range strings.Fields(embedTypes) {
		for _, width := range []int{256, 768} {
			trials = append(trials, trial{
				spec: codegen.Spec{Op: "embed", Operands: operands(typed("i32", 3), typed(dtype, 5, width), dense(3, width)), Rows: 3},
				fill: fill, steps: liveRows(3),
			})
		}
	}
	trials = append(trials, trial{
		spec: codegen.Spec{Op: "embed", Operands: operands(typed("i32", 3), typed("q8_0", 5, 96), dense(3, 96)), Rows: 3}, fill: fill,
	})
	check(t, trials)
}
