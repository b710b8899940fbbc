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
		if g.Free >= need {
			return *g, nil
		}
		if best == nil || g.Free > best.Free {
			best = g
		}
	}
	if best == nil {
		return GPU{}, why
	}
	return *best, nil
}
