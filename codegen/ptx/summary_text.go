package ptx

import (
	"fmt"
	"strings"
)

// String gives the summary in the notation of the plan text (spec alias-faults.md section 8):
// "ptx=r,w end=-,576 cov=-,448 vec=4,16", then "unk" and "gst=NAME" where they apply. end is
// "?" where no bound is known; cov is how far the certainly stored bytes reach from the start
// of the buffer without a gap, "?" where that is not decided for every store.
func (s *Summary) String() string {
	var mode, end, cov, vec []string
	for i := range s.Params {
		p := &s.Params[i]
		mode = append(mode, p.Mode)
		vec = append(vec, orDash(int64(p.Vec), p.Vec > 0))
		switch {
		case p.Mode != "w" && p.Mode != "rw" && p.Mode != "acc":
			end, cov = append(end, "-"), append(cov, "-")
			continue
		case !p.Stores.Known:
			end = append(end, "?")
		default:
			end = append(end, fmt.Sprint(p.Stores.Hi))
		}
		switch n := p.Prefix(); {
		case n == 0 && !p.Exact:
			cov = append(cov, "?")
		default:
			cov = append(cov, orDash(n, n > 0))
		}
	}
	out := fmt.Sprintf("ptx=%s end=%s cov=%s vec=%s", strings.Join(mode, ","), strings.Join(end, ","), strings.Join(cov, ","), strings.Join(vec, ","))
	if len(s.Unknown) > 0 {
		out += " unk"
	}
	for _, g := range s.GlobalStore {
		out += " gst=" + g
	}
	return out
}

func orDash(n int64, ok bool) string {
	if !ok {
		return "-"
	}
	return fmt.Sprint(n)
}

// Prefix is the number of bytes that are certainly stored from the parameter's start without a
// gap.
func (p *ParamSummary) Prefix() int64 {
	for _, s := range p.Cover {
		if s.Lo <= 0 && s.Hi > 0 {
			return s.Hi
		}
	}
	return 0
}
