package lint

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"dsac/runtime/plan"
)

// Family S: space and aliasing. S02 and S08 are decided where bytes are read (precedence.go),
// and here where a use lies outside the declared life of its buffer.
var spaceRules = []Rule{
	{Code: "S01", Severity: Warning, Repair: "move one of the two, or narrow its declared life", plan: overlaps},
	{Code: "S02", Repair: "let the buffer live until its last use, and place it again", step: usesOutsideLife},
	{Code: "S03", Repair: "write to a new buffer, or move the later reader before the in-place op"},
	{Code: "S04", Repair: "give the output bytes of its own: the op may read a byte after writing it", step: claims},
	{Code: "S05", Repair: "move one of the two: no contract covers ranges that overlap but are not the same"},
	{Code: "S06", Repair: "give the output bytes of its own: the fused op still reads this input after its first write"},
	{Code: "S07", Repair: "give each output and scratch range bytes of its own", point: aliases},
	{Code: "S08", Repair: "let the parent live until the last use of its views, and keep views inside it", plan: strayViews},
	{Code: "S09", Repair: "write to a buffer without a zero stride", step: broadcastWrites},
	{Code: "S10", Repair: "make the buffer as large as the op's footprint", step: footprints, point: pastTheEnd, plan: smallBuffers},
	{Code: "S11", Repair: "make the region larger, or place the buffer inside it", plan: outsideRegion},
	{Code: "S12", Repair: "place the buffer at a multiple of its alignment", plan: misaligned},
	{Code: "S13", Repair: "form the address with 64-bit arithmetic", step: shortIndex},
	{Code: "S14", Repair: "write to a buffer of the op's own", step: forbiddenWrites, point: rewritesHistory, plan: tempInState},
}

func writes(e plan.Effect) bool { return e != plan.R }

// usesOutsideLife: derived life must lie within the declared one. Time is the order of execution.
func usesOutsideLife(s *site) {
	for i, o := range s.m.p.Ops(&s.m.p.Steps[s.step]) {
		b := &s.m.p.Bufs[o.Buf]
		root := &s.m.p.Bufs[s.m.root[o.Buf]]
		life, code := b, "S02"
		if b.LifeLo == plan.None && root != b {
			life, code = root, "S08"
		}
		at := s.when[s.local(s.step)]
		if life.LifeLo == plan.None || life.Entry != plan.None && life.Entry != s.e || at >= life.LifeLo && at < life.LifeHi {
			continue
		}
		s.rule = rule(code)
		f := s.finding(int32(s.m.p.Steps[s.step].Operands.Off) + int32(i))
		f.Bytes = []Bytes{s.m.wholeBuf(o.Buf)}
		f.Summary = fmt.Sprintf("%s (op %d) uses %s outside its declared life %d:%d", s.name(), at, s.m.bufName(o.Buf), life.LifeLo, life.LifeHi)
		s.out.add(f)
	}
}

// claims: the flags of a step may not promise more than the op table does.
func claims(s *site) {
	st := &s.m.p.Steps[s.step]
	table, ok := s.m.table(st)
	if extra := st.Flags & (plan.EW | plan.RF) &^ table.Flags; ok && extra != 0 {
		f := s.finding(none)
		f.Summary = fmt.Sprintf("%s claims an alias contract that the op table does not give to %s", s.name(), s.m.p.Str(st.Op))
		s.out.add(f)
	}
}

// table returns what the op table says of a step's op.
func (m *model) table(st *plan.Step) (Contract, bool) {
	if m.opt.Table == nil || st.Op == 0 {
		return Contract{}, false
	}
	return m.opt.Table(m.p.Str(st.Op))
}

// late says whether an input is still read after the first write: by its own mark, or because
// the contract that the step claims is not for this operand.
func (w *walk) late(a *access) bool {
	st := &w.m.p.Steps[w.execs[w.x].step]
	c, ok := w.m.table(st)
	return a.Late || ok && c.Late != nil && st.Flags&(plan.EW|plan.RF) != 0 && c.Late(int(uint32(a.index)-st.Operands.Off))
}

