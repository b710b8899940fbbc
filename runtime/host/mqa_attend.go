package host

import "dsac/runtime/ref"

// mqaAttend: see ref/mqa_attend.go.
func mqaAttend(e *engine, c *ref.Call) {
	e.attend(c, &c.Args[0], &c.Args[1], &c.Args[2], &c.Args[3], &c.Args[4], 0)
}

const (
	headBlock = 8  // heads of one item: every chosen row is decoded once for all of them
	keyBlock  = 64 // latent rows decoded at a time
)

// attention is the operands of attend, for its task.
type attention struct {
	qa, qp, latent, sel, out *ref.Arg
	stat                     *ref.Arg // of parts
	scale                    float64
	blocks                   int // head blocks per token
	parts                    int // of a list, each with an output of its own; 0: no parts
}

// attend runs absorbed attention over the live rows: an item is a token, a part of its list
// and a block of heads.
func (e *engine) attend(c *ref.Call, qa, qp, latent, sel, out *ref.Arg, parts int) {
	heads := qa.Inner()
	a := &e.att
	*a = attention{qa: qa, qp: qp, latent: latent, sel: sel, out: out, stat: a.stat, parts: parts,
		scale: c.Attrs.Float("scale"), blocks: (heads + headBlock - 1) / headBlock}
	cost := c.N * heads * min(sel.Width, c.Len) * (latent.Cols + qa.Cols)
	e.pool.each(c, c.N*max(parts, 1)*a.blocks, cost, attendBlock)
}

// attendBlock computes heads [h0, h0+count) of a token, or of a part of its list, in three
// passes over the chosen rows: scores, softmax, weighted sum. Scores are [head][chosen], so
// that a softmax and the sums of the third pass read them in order.
func attendBlock(e *engine, c *ref.Call, w *worker, item int) {
	a := &e.att
	h0, row := item%a.blocks*headBlock, item/a.blocks // row of [T, parts]
	heads := a.qa.Inner()
	count := min(headBlock, heads-h0)
	if a.parts == 0 {
		list := a.list(row)
		scores := a.scores(w, list, row*heads+h0, count)
		for h := range count {
			ref.Softmax(scores[h*len(list):][:len(list)])
		}
		weigh(a, w, list, scores, row*heads+h0, count)
		return
	}
	t, part := row/a.parts, row%a.parts
	list := a.list(t)
	size := (a.sel.Width + a.parts - 1) / a.parts
	lo := min(part*size, len(list))
	list = list[lo:min(lo+size, len(list))]
	scores := a.scores(w, list, t*heads+h0, count)
	for h := range count {
		weights := scores[h*len(list):][:len(list)]
		top, total := ref.Exponentials(weights)
		for i := range weights {
			weights[i] /= total
		}
		stat := w.work.F32(1, 2)
		stat[0], stat[1] = float32(top), float32(total)
		a.stat.SetPart(row*heads+h0+h, 0, stat)
	}
	weigh(a, w, list, scores, row*heads+h0, count)
}

// list returns the positions that token t attends to.
func (a *attention) list(t int) []int32 {
	list := a.sel.I32[t*a.sel.Width:][:a.sel.Width]
	return list[:ref.Visible(list)]
}

// scores returns the scores of query rows first.. with the rows of list, and zeros for the
// rest of the head block.
func (a *attention) scores(w *worker, list []int32, first, count int) []float64 {
	width, stride := a.latent.Cols, len(list)
	query := queryPanels(a, w, first, count)
	scores := w.work.F64(0, headBlock*a.sel.Width)[:headBlock*stride]
	clear(scores[count*stride:])
	keys := w.work.F64(1, keyBlock*width)
	for s0 := 0; s0 < len(list); s0 += keyBlock {
		n := min(keyBlock, len(list)-s0)
		for i, s := range list[s0 : s0+n] {
			a.latent.Row64(int(s), keys[i*width:][:width])
		}
		for h := 0; h < count; h += lanes {
			panel := query[h/lanes*width:][:width]
			for s := 0; s < n; s += 4 {
				w.sums = [4][lanes]float64{}
				wide(keys[s*width:], width, panel, &w.sums)
				for i := range min(4, n-s) {
					for l := range min(lanes, count-h) {
						scores[(h+l)*stride+s0+s+i] = a.scale * w.sums[i][l]
					}
				}
			}
		}
	}
	return scores
}

// queryPanels lays out rows first.. of qa|qp as panels of lanes heads.
func queryPanels(a *attention, w *worker, first, count int) [][lanes]float64 {
	width := a.latent.Cols
	const panels = (headBlock + lanes - 1) / lanes
	query := asLanes(w.work.F64(3, panels*lanes*width))
	clear(query)
	row := w.work.F64(4, width)
	for h := range count {
		a.qa.Row64(first+h, row[:a.qa.Cols])
		a.qp.Row64(first+h, row[a.qa.Cols:])
		panel := query[h/lanes*width:]
		for d, v := range row {
			panel[d][h%lanes] = v
		}
	}
	return query
}

// weigh writes out[h] = sum over the chosen rows of p[h] * c_s, four heads by lanes elements
// at a time: a panel is lanes elements of keyBlock rows.
func weigh(a *attention, w *worker, list []int32, p []float64, first, count int) {
	rank, stride := a.qa.Cols, len(list)
	blocks := (rank + lanes - 1) / lanes
	values := asLanes(w.work.F64(2, blocks*keyBlock*lanes))
	u := asLanes(w.work.F64(5, headBlock*blocks*lanes))
	clear(u)
	for s0 := 0; s0 < len(list); s0 += keyBlock {
		n := min(keyBlock, len(list)-s0)
		valuePanels(a, w, list[s0:s0+n], values)
		for b := range blocks {
			panel := values[b*keyBlock:][:n]
			for h := 0; h < count; h += 4 {
				for i := range w.sums {
					w.sums[i] = u[(h+i)*blocks+b]
				}
				wide(p[h*stride+s0:], stride, panel, &w.sums)
				for i := range w.sums {
					u[(h+i)*blocks+b] = w.sums[i]
				}
			}
		}
	}
	out := w.work.F32(0, blocks*lanes)
	for h := range count {
		for b, v := range u[h*blocks:][:blocks] {
			for l, e := range v {
				out[b*lanes+l] = float32(e)
			}
		}
		a.out.SetPart(first+h, 0, out[:rank])
	}
}

// valuePanels lays out the latent part of the rows in list: panel b, at values[b*keyBlock],
// holds elements b*lanes.. of every row. Elements past the latent part are not used.
func valuePanels(a *attention, w *worker, list []int32, values [][lanes]float64) {
	row := w.work.F64(4, a.latent.Cols+lanes)
	for i, s := range list {
		a.latent.Row64(int(s), row[:a.latent.Cols])
		for b, r := 0, 0; r < a.qa.Cols; b, r = b+1, r+lanes {
			values[b*keyBlock+i] = [lanes]float64(row[r:])
		}
	}
}
