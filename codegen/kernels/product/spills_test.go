package product

import (
	"os"
	"testing"

	"dsac/codegen"
	"dsac/codegen/llc"
	"dsac/runtime/quant/repack"
)

// TestNoSpills assembles the kernels of many rows for every type of weights, at the shapes of
// small models: a loop that runs once is another text than that of a large model. For sm_90 as
// well when DSAC_ALL_TARGETS is set.
func TestNoSpills(t *testing.T) {
	if _, err := findPtxas(); err != nil {
		t.Skip(err)
	}
	tool, err := llc.Find()
	if err != nil {
		t.Skip(err)
	}
	var trials []trial
	for i := range formats {
		dtype := formats[i].Type.String()
		narrow := 64 // columns that a type has in its smallest models
		if l, err := repack.For(formats[i].Type); err == nil && l.UnitCols == 256 {
			narrow = 256
		}
		trials = append(trials, trial{spec: up(dtype, 16, 4, 8, 64, 256)}, trial{spec: up(dtype, 512, 4, 8, 64, 256)},
			trial{spec: down(dtype, 512, 4, 8, 256, narrow)}, trial{spec: matmul(dtype, 128, 96, 256)})
	}
	targets := []string{"sm_120"}
	if os.Getenv("DSAC_ALL_TARGETS") != "" {
		targets = append(targets, "sm_90")
	}
	for _, name := range targets {
		t.Run(name, func(t *testing.T) {
			g, err := codegen.FindTarget(name)
			if err != nil {
				t.Fatal(err)
			}
			_, text, _ := compile(t, tool, g, trials)
			assemble(t, text, g)
		})
	}
}
