package host

import (
	"math"

	"dsac/runtime/ref"
)

// indexScores: see ref/index_scores.go.
func indexScores(e *engine, c *ref.Call) {
	e.idx = newIndex(c, c.Args[0].Inner(), &c.Args[3])
	e.idx.count = c.N
	e.scores(c, c.Args[2].Cols)
	e.pool.each(c, c.N, c.N*c.Args[3].Cols, hideFuture)
}

// hideFuture makes the scores of positions past row t's own minus infinity,
// and tells the largest of runs.
func hideFuture(_ *engine, c *ref.Call, _ *worker, t int) {
	scores := &c.Args[3]
	row, top := ref.CutTops(scores.F32[t*scores.Width:][:scores.Width], c.Args[2].Rows)
	for s := c.Pos + t + 1; s < len(row); s++ {
		row[s] = float32(math.Inf(-1))
	}
	ref.LargestOfRuns(top, row)
}
