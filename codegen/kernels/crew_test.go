package kernels

import (
	"testing"

	"dsac/codegen"
)

func TestCrew(t *testing.T) {
	for _, c := range []struct {
		target        string
		rows, ctx, k  int
		blocks, block int // of a cluster, threads
	}{
		{"sm_120", 1, 4_096, 2048, 1, 512},
		{"sm_120", 1, 131_072, 2048, 8, 512},
		{"sm_90", 8, 131_072, 2048, 8, 512},
		{"sm_90", 16, 131_072, 2048, 4, 512},
		{"sm_90", 64, 131_072, 2048, 1, 1024},
		{"sm_80", 1, 131_072, 2048, 1, 1024},
		{"sm_120", 1, 200, 64, 1, 32},
		{"sm_120", 1, 131_072, 5000, 1, 1024}, // more than fit the way of descent
	} {
		g, err := codegen.FindTarget(c.target)
		if err != nil {
			t.Fatal(err)
		}
		s := selectSpec(c.rows, c.ctx, c.k)
		s.Target = g
		k, err := Make(&s)
		if err != nil {
			t.Fatal(err)
		}
		if got := max(k.Cluster, 1); got != c.blocks || k.Grid[0] != uint32(c.rows*c.blocks) || k.Threads() != c.block {
			t.Errorf("%s, %d rows of %d, %d chosen: got %d blocks of %d threads in clusters of %d, want clusters of %d, %d threads",
				c.target, c.rows, c.ctx, c.k, k.Grid[0], k.Threads(), got, c.blocks, c.block)
		}
	}
}
