package host

import "dsac/runtime/ref"

// expertDown: see ref/expert_down.go.
func expertDown(e *engine, c *ref.Call) { e.down(c, nil, &c.Args[4]) }

// down multiplies every token-slot pair into an intermediate, then sums the slots of a token
// in slot order.
func (e *engine) down(c *ref.Call, res, out *ref.Arg) {
	slots := c.Args[2].Width
	y := e.scratch(0, c.N, slots, out.Cols)
	e.experts(c, &c.Args[1], nil, &c.Args[2], y)
	e.arg[0], e.arg[1] = *out, ref.Arg{}
	if res != nil {
		e.arg[1] = *res
	}
	e.pool.each(c, c.N, c.N*slots*out.Cols, combineRow)
}

// combineRow sums the slots of token t: out = sum of g*y, then + res.
func combineRow(e *engine, c *ref.Call, w *worker, t int) {
	y, out, res := &e.tmp[0], &e.arg[0], &e.arg[1]
	slots := c.Args[2].Width
	sum := w.work.F64(0, out.Cols)
	clear(sum)
	for i, g := range c.Args[3].Row(t, w.work.F32(0, slots)) {
		for n, v := range y.F32[(t*slots+i)*out.Cols:][:out.Cols] {
			sum[n] += float64(g) * float64(v)
		}
	}
	row := w.work.F32(1, out.Cols)
	for n, v := range sum {
		row[n] = float32(v)
	}
	if len(res.Shape) > 0 {
		for n, r := range res.Row(t, w.work.F32(2, out.Cols)) {
			row[n] += r
		}
	}
	out.SetRow(t, row)
}
