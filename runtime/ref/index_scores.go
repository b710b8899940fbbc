package ref

import "math"

// indexScores writes the indexer's score of every position for each query row:
//
//	scores[t][s] = scale * sum over heads i of w[t][i] * max(q[t][i] . keys[s], 0), s <= pos+t
//
// and minus infinity past that. See indexTopk.
// Operands: q[T,I,d], w[T,I], keys[C,d], scores f32[T,C].
func indexScores(c *Call) {
	for t := c.Lo; t < c.Hi; t++ {
		row := c.fresh(3)
		limit := c.Pos + t + 1
		c.score(t, row[:limit])
		for s := limit; s < len(row); s++ {
			row[s] = float32(math.Inf(-1))
		}
		c.write(3, t, row)
	}
}

// score fills row with the scores of query row t; operands 0 to 2 are q, w and keys.
func (c *Call) score(t int, row []float32) {
	scale, heads := c.Attrs.Float("scale"), c.Args[0].Inner()
	w := c.read(1, t)
	for s := range row {
		key := c.read(2, s)
		var sum float64
		for i := range heads {
			if d := dot(c.read(0, t*heads+i), key); d > 0 {
				sum += float64(float64(w[i]) * d)
			}
		}
		row[s] = float32(scale * sum)
	}
}
