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
	least, penalty := 0.0, 1.03
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

// cost estimates the time of a launch for so many rows of x, in ns. What a warp does beside products
// adds to their time, as it keeps the registers busy. On sm_90 a part was measured to take 155, 35 less where
// stages are written out, 50 more where a weight has more than one word of codes, 6 for each eight
// rows of x, and 14 for the product of those with a held tile; a block takes as much as 6 parts for its start
// and end, and 4 for every other share of the columns. SM120 has slower products, which hide much of
// the rest.
func (t *tiled) cost(rows int) float64 {
	product, other := 14.0, 1.0
	if t.spec.Target.SM >= 120 {
		product, other = 34, 0.6
	}
	base := 155
	if len(t.weights[0].tiled().each) > 1 {
		base += 50
	}
	if t.weights[0].spread() && t.unroll() == 4 {
		base -= 35
	}
	part := other*float64(base+6*t.groups()) + product*float64(t.held()*t.groups())
	parts := t.rounds()*2*t.weights[0].chunks() + 6 + 4*(t.split-1)
	waves := ceilDiv(t.rowBlocks()*ceilDiv(rows, t.slots)*t.batch, sms(t.spec.Target))
	return float64(waves*parts) * part
}

// unroll is the number of parts of a stage that are written one after the other. Of all four the
// addresses are constants but for a few, which the largest tiles have no registers to keep.
func (t *tiled) unroll() int {
	if t.registers() < 140 {
		return 4
	}
	return 2
}

// early says that of a stage that is written out the operands of each part are made ahead of the
// products with the part before.
func (t *tiled) early() bool {
	registers := t.registers()
	for _, w := range t.weights {
		if w.tiled().half != nil {
			registers += halfRegisters * t.per
		}
	}
	return t.weights[0].spread() && registers < 135
}

// halfRegisters are those for the scales of a half of a unit.
const halfRegisters = 8
