package cuda

import (
	"context"
	"fmt"

	"dsac/runtime/plan"
)

// stageArea is the memory of a job: each buffer, in one or more copies, one after the other.
type stageArea struct {
	t     *Timer
	job   Job
	at    uint64 // one allocation
	size  uint64
	parts []part
	where map[int32]int // buffer -> part
}

// part is a buffer in the area.
type part struct {
	buf    int32
	step   int32  // the first that uses it
	read   bool   // its bytes matter: no step of the job writes them first
	off    uint64 // bytes from the start of the area
	each   uint64 // bytes from one copy to the next
	copies int
}

// address returns where a buffer lies in a round.
func (s *stageArea) address(buf int32, round int) uint64 {
	i, ok := s.where[s.t.d.plan.Root(buf)]
	if !ok {
		return s.t.ctlAt
	}
	p := &s.parts[i]
	view := s.t.d.plan.Bufs[buf].Off - s.t.d.plan.Bufs[p.buf].Off
	return s.at + p.off + uint64(round%p.copies)*p.each + view
}

const (
	areaAlign = 256
	listBytes = 64 << 20 // of copies of an index list, which the host makes up
	leastCold = 600 << 20
)

// stageFor lays out the memory of a job and allocates it.
func (t *Timer) stageFor(j Job, rounds int) (*stageArea, error) {
	s := &stageArea{t: t, job: j, where: map[int32]int{}}
	s.collect()
	free, total, err := t.d.drv.memory()
	if err != nil {
		return nil, err
	}
	var once, cold uint64 // bytes of one copy of everything, and of what is to be cold
	for i := range s.parts {
		once += s.parts[i].each
		if s.cold(i) {
			cold += s.parts[i].each
		}
	}
	if once+reserve > free {
		return nil, fmt.Errorf("%s: it needs %s, free are %s of %s: close the other programs that use this GPU, or leave this case out with --only", t.d.drv.gpu(), mib(once), mib(free), mib(total))
	}
	want := max(leastCold, coldFactor*t.l2())
	for i := range s.parts {
		p := &s.parts[i]
		switch {
		case s.cold(i):
			p.copies = int(min(uint64(rounds), max(1, min(want, (free-reserve-once)/2)/max(1, cold))))
		case s.list(i):
			p.copies = int(min(uint64(rounds), max(1, listBytes/p.each)))
		}
		p.off = s.size
		s.size += p.each * uint64(p.copies)
	}
	s.at, err = t.d.drv.alloc(s.size)
	return s, err
}

// collect finds the buffers of the job's steps.
func (s *stageArea) collect() {
	p := s.t.d.plan
	for l := s.job.First; l < s.job.First+s.job.Count; l++ {
		la := &p.Launches[l]
		for st := la.First; st < la.First+la.Count; st++ {
			for _, o := range p.Ops(&p.Steps[st]) {
				root := p.Root(o.Buf)
				if _, known := s.where[root]; known || p.Bufs[root].Role == plan.Control {
					continue
				}
				s.where[root] = len(s.parts)
				read := o.Effect == plan.R || o.Effect == plan.RW || o.Effect == plan.Acc
				each := (p.Bufs[root].Size + areaAlign - 1) / areaAlign * areaAlign
				s.parts = append(s.parts, part{buf: root, step: st, read: read, each: max(each, areaAlign), copies: 1})
			}
		}
	}
}

// cold says whether a part holds weights or a cache.
func (s *stageArea) cold(i int) bool {
	p := &s.parts[i]
	kind := s.t.d.plan.Regions[s.t.d.plan.Bufs[p.buf].Region].Kind
	return p.read && (kind == plan.Const || kind == plan.State)
}

// list says whether a part is an index list.
func (s *stageArea) list(i int) bool {
	p := &s.parts[i]
	return p.read && !s.cold(i) && s.t.d.plan.Str(s.t.d.plan.Bufs[p.buf].DType) == "i32"
}

// params says whether a part holds the sampler's parameters.
func (s *stageArea) params(i int) bool {
	p := s.t.d.plan
	st := &p.Steps[s.parts[i].step]
	return s.job.Draw != nil && p.Str(st.Op) == opPeaks && p.Ops(st)[1].Buf == s.parts[i].buf
}

// fill gives every part its data. Outputs and scratch are zero.
func (s *stageArea) fill(ctx context.Context) error {
	if err := s.t.setPoint(s.job); err != nil {
		return err
	}
	for i := range s.parts {
		p := &s.parts[i]
		at, bytes := s.at+p.off, p.each*uint64(p.copies)
		var err error
		switch {
		case s.params(i):
			err = s.t.d.drv.write(at, s.job.Draw)
		case s.list(i):
			err = s.lists(i)
		case p.read:
			b := &s.t.d.plan.Bufs[p.buf]
			for c := 0; c < p.copies && err == nil; c++ {
				err = s.t.fill.fill(ctx, s.t.d.plan, b, at+uint64(c)*p.each, p.each)
			}
		default:
			err = s.t.d.drv.fill(at, 0, bytes)
		}
		if err != nil {
			return fmt.Errorf("operand %s: %w", s.t.d.name(p.buf), err)
		}
	}
	return nil
}
