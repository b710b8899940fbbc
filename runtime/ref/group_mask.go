package ref

import "math"

// groupMask keeps the values of the best groups of experts and makes the others minus
// infinity: the E values of a row form `groups` equal groups, a group's score is the sum of
// its two largest values, and the `used` best groups stay (ties to the lower group;
// docs/spec/glm-dsa.md section 2.4). Operands: x[T,E], y[T,E].
func groupMask(c *Call) {
	for t := c.Lo; t < c.Hi; t++ {
		y := c.fresh(1)
		copy(y, c.read(0, t))
		c.maskGroups(y)
		c.write(1, t, y)
	}
}

func (c *Call) maskGroups(y []float32) {
	groups, used := c.Attrs.Int("groups"), c.Attrs.Int("used")
	if groups <= 1 || used >= groups {
		return
	}
	size := len(y) / groups
	scores := c.Work.F32(len(c.Args), groups)
	for g := range scores {
		first, second := math.Inf(-1), math.Inf(-1)
		for _, v := range y[g*size:][:size] {
			switch v := float64(v); {
			case v > first:
				first, second = v, first
			case v > second:
				second = v
			}
		}
		scores[g] = float32(first)
		if size > 1 {
			scores[g] = float32(first + second)
		}
	}
	keep := c.Work.I32(1, used)
	c.largest(scores, keep, used)
	next := 0
	for g := range scores {
		if next < used && int(keep[next]) == g {
			next++
			continue
		}
		for i := range y[g*size:][:size] {
			y[g*size+i] = float32(math.Inf(-1))
		}
	}
}
