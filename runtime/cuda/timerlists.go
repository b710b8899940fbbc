package cuda

import (
	"encoding/binary"

	"dsac/runtime/plan"
	"dsac/runtime/quant"
)

// lists fills the copies of an index list: in each row distinct numbers, ascending, spread
// over what they index; -1 where there are not enough.
func (s *stageArea) lists(i int) error {
	p, t := &s.parts[i], s.t
	b := &t.d.plan.Bufs[p.buf]
	k := int(b.Shape[max(1, b.Dims)-1])
	if b.Dims < 2 {
		k = 1
	}
	bound := s.bound(p)
	r := quant.NewRand(uint64(i) + 1)
	data := make([]byte, p.each*uint64(p.copies))
	for c := range p.copies {
		list := data[uint64(c)*p.each:][:b.Size]
		for row := range len(list) / (4 * k) {
			spreadList(list[4*k*row:][:4*k], k, bound, r)
		}
	}
	return t.d.drv.write(s.at+p.off, data)
}

// spreadList draws one number out of each of k equal parts of [0, bound).
func spreadList(dst []byte, k, bound int, r *quant.Rand) {
	for j := range k {
		v := int32(-1)
		lo, hi := j*bound/k, (j+1)*bound/k
		switch {
		case bound < k && j < bound:
			v = int32(j)
		case bound >= k:
			v = int32(lo + int(r.Uint64()%uint64(hi-lo)))
		}
		binary.LittleEndian.PutUint32(dst[4*j:], uint32(v))
	}
}

// bound returns what the numbers of a list are below: the rows of the caches if the step that
// reads it has one, else the outermost extent of its weights.
func (s *stageArea) bound(p *part) int {
	pl := s.t.d.plan
	n := 1
	for _, o := range pl.Ops(&pl.Steps[p.step]) {
		b := &pl.Bufs[o.Buf]
		switch pl.Regions[b.Region].Kind {
		case plan.State:
			if b.Role != plan.Control {
				return s.job.Len
			}
		case plan.Const:
			n = max(n, int(b.Shape[0]))
		}
	}
	return n
}
