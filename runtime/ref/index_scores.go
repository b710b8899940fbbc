package ref

import "math"

// indexScores writes the indexer's score of every position for each query row:
//
//	scores[t][s] = scale * sum over heads i of w[t][i] * max(q[t][i] . keys[s], 0), s <= pos+t
//
// and minus infinity past that; then the largest of each run of TopRun scores. See
// indexTopk.
// Operands: q[T,I,d], w[T,I], keys[C,d], scores f32[T,C+n].
func indexScores(c *Call) {
	for t := c.Lo; t < c.Hi; t++ {
		all := c.fresh(3)
		row, top := CutTops(all, c.Args[2].Rows)
		limit := c.Pos + t + 1
		c.score(t, row[:limit])
		for s := limit; s < len(row); s++ {
			row[s] = float32(math.Inf(-1))
		}
		LargestOfRuns(top, row)
		c.write(3, t, all)
	}
}

// TopRun is the number of neighbouring scores of which index_scores tells the largest.
const TopRun = 8

// CutTops cuts a row of index_scores into its scores and the largest ones of runs.
func CutTops(row []float32, context int) (scores, top []float32) {
	context = min(context, len(row))
	return row[:context], row[context:]
}

// LargestOfRuns sets top[i] to the largest of scores [TopRun*i, TopRun*(i+1)), minus infinity
// where there are none.
func LargestOfRuns(top, scores []float32) {
	for i := range top {
		most := float32(math.Inf(-1))
		for _, x := range scores[min(i*TopRun, len(scores)):min((i+1)*TopRun, len(scores))] {
			if x > most {
				most = x
			}
		}
		top[i] = most
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
