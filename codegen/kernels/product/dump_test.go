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
	_, text := compile(t, tool, g, []trial{{spec: matmul("q4_k", 512, 12288, 6144)}})
	os.WriteFile(out, []byte(text), 0o644)
}
