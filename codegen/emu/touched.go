package emu

import "fmt"

// touched sums up the launch by parameter.
func (g *grid) touched() []Touched {
	out := make([]Touched, len(g.cfg.Params))
	for _, v := range g.views {
		if v.param < 0 {
			continue
		}
		t := Touched{Loaded: v.loaded, Stored: v.stored}
		for off := uint64(0); v.sh != nil && off < v.size; {
			// up to the end of the granule
			end := min(((v.cell0+off)>>v.sh.shift+1)<<v.sh.shift-v.cell0, v.size)
			if v.sh.cells[(v.cell0+off)>>v.sh.shift].w != 0 {
				if n := len(t.Written); n > 0 && t.Written[n-1].Hi == int(off) {
					t.Written[n-1].Hi = int(end)
				} else {
					t.Written = append(t.Written, Range{int(off), int(end)})
				}
			}
			off = end
		}
		out[v.param] = t
	}
	return out
}

// checkCover reports declared output bytes that the launch did not write.
func (g *grid) checkCover(touched []Touched) {
	for i, p := range g.cfg.Params {
		if p.Buf == nil || !g.wanted[Unwritten] || g.unshadowed {
			continue
		}
		for _, r := range p.Cover {
			missing, first := 0, -1
			at := r.Lo
			for _, w := range append(touched[i].Written, Range{r.Hi, r.Hi}) {
				if gap := min(w.Lo, r.Hi) - at; gap > 0 {
					if missing += gap; first < 0 {
						first = at
					}
				}
				at = max(at, w.Hi)
			}
			if missing > 0 {
				g.findings = append(g.findings, Finding{Kind: Unwritten, Kernel: g.k.entry.Name, Param: i, Name: p.Name, Off: int64(first), Count: 1,
					Detail: fmt.Sprintf("%d of the %d bytes [%d,%d)", missing, r.Hi-r.Lo, r.Lo, r.Hi)})
			}
		}
	}
}
