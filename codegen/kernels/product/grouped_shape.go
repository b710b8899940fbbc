package product

import "math"

// groupedShape is how a grouped kernel divides its work. Results do not depend on it.
type groupedShape struct {
	warps  int
	slots  int  // rows of x at a time: a multiple of 8
	per    int  // tiles of each weight that a warp multiplies at once
	turns  int  // times that it does so
	ahead  int  // chunks of weights that are under way to shared memory; 0: the next, to registers
	stride int  // chunks of x between two barriers: 1, 2 or 4
	early  bool // operands of x are loaded early, which takes registers
	blocks int  // of a multiprocessor, which limits registers
	piped  bool // operands are made ahead of time, see pipe
}

// groupedShapes are those to choose from, by the number of weights and what slots they are for.
// With the fewest rows a warp needs few registers for their sums, so that sixteen warps fit; with more
// there are eight, each with as many tiles as its registers hold: they share what it loads of x.
var groupedShapes = []struct {
	weights int
	groupedShape
}{
	{2, groupedShape{slots: 8, warps: 16, per: 1, ahead: 4, stride: 4, early: true, blocks: 1}},
	{2, groupedShape{slots: 24, warps: 8, per: 2, ahead: 4, stride: 4, early: true, blocks: 1}},
	{1, groupedShape{slots: 24, warps: 8, per: 2, ahead: 4, stride: 4, blocks: 2}},
	{2, groupedShape{slots: 80, warps: 8, per: 1, ahead: 0, stride: 4, blocks: 1, piped: true}},
	{1, groupedShape{slots: 80, warps: 8, per: 2, ahead: 0, stride: 4, blocks: 1, piped: true}},
}

// groupedBytes bounds the shared memory of a block, besides the lists.
const groupedBytes = 97 << 10

// choose chooses the shape. Two standard deviations above the mean number of rows of an expert,
// a block goes over its weights only once for nearly all of them. Of the shared memory of a
// multiprocessor a block can have all but the 1024 bytes that each block takes besides its own.
func (g *grouped) choose() {
	mean := float64(g.rows*g.slotsOf) / float64(g.weights[0].count)
	slots := (int(math.Ceil(mean+2*math.Sqrt(mean))) + 7) / 8 * 8
	for _, s := range groupedShapes {
		if s.weights == len(g.weights) {
			g.groupedShape = s.groupedShape
			if slots <= s.slots {
				break
			}
		}
	}
	g.slots = min(slots, g.slots)
	for g.segChunks()%g.stride != 0 {
		g.stride /= 2
	}
	g.fit()
	for g.blocks > 1 && g.blocks*(g.shared()+1024) > g.spec.Target.SharedBlock+1024 {
		g.blocks--
	}
	g.chooseTurns()
}

// fit takes from the shape what does not fit into shared memory.
func (g *grouped) fit() {
	for g.listAt() > groupedBytes {
		switch {
		case g.ahead > 0 && g.chunks() > 1:
			g.ahead, g.early = 0, false
		case g.ahead > 2:
			g.ahead--
		case g.stride > 2:
			g.stride /= 2
		case g.warps > 8:
			g.warps /= 2
		case g.per > 1:
			g.per--
		case g.stride > 1:
			g.stride /= 2
		default:
			g.warps /= 2
		}
	}
}

// chooseTurns makes a warp's stretch of weights as long as some six thousand columns, so that
// finding the pairs and filling the ring cost little beside it; but it leaves enough blocks to
// fill the device evenly.
func (g *grouped) chooseTurns() {
	tiles := ceilDiv(g.weights[0].tiles(), g.warps*g.per)
	g.turns = min(tiles, max(1, 6144/(g.segChunks()*chunkCols)))
	for g.turns > 1 && ceilDiv(tiles, g.turns)*g.weights[0].count < 8*g.blocks*sms(g.spec.Target) {
		g.turns--
	}
}