// aliases looks at each pair of operands of one execution whose bytes intersect (S04 to S07).
func aliases(w *walk) {
	for i := range w.acc {
		for j := i + 1; j < len(w.acc); j++ {
			a, b := &w.acc[i], &w.acc[j]
			if a.implicit || b.implicit || a.empty() || b.empty() || a.lo >= b.hi || b.lo >= a.hi ||
				w.m.p.Bufs[a.Buf].Region != w.m.p.Bufs[b.Buf].Region {
				continue
			}
			if code := w.aliasFault(a, b); code != "" {
				w.aliasReport(rule(code), a, b)
			}
		}
	}
}

// aliasFault names what is wrong with a and b sharing bytes, "" if nothing is. Operands come
// in effect order, so that a plain read is a.
func (w *walk) aliasFault(a, b *access) string {
	flags := w.m.flags(w.execs[w.x].step)
	switch {
	case !writes(a.Effect) && !writes(b.Effect):
		return ""
	case writes(a.Effect) && writes(b.Effect):
		return "S07"
	case !writes(b.Effect):
		a, b = b, a
	}
	same := a.lo == b.lo && a.hi == b.hi
	switch {
	case w.late(a):
		return "S06"
	case !same:
		return "S05"
	case b.Effect == plan.Scr || flags&(plan.EW|plan.RF) == 0:
		return "S04"
	case flags&plan.RF == 0 && (a.Cols != b.Cols || elementSize(w.m.p.Str(w.m.dtype(a.Operand))) != elementSize(w.m.p.Str(w.m.dtype(b.Operand)))):
		return "S05"
	}
	return ""
}

// elementSizes are those of plain element types; others count as unknown, and as equal.
var elementSizes = map[string]int64{"f64": 8, "i64": 8, "u64": 8, "f32": 4, "i32": 4, "u32": 4, "f16": 2, "bf16": 2, "i16": 2, "u16": 2, "i8": 1, "u8": 1, "fp8": 1}

func elementSize(dtype string) int64 { return elementSizes[dtype] }

func (w *walk) aliasReport(r *Rule, a, b *access) {
	m, step := w.m, w.execs[w.x].step
	f := w.finding(r, max(a.index, b.index))
	f.Ops = []Op{m.op(step)}
	f.Bytes = []Bytes{m.bytes(a.Buf, a.lo, a.hi), m.bytes(b.Buf, b.lo, b.hi)}
	f.Summary = fmt.Sprintf("%s %s %s and %s %s, which share bytes %d..%d of region %s", m.stepName(step), presents[a.Effect], m.bufName(a.Buf),
		presents[b.Effect], m.bufName(b.Buf), max(a.lo, b.lo), min(a.hi, b.hi), f.Bytes[0].Region)
	w.out.add(f)
}

// broadcastWrites is S09.
func broadcastWrites(s *site) {
	for i, o := range s.m.p.Ops(&s.m.p.Steps[s.step]) {
		if s.m.p.Bufs[o.Buf].Flags&plan.Stride0 != 0 && (o.Effect == plan.W || o.Effect == plan.RW) {
			s.about(i, o.Buf, "%s writes %s, in which several elements share a byte (stride 0)", s.name(), s.m.bufName(o.Buf))
		}
	}
}

// about reports operand i of the step with its buffer.
func (s *site) about(i int, buf int32, format string, args ...any) {
	f := s.finding(int32(s.m.p.Steps[s.step].Operands.Off) + int32(i))
	f.Bytes = []Bytes{s.m.wholeBuf(buf)}
	f.Summary = fmt.Sprintf(format, args...)
	s.out.add(f)
}

