package host

import "dsac/runtime/ref"

// selectTopk: see ref/select_topk.go.
func selectTopk(e *engine, c *ref.Call) {
	e.pool.each(c, c.N, c.N*c.Len, selectVisible)
}

func selectVisible(_ *engine, c *ref.Call, w *worker, t int) {
	scores, sel := &c.Args[0], &c.Args[1]
	row := scores.Row(t, w.work.F32(0, scores.Cols))
	selectLargest(row[:min(len(row), c.Pos+t+1)], sel.I32[t*sel.Width:][:sel.Width], c.Attrs.Int("k"), &w.work)
}
