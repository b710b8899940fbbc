package kernels

import (
	"fmt"
	"testing"

	"dsac/codegen"
	"dsac/codegen/llc"
	"dsac/ir"
)

func TestZZ(t *testing.T) {
	tool, _ := llc.Find()
	_, out := compileTrials(t, tool, []trial{{spec: codegen.Spec{Op: "topk", Operands: operands(dense(5, 32), typed("i32", 5, 1)), Attrs: ir.Attrs{{Name: "k", Val: int64(1)}}, Rows: 5}}})
	fmt.Println(out)
}
