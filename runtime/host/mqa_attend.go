package host

import "dsac/runtime/ref"

// mqaAttend: see ref/mqa_attend.go.
func mqaAttend(e *engine, c *ref.Call) {
	e.attend(c, &c.Args[0], &c.Args[1], &c.Args[2], &c.Args[3], &c.Args[4])
}

const (
	headBlock = 8  // heads of one item: every chosen row is decoded once for all of them
	keyBlock  = 32 // latent rows decoded at a time
)

// attention is the operands of attend, for its task.
type attention struct {
	qa, qp, latent, sel, out *ref.Arg
	scale                    float64
	blocks                   int // head blocks per token
}

// attend runs absorbed attention over the live rows: an item is a token and a block of heads.
func (e *engine) attend(c *ref.Call, qa, qp, latent, sel, out *ref.Arg) {
	heads := qa.Inner()
	a := &e.att
	*a = attention{qa: qa, qp: qp, latent: latent, sel: sel, out: out,
		scale: c.Attrs.Float("scale"), blocks: (heads + headBlock - 1) / headBlock}
	cost := c.N * heads * min(sel.Width, c.Len) * (latent.Cols + qa.Cols)
	e.pool.each(c, c.N*a.blocks, cost, attendBlock)
}

// attendBlock computes heads [h0, h0+count) of token t in three passes over the chosen rows:
// scores, softmax, weighted sum. Scores are [head][chosen], so that a softmax and the sums of
// the third pass read them in order.
func attendBlock(e *engine, c *ref.Call, w *worker, item int) {
	a := &e.att
	t, h0 := item/a.blocks, item%a.blocks*headBlock
	heads := a.qa.Inner()
	count := min(headBlock, heads-h0)
	rank, width := a.qa.Cols, a.latent.Cols
	list := a.sel.I32[t*a.sel.Width:][:a.sel.Width]
	list = list[:ref.Visible(list)]

	query := queryPanels(a, w, t*heads+h0, count)
	stride := len(list)
	scores := w.work.F64(0, headBlock*a.sel.Width)[:headBlock*stride]
	clear(scores[count*stride:])
	keys := w.work.F64(1, keyBlock*width+lanes) // the last row is read up to lanes too far
	sums := w.work.F64(2, 4*lanes)
	for s0 := 0; s0 < len(list); s0 += keyBlock {
		n := decodeKeys(a, keys, list[s0:])
		for h := 0; h < count; h += lanes {
			for s := 0; s < n; s += 4 {
				clear(sums)
				wide(width, keys[s*width:], width, query[h*width:], lanes, sums)
				for i := range min(4, n-s) {
					for l := range min(lanes, count-h) {
						scores[(h+l)*stride+s0+s+i] = a.scale * sums[i*lanes+l]
					}
				}
			}
		}
	}
	for h := range count {
		ref.Softmax(scores[h*stride:][:stride])
	}
	weigh(a, w, list, scores, keys, sums, t*heads+h0, count, rank)
}

// queryPanels lays out rows first.. of qa|qp as panels of lanes heads, element by element.
func queryPanels(a *attention, w *worker, first, count int) []float64 {
	width := a.latent.Cols
	query := w.work.F64(3, headBlock*width)
	clear(query)
	row := w.work.F64(4, width)
	for h := range count {
		a.qa.Row64(first+h, row[:a.qa.Cols])
		a.qp.Row64(first+h, row[a.qa.Cols:])
		panel := query[h/lanes*lanes*width:]
		for d, v := range row {
			panel[d*lanes+h%lanes] = v
		}
	}
	return query
}

// decodeKeys decodes up to keyBlock latent rows and returns how many.
func decodeKeys(a *attention, keys []float64, list []int32) int {
	n := min(keyBlock, len(list))
	width := a.latent.Cols
	for i, s := range list[:n] {
		a.latent.Row64(int(s), keys[i*width:][:width])
	}
	return n
}

// weigh writes out[h] = sum over the chosen rows of p[h] * c_s, four heads by lanes elements
// at a time.
func weigh(a *attention, w *worker, list []int32, p, keys, sums []float64, first, count, rank int) {
	width, stride := a.latent.Cols, len(list)
	padded := (rank + lanes - 1) / lanes * lanes
	u := w.work.F64(5, headBlock*padded)
	clear(u)
	for s0 := 0; s0 < len(list); s0 += keyBlock {
		n := decodeKeys(a, keys, list[s0:])
		for h := 0; h < count; h += 4 {
			for r := 0; r < rank; r += lanes {
				for i := range 4 {
					copy(sums[i*lanes:][:lanes], u[(h+i)*padded+r:])
				}
				wide(n, p[h*stride+s0:], stride, keys[r:], width, sums)
				for i := range 4 {
					copy(u[(h+i)*padded+r:][:lanes], sums[i*lanes:])
				}
			}
		}
	}
	out := w.work.F32(0, rank)
	for h := range count {
		for r, v := range u[h*padded:][:rank] {
			out[r] = float32(v)
		}
		a.out.SetRow(first+h, out)
	}
}