// footprints: fp=NAME:BYTES,... says what a kernel really touches.
func footprints(s *site) {
	for i, item := range strings.Split(s.attr("fp"), ",") {
		name, size, ok := strings.Cut(item, ":")
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(size, 10, 64)
		b, found := s.m.find(s.step, name)
		if err != nil || !found || n <= s.m.p.Bufs[b].Size {
			continue
		}
		s.about(i, b, "%s touches %d bytes of %s, which has %d", s.name(), n, name, s.m.p.Bufs[b].Size)
	}
}

// pastTheEnd: a range that leaves its buffer at this point. A masked over-read may, inside the region.
func pastTheEnd(w *walk) {
	for i := range w.acc {
		a := &w.acc[i]
		pl := w.m.place[a.Buf]
		if !pl.ok || a.fullLo >= pl.lo && a.fullHi <= pl.hi && a.fullLo <= a.fullHi {
			continue
		}
		step := w.execs[w.x].step
		size := int64(w.m.p.Regions[w.m.p.Bufs[a.Buf].Region].Size)
		if a.Effect == plan.R && w.m.flags(step)&plan.MayRead != 0 && a.fullLo >= pl.lo && a.fullHi <= size {
			continue
		}
		f := w.finding(rule("S10"), a.index)
		f.Ops, f.Bytes = []Op{w.m.op(step)}, []Bytes{w.m.bytes(a.Buf, a.fullLo, a.fullHi)}
		f.Summary = fmt.Sprintf("%s %s bytes %d to %d of %s, which has %d", w.m.stepName(step), presents[a.Effect], a.fullLo-pl.lo, a.fullHi-pl.lo, w.m.bufName(a.Buf), pl.hi-pl.lo)
		w.out.add(f)
	}
}

// shortIndex is S13.
func shortIndex(s *site) {
	if s.m.flags(s.step)&plan.Idx32 == 0 {
		return
	}
	for i, o := range s.m.p.Ops(&s.m.p.Steps[s.step]) {
		if size := s.m.p.Bufs[o.Buf].Size; size > math.MaxInt32 {
			s.about(i, o.Buf, "%s forms offsets in 32 bits, but %s has %d bytes", s.name(), s.m.bufName(o.Buf), size)
		}
	}
}

// forbiddenWrites: weights are written by entry load only, state only by the layer that owns
// it and never as scratch.
func forbiddenWrites(s *site) {
	for i, o := range s.m.p.Ops(&s.m.p.Steps[s.step]) {
		kind, b := s.m.kind(o.Buf), &s.m.p.Bufs[o.Buf]
		switch {
		case !writes(o.Effect):
		case kind == plan.Const && !s.isLoad():
			s.about(i, o.Buf, "%s %s weights: %s", s.name(), presents[o.Effect], s.m.bufName(o.Buf))
		case kind == plan.State && o.Effect == plan.Scr:
			s.about(i, o.Buf, "%s uses state %s as scratch", s.name(), s.m.bufName(o.Buf))
		case kind == plan.State && b.Layer != plan.None && s.m.steps[s.step].layer == int64(none):
			s.about(i, o.Buf, "%s belongs to no layer, but %s state %s of layer %d", s.name(), presents[o.Effect], s.m.bufName(o.Buf), b.Layer)
		}
	}
}

// rewritesHistory: rows that earlier steps left in a growing cache are not to be written again.
func rewritesHistory(w *walk) {
	for i := range w.acc {
		a := &w.acc[i]
		b := &w.m.p.Bufs[a.Buf]
		if !writes(a.Effect) || a.empty() || !grows(b) || b.Valid.Sym != plan.SymPos {
			continue
		}
		if valid := w.m.place[a.Buf].lo + b.Valid.At(w.point); a.lo < valid {
			step := w.execs[w.x].step
			f := w.finding(rule("S14"), a.index)
			f.Ops, f.Bytes = []Op{w.m.op(step)}, []Bytes{w.m.bytes(a.Buf, a.lo, min(a.hi, valid))}
			f.Summary = fmt.Sprintf("%s %s %s, which holds rows of earlier steps", w.m.stepName(step), presents[a.Effect], f.Bytes[0])
			w.out.add(f)
		}
	}
}
