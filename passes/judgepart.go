package passes

import (
	"dsac/codegen/ptx"
	"dsac/runtime/plan"
)

// shared says which parameters of a kernel of several steps one of them has, and which its part
// has; the last parameter, the control buffer, is everybody's.
type shared struct {
	params, part [2]int
	stage        int // steps before it in its part
}

func sharing(p *plan.Plan, step int32) (s shared) {
	l := &p.Launches[p.Steps[step].Launch]
	at, ours := 0, false
	for i := l.First; i < l.First+l.Count; i++ {
		n := len(p.Ops(&p.Steps[i]))
		if p.Steps[i].Flags&plan.Par != 0 {
			if ours {
				break
			}
			s.part[0], s.stage = at, 0
		} else if i > l.First && !ours {
			s.stage++
		}
		if i == step {
			ours, s.params = true, [2]int{at, at + n}
		}
		at += n
		s.part[1] = at
	}
	return s
}

// own cuts the step's own parameters out of all; a kernel that has too few has none.
func (s *shared) own(all []ptx.ParamSummary) []ptx.ParamSummary {
	if len(all) <= s.params[1] {
		return nil
	}
	return append(append([]ptx.ParamSummary(nil), all[s.params[0]:s.params[1]]...), all[len(all)-1])
}

// keeps says whether the blocks of the step's part leave alone what belongs to other parts.
func (s *shared) keeps(all []ptx.ParamSummary) bool {
	for i := range all[:max(0, len(all)-1)] {
		if (i < s.part[0] || i >= s.part[1]) && all[i].Mode != "-" {
			return false
		}
	}
	return true
}

// apart says whether barriers keep the step's accesses apart from those of the steps before and
// after it in its part.
func (s *shared) apart(own []ptx.ParamSummary) bool {
	for i := range own[:max(0, len(own)-1)] {
		if at := own[i].Stages; own[i].Mode != "-" && (at.Least != s.stage || at.Most != s.stage) {
			return false
		}
	}
	return true
}

// idle says whether the threads that the step has not leave its operands alone.
func (j *Judge) idle(p *plan.Plan, key judged, s *shared) bool {
	rest, some := key.rest()
	if !some {
		return true
	}
	v := j.look(p, rest)
	if v.err != nil {
		return false
	}
	own := s.own(v.sum.Params)
	for i := range own[:max(0, len(own)-1)] {
		if own[i].Mode != "-" {
			return false
		}
	}
	return true
}

// rest is the key of the threads that a step of a part leaves out, if there are any.
func (k judged) rest() (judged, bool) {
	if k.window == (ptx.Window{}) || k.window.Threads[1] >= k.launch.Block[0] {
		return k, false
	}
	k.window.Threads = [2]uint32{k.window.Threads[1], k.launch.Block[0]}
	return k, true
}
