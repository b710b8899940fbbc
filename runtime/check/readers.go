package check

import (
	"fmt"
	"strings"

	"dsac/runtime/plan"
)

// blame names the step that was delayed and those that read what it writes.
func (r *stressed) blame(f *Finding, launch int32) {
	if launch == plan.None {
		return
	}
	p, l := r.plan, &r.plan.Launches[launch]
	st := &p.Steps[l.First]
	f.Step, f.Index, f.Op = p.Str(st.Name), l.First, p.Str(st.Op)
	if l.Kernel != plan.None {
		f.Kernel = p.Str(p.Kernels[l.Kernel].Name)
	}
	if readers := r.readers(l); len(readers) > 0 {
		f.Detail += "; read by " + few(readers)
	}
}

// readers names the later steps of the entry that read what the steps of a launch write, up to
// where other steps have overwritten it.
func (r *stressed) readers(l *plan.Launch) []string {
	p := r.plan
	live := map[int32][]Span{} // by region
	var names []string
	for _, it := range p.EntryItems(&p.Entries[r.entry]) {
		if it.Kind != plan.DoStep || it.Index < l.First {
			continue
		}
		ours := it.Index < l.First+l.Count
		st := &p.Steps[it.Index]
		if !ours && r.reads(st, live) {
			names = append(names, p.Str(st.Name))
		}
		for _, o := range p.Ops(st) {
			region, span := r.span(&o)
			switch {
			case o.Effect == plan.R:
			case ours && o.Effect != plan.Scr:
				live[region] = merge(append(live[region], span))
			default:
				live[region] = without(live[region], []Span{span})
			}
		}
	}
	return names
}

// reads says whether a step reads any of the bytes in live.
func (r *stressed) reads(st *plan.Step, live map[int32][]Span) bool {
	for _, o := range r.plan.Ops(st) {
		if o.Effect == plan.W || o.Effect == plan.Scr {
			continue
		}
		region, x := r.span(&o)
		for _, y := range live[region] {
			if x.Lo < y.Hi && y.Lo < x.Hi {
				return true
			}
		}
	}
	return false
}

// span is where an operand lies in its region.
func (r *stressed) span(o *plan.Operand) (region int32, s Span) {
	b := &r.plan.Bufs[o.Buf]
	lo, hi := r.plan.Range(o, r.at)
	return b.Region, Span{int(b.Off) + int(lo), int(b.Off) + int(hi)}
}

// few lists the first names.
func few(names []string) string {
	const most = 4
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
