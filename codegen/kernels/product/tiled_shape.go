package product

// tileShapes are those to choose from, the best for large products first.
var tileShapes = []tileShape{
	{slots: 128, per: 2, warps: 8, split: 1, span: 4},
	{slots: 64, per: 2, warps: 8, split: 1, span: 4},
	{slots: 32, per: 1, warps: 8, split: 2, span: 2},
}

func chooseTiles(j *job) tileShape {
	var s tileShape
	for _, s = range tileShapes {
		s.per = max(1, s.per/len(j.weights))
		t := tiled{j, s}
		if t.rowBlocks()*ceilDiv(j.rows, t.slots)*j.batch*10 >= sms(j.spec.Target)*7 {
			break
		}
	}
	return s
}
