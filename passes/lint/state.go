package lint

import (
	"fmt"
	"strconv"
	"strings"

	"dsac/runtime/plan"
)

// Family K: state across steps. What a step may find in state is decided once per entry: it
// starts from what valid= and inv= promise at (n, pos), and must leave what they promise at
// pos+n. Any ordered pair of entries is then right, because the first leaves what the second
// starts from.
var stateRules = []Rule{
	{Code: "K01", Repair: "bind the state buffer of the op's own layer", step: otherLayer},
	{Code: "K02", Repair: "append this step's rows before they are read, at [pos, pos+n)", end: lostRows},
	{Code: "K03", Repair: "read no further than the valid rows and what this step appends"},
	{Code: "K04", Repair: "read the list that the group's own full layer makes"},
	{Code: "K05", Repair: "let the op leave it zero (zero=), or fill it", end: dirtyInvariant},
	{Code: "K06", Repair: "capture again: the region was reallocated", step: staleRegion},
	{Code: "K07", Repair: "pass it through the control buffer", step: bakedScalar},
	{Code: "K08", Repair: "read the half that the other step wrote"},
}

// otherLayer is K01: a cache, or any other buffer that a layer owns (its weights, say).
func otherLayer(s *site) {
	for i, o := range s.m.p.Ops(&s.m.p.Steps[s.step]) {
		b, layer := &s.m.p.Bufs[o.Buf], s.m.steps[s.step].layer
		if b.Layer == plan.None || int64(b.Layer) == layer || layer == int64(none) && writes(o.Effect) {
			continue
		}
		whose := "no layer"
		if layer != int64(none) {
			whose = "layer " + strconv.FormatInt(layer, 10)
		}
		s.about(i, o.Buf, "%s of %s %s %s, which belongs to layer %d", s.name(), whose, presents[o.Effect], s.m.bufName(o.Buf), b.Layer)
	}
}

// lostRows is K02 at the next step: a growing cache must hold all rows below pos+n when the
// step ends, and the control buffer must say so.
func lostRows(w *walk) {
	if !w.advances || w.isLoad() {
		return
	}
	next := plan.Point{N: w.point.N, Pos: w.point.Len, Len: w.point.Len + w.point.N}
	for _, b := range w.initial {
		buf := &w.m.p.Bufs[b]
		if grows(buf) && buf.Valid.Sym == plan.SymPos && w.cluster[b] != none {
			w.outside(rule("K02"), b, w.m.place[b].lo+buf.Valid.At(next), "must be valid in the next step")
		}
	}
	if c := w.m.ctl; c != none && w.cluster[c] != none && w.m.p.Bufs[c].Size >= plan.CtlLen {
		lo := w.m.place[c].lo
		for _, s := range w.maps[w.cluster[c]].over(lo+plan.CtlPos, lo+plan.CtlLen) {
			if s.def == none || w.defs[s.def].exec != none {
				continue
			}
			f := w.unit.finding(rule("K02"), none, c)
			f.Bytes = []Bytes{w.m.bytes(c, s.lo, s.hi)}
			f.Summary = fmt.Sprintf("the entry appends rows, but no op advances the position in %s", f.Bytes[0])
			f.Repair = "end the entry with op advance"
			w.out.add(f)
			break
		}
	}
}

// dirtyInvariant is K05.
func dirtyInvariant(w *walk) {
	for _, b := range w.initial {
		if w.m.p.Bufs[b].Attrs.Len == 0 || w.m.bufAttr(b, "inv") != "zero" || w.cluster[b] == none {
			continue
		}
		for _, s := range w.maps[w.cluster[b]].over(w.m.place[b].lo, w.m.place[b].hi) {
			if s.def == none || w.defs[s.def].exec == none {
				continue
			}
			step := w.execs[w.defs[s.def].exec].step
			if w.m.flags(step)&plan.Init != 0 || w.leavesZero(step, b) {
				continue
			}
			f := w.unit.finding(rule("K05"), step, b)
			f.Ops, f.Bytes = []Op{w.m.op(step)}, []Bytes{w.m.bytes(b, s.lo, s.hi)}
			f.Summary = fmt.Sprintf("%s leaves %s dirty, but every step expects it to be zero", w.m.stepName(step), f.Bytes[0])
			w.out.add(f)
			break
		}
	}
}

func (w *walk) leavesZero(step, buf int32) bool {
	for _, z := range w.m.steps[step].zero {
		if z == w.m.bufName(buf) {
			return true
		}
	}
	return false
}

// staleRegion is K06.
func staleRegion(s *site) {
	gen, err := strconv.ParseUint(s.attr("gen"), 10, 64)
	if err != nil {
		return
	}
	for i, o := range s.m.p.Ops(&s.m.p.Steps[s.step]) {
		if r := &s.m.p.Regions[s.m.p.Bufs[o.Buf].Region]; r.Gen != 0 && r.Gen != gen {
			s.about(i, o.Buf, "%s was captured against generation %d of region %s, which is at %d", s.name(), gen, s.m.p.Str(r.Name), r.Gen)
			return
		}
	}
}

// bakedScalar is K07.
func bakedScalar(s *site) {
	for i, name := range strings.Split(s.attr("imm"), ",") {
		for _, d := range s.m.p.Dyns {
			if name != "" && s.m.p.Str(d) == name {
				f := s.finding(int32(i))
				f.Summary = fmt.Sprintf("%s has %s as a launch immediate, but it changes from step to step", s.name(), name)
				s.out.add(f)
			}
		}
	}
}
