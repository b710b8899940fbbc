package ref

import "math"

// topk lists, in ascending order, the indices of the k largest values of each row; of equal
// values the lower index wins. Operands: x[T,E], idx i32[T,k].
func topk(c *Call) {
	k, idx := c.Attrs.Int("k"), &c.Args[1]
	for t := c.Lo; t < c.Hi; t++ {
		c.largest(c.read(0, t), idx.I32[t*idx.Width:][:idx.Width], k)
	}
}

// largest writes the indices of the k largest values to list, ascending, then -1: k times the
// largest value not taken yet. A NaN counts as minus infinity.
func (c *Call) largest(values []float32, list []int32, k int) {
	k = min(k, len(values), len(list))
	taken := c.Work.I32(0, len(values))
	clear(taken)
	for range k {
		best, at := math.Inf(-1), -1
		for i, v := range values {
			if taken[i] != 0 {
				continue
			}
			if at < 0 || float64(v) > best {
				best, at = float64(v), i
				if v != v {
					best = math.Inf(-1)
				}
			}
		}
		taken[at] = 1
	}
	n := 0
	for i, t := range taken {
		if t != 0 {
			list[n] = int32(i)
			n++
		}
	}
	for ; n < len(list); n++ {
		list[n] = -1
	}
}
