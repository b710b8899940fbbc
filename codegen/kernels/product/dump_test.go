package product

import (
	"os"
	"testing"

	"dsac/codegen"
	"dsac/codegen/llc"
)

func TestDump(t *testing.T) {
	out := os.Getenv("DUMP")
	if out == "" {
		t.Skip("no DUMP")
	}
	tool, _ := llc.Find()
	g, _ := codegen.FindTarget("sm_90")
	var sp codegen.Spec
	switch os.Getenv("WHAT") {
	case "up":
		rows := 63
		sp = codegen.Spec{Op: "expert_gate_up", Rows: rows, Operands: []codegen.OperandSpec{act(rows, 256), mat("q4_k", 8, 40, 256), mat("q4_k", 8, 40, 256), list(rows, 4), act(rows, 4, 40)}}
	default:
		sp = matmul("q4_k", 512, 12288, 6144)
	}
	_, text := compile(t, tool, g, []trial{{spec: sp}})
	os.WriteFile(out, []byte(text), 0o644)
}
