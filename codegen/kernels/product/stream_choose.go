package product

// sharedPerSM is the shared memory of a multiprocessor of the smallest device, in bytes, and
// sharedPerBlock what of it each block costs besides its own.
const (
	sharedPerSM    = 100 << 10
	sharedPerBlock = 1 << 10
)

// choose tries ways to share the work and keeps the one that the model of cost likes best. Only
// where there is no room for all of x it is staged window by window.
func (s *stream) choose() {
	best, whole := 0.0, s.iters
	keep := *s
	consider := func() {
		if c := s.cost(); s.fits() && (best == 0 || c < best) {
			best, keep = c, *s
		}
	}
	for _, s.cluster = range s.clusterSizes() {
		if s.iters = whole / s.cluster; s.iters*s.cluster == whole {
			if s.eachWindow(consider) && s.cluster > 1 {
				break // more blocks would stage less than there is room for
			}
		}
	}
	if best == 0 {
		panic("BUG: no room for a window of " + s.spec.Key())
	}
	*s = keep
	if s.crowded() {
		best, s.shares, s.held = 0, true, 1
		s.eachSplit([]blockShape{halfBlock}, consider)
		*s = keep
	}
}

// eachWindow goes through the ways to stage the columns of a block: at once, or where there is no
// room for that, in as few windows of even size as there is room for.
func (s *stream) eachWindow(visit func()) (room bool) {
	s.eachSplit(s.blockShapes(), func() {
		s.window = s.iters
		for s.held = 1; s.held <= s.mostResident(); s.held++ {
			visit()
			room = room || s.fits()
		}
	})
	if room {
		return true
	}
	s.eachSplit(s.blockShapes(), func() {
		for s.held = 1; s.held <= mostHeld; s.held++ {
			for windows := 2; ; windows++ {
				s.window = ceilDiv(ceilDiv(s.iters, windows), s.split) * s.split
				visit()
				if s.fits() || s.window == s.split {
					break
				}
			}
		}
	})
	return false
}

// crowded says whether the kernels of a launch have more blocks than there are multiprocessors:
// then those would get more than their part of the time that start after others have ended.
func (s *stream) crowded() bool {
	return s.resident() && s.spec.Beside > 0 && s.spec.Beside+s.blocks*s.batch > sms(s.spec.Target)
}

// minBlocks is what the assembler is told of perSM. Where rows are so short that several blocks to
// a multiprocessor gain nothing, threads may have the registers that their loop, unrolled, asks for.
func (s *stream) minBlocks() int {
	if s.batch == 1 && s.cols() <= 512 {
		return 1
	}
	return s.perSM
}

// fits says whether there is shared memory for perSM blocks.
func (s *stream) fits() bool { return s.shared()+sharedPerBlock <= sharedPerSM/s.perSM }

// eachSplit goes through the ways to divide warps.
func (s *stream) eachSplit(shapes []blockShape, visit func()) {
	for _, b := range shapes {
		s.warps, s.perSM = b.warps, b.perSM
		for s.split = 1; s.split <= min(s.warps, s.iters); s.split *= 2 {
			visit()
		}
	}
}

// mostHeld bounds the tiles of a warp: more would hardly spare time.
const mostHeld = 8

// mostResident bounds those of a warp whose block has all of x at once. Where two blocks share a
// multiprocessor one multiplies while the other adds up, and there should be work for both. Types of more words
// lose 1 to 2 % by it, unless sums pass between blocks. Two weights leave no registers for both.
func (s *stream) mostResident() int {
	if s.cluster == 1 && s.weights[0].whole == nil || s.cluster > 1 && len(s.weights) > 1 {
		return 1
	}
	if s.spec.Part || s.batch > 1 || s.segs > 1 || s.perSM > 1 {
		return 1
	}
	return mostHeld
}

type blockShape struct{ warps, perSM int }

// blockShapes are what registers allow: 128 a thread, 255 where a warp has many sums.
func (s *stream) blockShapes() []blockShape {
	switch {
	case len(s.weights)*s.rowGroups() > 2:
		return []blockShape{{8, 1}}
	case s.cluster > 1: // half of them would have too few bytes under way
		return []blockShape{{16, 1}}
	}
	return []blockShape{halfBlock, {16, 1}}
}

// halfBlock leaves room for another block on its multiprocessor.
var halfBlock = blockShape{8, 2}

// Times in ns, as measured or guessed on an H200. They need not be exact: they decide between
// shapes.
const (
	latency      = 1000.0 // of weights
	startTime    = 1500.0 // of a block, x under way
	groupTime    = 200.0  // to add up the sums of warps
	aloneTime    = 150.0  // more of it where no other block works meanwhile
	stageTime    = 900.0  // of a window: latency of x, two barriers
	meetTime     = 400.0  // more of a group where blocks of a cluster give each other sums
	clusterStart = 500.0  // until a cluster has started
	stageRate    = 50.0   // bytes of x in a ns, into one multiprocessor
)

// leastRoom is the part of the multiprocessors that clusters of four surely find: a cluster lies in
// one of the parts that a device is made of, which have some left over (an H200 10 of 11). One
// cluster more than there is room for would take as long as all others. Two are always neighbours.
var leastRoom = [2]int{8, 11}

// cost sets groups and blocks and estimates the time of a launch in ns.
func (s *stream) cost() float64 {
	d, batch := s.spec.Target, s.batch
	if s.typical > 0 {
		batch = s.typical
	}
	s.groups = ceilDiv(s.weights[0].tiles(), s.tiles())
	room := s.perSM * sms(d)
	if s.shares {
		room = sms(d)
	}
	if s.cluster > 2 {
		room = room * leastRoom[0] / leastRoom[1]
	}
	room /= s.cluster
	// Batches may be dead (rows past n): then the blocks of others take their place.
	most := max(1, room/min(batch, 8))
	s.blocks = ceilDiv(s.groups, ceilDiv(s.groups, most))

	bytes := 0
	for _, w := range s.weights {
		bytes += s.quantum * w.layout.UnitBytes
	}
	waves := ceilDiv(s.blocks*batch, room)
	busy := s.blocks * s.cluster * batch
	beside := min(s.perSM, ceilDiv(busy, sms(d)))
	share := rate(d)
	switch {
	case s.cluster == 1 && 2*busy <= sms(d):
		share *= 1.5
	case s.cluster > 2: // multiprocessors that are idle leave some to the others
		share *= 1.1
	}
	iter := max(latency*float64(len(s.weights)), float64(beside*s.warps*bytes)/share)

	x := float64(s.slots * s.iters * s.iterChunks() * chunkCols * f32)
	windows := ceilDiv(s.iters, s.window)
	perWarp := s.iters / s.window * (s.window / s.split)
	perWarp += ceilDiv(s.iters%s.window, s.split)
	if s.resident() {
		perWarp = ceilDiv(s.iters, s.split)
	}
	group := float64(s.held*perWarp)*iter + groupTime
	if beside == 1 {
		group += aloneTime
	}
	start := startTime
	if s.cluster > 1 {
		start += clusterStart
		group += meetTime
	}
	if s.resident() {
		start += float64(beside) * x / stageRate
	} else {
		group += float64(windows)*stageTime + float64(beside)*x/stageRate
	}
	return float64(waves) * (start + float64(ceilDiv(s.groups, s.blocks))*group)
}
