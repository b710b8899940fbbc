package product

// tileShapes are those to choose from, the best for large products first.
var tileShapes = func() (all []tileShape) {
	for _, per := range []int{2, 1} {
		for _, slots := range []int{128, 104, 64, 48, 32} {
			for _, split := range []int{1, 2, 4} {
				all = append(all, tileShape{slots: slots, per: per, warps: 8, split: split, guard: (slots/8 + 1) / 2})
			}
		}
	}
	return all
}()

// sharedLimit is the shared memory of a block of SM120.
const sharedLimit = 101376

// chooseTiles takes the shape with the least cost. A shape whose blocks T does not fill, so that
// its kernel is for one T only, has to be worth it. On SM120, where costs are not measured, long
// chunks of rows have one shape, and so one kernel.
func chooseTiles(j *job) (best tileShape) {
	least, penalty := 0.0, 1.05
	if j.spec.Target.SM >= 120 {
		penalty = 2
	}
	for _, s := range tileShapes {
		s.per, s.bufs = max(1, s.per/len(j.weights)), 3
		t := tiled{j, s}
		if t.shared() > sharedLimit {
			t.bufs = 2
		}
		if t.shared() > sharedLimit {
			continue
		}
		cost := t.cost(j.rows)
		if j.spec.Target.SM >= 120 && j.rows > 128 {
			cost = t.cost(512) + t.cost(2048)/4
		}
		if j.rows%s.slots != 0 {
			cost *= penalty
		}
		if least == 0 || cost < least {
			least, best = cost, t.tileShape
		}
	}
	return best
}

// cost estimates the time of a launch for so many rows of x, in products of a warp's tile with eight rows of x.
// Measured on sm_90, where all that is no product comes on top of the products: operands and the
// loop cost 25 for each part, a piece of x 1.3, and the start and end of a block as much as 6
// parts. With the slower products of SM120 much of that is hidden.
func (t *tiled) cost(rows int) float64 {
	product, other := 1.0, 1.0
	if t.spec.Target.SM >= 120 {
		product, other = 2.6, 0.6
	}
	part := product*float64(t.held()*t.groups()) + other*(25+1.3*float64(ceilDiv(t.slots, t.rowsAtOnce()*t.parts())*t.split))
	waves := ceilDiv(t.rowBlocks()*ceilDiv(rows, t.slots)*t.batch, sms(t.spec.Target))
	return float64(waves) * float64(t.rounds()*2*t.weights[0].chunks()+6) * part
}
