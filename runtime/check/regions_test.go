package check

import (
	"testing"

	"dsac/runtime/plan"
)

// regions is a device with memory of its own, which starts with no sensible value in it. Its
// launches run the references in place.
type regions struct {
	*mirror
	mem [][]byte
	ctl int32
}

func (r *regions) Name() string { return "regions" }

// Step puts what the step may touch in place, poison included, launches it and takes it back.
func (r *regions) Step(s *Step) ([]Finding, error) {
	each := func(f func(region, data []byte)) {
		for i := range s.Pieces {
			p := &s.Pieces[i]
			for _, x := range p.Near {
				f(r.mem[p.Region][p.Off+uint64(x.Lo):], p.Data[x.Lo:x.Hi])
			}
		}
	}
	each(func(region, data []byte) { copy(region, data) })
	if err := r.launch(s.Index); err != nil {
		return nil, err
	}
	each(func(region, data []byte) { copy(data, region) })
	return nil, nil
}

func (r *regions) launch(step int32) error {
	b := &r.plan.Bufs[r.ctl]
	ctl := r.mem[b.Region][b.Off:]
	at := plan.Point{N: int64(le.Uint64(ctl[plan.CtlN:])), Pos: int64(le.Uint64(ctl[plan.CtlPos:])), Len: int64(le.Uint64(ctl[plan.CtlLen:]))}
	s, err := layOutLaunch(r.plan, step, step+1, at, r.ctl)
	if err != nil {
		return err
	}
	for i := range s.Pieces {
		p := &s.Pieces[i]
		p.Data = r.mem[p.Region][p.Off:][:len(p.Data)]
	}
	_, err = r.mirror.Step(s)
	return err
}

func TestDeviceWithMemoryOfItsOwn(t *testing.T) {
	b := newBench(t, "f16")
	m := &regions{mirror: b.dev}
	for i, r := range b.plan.Regions {
		m.mem = append(m.mem, make([]byte, r.Size))
		if r.Kind != plan.Const {
			poison(m.mem[i], "f32")
		}
	}
	for i := range b.plan.Bufs {
		if b.plan.Bufs[i].Role == plan.Control {
			m.ctl = int32(i)
		}
	}
	for _, forced := range []bool{false, true} {
		r := b.runOn(t, m, Options{Forced: forced, MaxNMSE: 1e-12})
		if !r.Clean() {
			t.Errorf("forced %v: %v", forced, r.Findings)
		}
		if r.Device != "regions" {
			t.Errorf("device %q", r.Device)
		}
	}
	b.dev.spoil = firstOf("gate_up", func(s *Step) { scale(s.bytes(output(s))[:8], 3) })
	if r := b.runOn(t, m, Options{}); r.Found != 1 || r.First.Op != "gate_up" {
		t.Errorf("got %v, want one finding in gate_up", r.Findings)
	}
}
