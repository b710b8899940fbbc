package host

import "dsac/runtime/ref"

const (
	indexTokens = 4   // query rows of one item
	indexKeys   = 512 // keys of one item
)

// indexTopk: see ref/index_topk.go. Query rows are taken in sub-blocks of as many rows as the
// score buffer holds: first all scores of a sub-block, split by rows and keys, then the lists.
func indexTopk(e *engine, c *ref.Call) {
	q, keys, scores := &c.Args[0], &c.Args[2], &c.Args[4]
	x := &e.idx
	*x = newIndex(c, q.Inner(), scores)
	x.k = c.Attrs.Int("k")
	for t0 := 0; t0 < c.N; t0 += scores.Rows {
		x.first, x.count = t0, min(scores.Rows, c.N-t0)
		if c.Pos+t0+x.count > x.k {
			e.scores(c, keys.Cols)
		}
		e.pool.each(c, x.count, x.count*(c.Pos+t0+x.count), selectRow)
	}
}

// scores computes the scores of the sub-block.
func (e *engine) scores(c *ref.Call, d int) {
	x := &e.idx
	longest := c.Pos + x.first + x.count
	x.keyBlocks = (longest + indexKeys - 1) / indexKeys
	tokenBlocks := (x.count + indexTokens - 1) / indexTokens
	e.pool.each(c, tokenBlocks*x.keyBlocks, x.count*longest*x.heads*d, scoreBlock)
}

// index is the parameters of indexTopk and indexScores, for their tasks.
type index struct {
	scores    *ref.Arg // row t-first holds the scores of query row t
	scale     float64
	k         int // rows that see at most k positions need no scores
	heads     int
	panels    int // of lanes heads
	first     int // first row of the sub-block
	count     int // rows of the sub-block
	keyBlocks int
}

func newIndex(c *ref.Call, heads int, scores *ref.Arg) index {
	return index{scores: scores, scale: c.Attrs.Float("scale"), heads: heads, panels: (heads + lanes - 1) / lanes}
}

// scoreBlock computes the scores of up to indexTokens rows and indexKeys keys.
func scoreBlock(e *engine, c *ref.Call, w *worker, item int) {
	x, keys, scores := &e.idx, &c.Args[2], e.idx.scores
	t0 := x.first + item/x.keyBlocks*indexTokens
	t1 := min(t0+indexTokens, x.first+x.count)
	s0 := item % x.keyBlocks * indexKeys
	s1 := min(s0+indexKeys, c.Pos+t1) // row t sees keys up to its own position
	if s0 >= s1 || c.Pos+t1 <= x.k {
		return
	}
	d := keys.Cols
	size := x.panels * d // of one token's panels
	query := asLanes(w.work.F64(0, indexTokens*size*lanes))
	for t := t0; t < t1; t++ {
		indexPanels(c, w, t, x.heads, query[(t-t0)*size:][:size])
	}
	rows := w.work.F64(1, keyBlock*d)
	for s := s0; s < s1; s += keyBlock {
		n := min(keyBlock, s1-s)
		for i := range n {
			keys.Row64(s+i, rows[i*d:][:d])
		}
		for t := t0; t < t1; t++ {
			out := scores.F32[(t-x.first)*scores.Width+s:]
			x.score(c, w, t, rows, query[(t-t0)*size:], out[:min(n, max(0, c.Pos+t+1-s))])
		}
	}
}

// indexPanels lays out the heads of query row t as panels of lanes heads.
func indexPanels(c *ref.Call, w *worker, t, heads int, query [][lanes]float64) {
	q := &c.Args[0]
	d := q.Cols
	clear(query)
	row := w.work.F64(2, d)
	for h := range heads {
		q.Row64(t*heads+h, row)
		panel := query[h/lanes*d:]
		for i, v := range row {
			panel[i][h%lanes] = v
		}
	}
}

// score fills out with the scores of query row t and the decoded keys.
func (x *index) score(c *ref.Call, w *worker, t int, keys []float64, query [][lanes]float64, out []float32) {
	d := c.Args[2].Cols
	weights := c.Args[1].Row(t, w.work.F32(0, x.heads))
	total := w.work.F64(4, keyBlock)
	clear(total)
	for p := range x.panels {
		of := weights[p*lanes : min((p+1)*lanes, x.heads)]
		for s := 0; s < len(out); s += 4 {
			w.sums = [4][lanes]float64{}
			wide(keys[s*d:], d, query[p*d:][:d], &w.sums)
			for i := range w.sums {
				for l, g := range of {
					if v := w.sums[i][l]; v > 0 {
						total[s+i] += float64(float64(g) * v)
					}
				}
			}
		}
	}
	for s := range out {
		out[s] = float32(x.scale * total[s])
	}
}

// selectRow writes the list of one row of the sub-block.
func selectRow(e *engine, c *ref.Call, w *worker, i int) {
	x, sel, scores := &e.idx, &c.Args[3], e.idx.scores
	t := x.first + i
	limit := c.Pos + t + 1
	list := sel.I32[t*sel.Width:][:sel.Width]
	if limit <= x.k {
		n := 0
		for ; n < min(limit, len(list)); n++ {
			list[n] = int32(n)
		}
		for ; n < len(list); n++ {
			list[n] = -1
		}
		return
	}
	selectLargest(scores.F32[i*scores.Width:][:limit], list, x.k, &w.work)
}
