package cuda

import (
	"fmt"

	"dsac/runtime/plan"
)

// Pick returns the GPU for a plan: the first that runs its target and has the memory free, else
// the one of those that run it with the most free memory.
func Pick(p *plan.Plan) (GPU, error) {
	s := Probe()
	if s.Problem != "" {
		return GPU{}, fmt.Errorf("%w: %s", ErrUnavailable, s.Problem)
	}
	return pick(s.GPUs, p)
}

func pick(gpus []GPU, p *plan.Plan) (GPU, error) {
	need := uint64(reserve)
	for i := range p.Regions {
		need += p.Regions[i].Size
	}
	target := p.MetaValue(plan.MetaTarget)
	var best *GPU
	why := fmt.Errorf("%w: there is no GPU", ErrUnavailable)
	for i := range gpus {
		g := &gpus[i]
		if err := checkTarget(target, g); err != nil {
			why = err
			continue
		}
		if g.room() >= need {
			return *g, nil
		}
		if best == nil || g.room() > best.room() {
			best = g
		}
	}
	if best == nil {
		return GPU{}, why
	}
	return *best, nil
}

// room is the memory that a plan may hope for: all of it where the management library, which
// knows what other programs hold, is not there.
func (g *GPU) room() uint64 {
	if g.Free == 0 {
		return g.Memory
	}
	return g.Free
}
