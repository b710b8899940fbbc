package lint

import (
	"fmt"
	"slices"
	"strings"

	"dsac/runtime/plan"
)

// Family T: what the bytes mean. A range is compared with what its buffer declares and with
// what the definition that reaches it says.
var meaningRules = []Rule{
	{Code: "T01", Repair: "convert, or let both ends name the same element type", step: declaredType, plan: weightTypes},
	{Code: "T02", Repair: "insert a relayout op, or let both ends name the same layout", step: func(s *site) { declaredLayout(s); rowExtents(s) }, entry: columnSelections, plan: weightShapes},
	{Code: "T03", Repair: "bind the companion that the buffer names (pair=)", step: companions},
	{Code: "T04", Repair: "recompile with a larger bucket", plan: smallBuckets},
}

// sameType says whether bytes of one type may be read as the other: the same name, no name,
// or a field of a packed record such as fp8|f32.
func sameType(a, b string) bool {
	if a == b || a == "" || b == "" {
		return true
	}
	return packs(a, b) || packs(b, a)
}

func packs(record, field string) bool {
	fields := strings.Split(record, "|")
	return len(fields) > 1 && slices.Contains(fields, field)
}

func declaredType(s *site) {
	for i, o := range s.m.p.Ops(&s.m.p.Steps[s.step]) {
		if o.DType == 0 {
			continue
		}
		own, buf := s.m.p.Str(o.DType), s.m.p.Str(s.m.dtype(&plan.Operand{Buf: o.Buf}))
		if !sameType(own, buf) {
			s.about(i, o.Buf, "%s %s %s as %s, but it holds %s", s.name(), presents[o.Effect], s.m.bufName(o.Buf), own, buf)
		}
	}
}

func declaredLayout(s *site) {
	for i, o := range s.m.p.Ops(&s.m.p.Steps[s.step]) {
		if o.Layout == 0 {
			continue
		}
		own, buf := s.m.p.Str(o.Layout), s.m.p.Str(s.m.layout(&plan.Operand{Buf: o.Buf}))
		if own != buf {
			s.about(i, o.Buf, "%s %s %s in layout %s, but it is laid out as %s", s.name(), presents[o.Effect], s.m.bufName(o.Buf), own, layoutText(buf))
		}
	}
}

func layoutText(s string) string {
	if s == "" {
		return "row-major"
	}
	return s
}

// meaning compares a read with the definition that reaches it.
func (u *use) meaning() {
	if u.d == nil || u.d.operand == none || u.foreign() || u.implicit {
		return
	}
	m, def := u.w.m, &u.w.m.p.Operands[u.d.operand]
	if a, b := m.types[u.index], m.types[u.d.operand]; a != b && !sameType(m.p.Str(a), m.p.Str(b)) {
		u.misread("T01", def, m.p.Str(b), m.p.Str(a))
	}
	if a, b := m.layouts[u.index], m.layouts[u.d.operand]; a != b && m.p.Str(a) != m.p.Str(b) {
		u.misread("T02", def, layoutText(m.p.Str(b)), layoutText(m.p.Str(a)))
	}
}

func (u *use) misread(code string, def *plan.Operand, wrote, read string) {
	m := u.w.m
	f := u.w.finding(rule(code), u.index)
	writer := u.w.execs[u.d.exec].step
	f.Ops = []Op{m.op(u.step()), m.op(writer)}
	f.Bytes = []Bytes{m.bytes(u.Buf, u.lo, u.hi), m.bytes(def.Buf, u.lo, u.hi)}
	f.Summary = fmt.Sprintf("%s reads %s as %s, but %s wrote it as %s", m.stepName(u.step()), f.Bytes[0], read, m.stepName(writer), wrote)
	f.Chain = u.chain()
	u.w.out.add(f)
}

// companions is T03: values and the scales (zero points, tables) that belong to them.
func companions(s *site) {
	ops := s.m.p.Ops(&s.m.p.Steps[s.step])
	for i, o := range ops {
		want := s.m.bufAttr(o.Buf, "pair")
		if want == "" {
			continue
		}
		name := s.m.bufName(o.Buf)
		if !slices.ContainsFunc(ops, func(c plan.Operand) bool { return s.m.bufName(c.Buf) == want }) {
			s.about(i, o.Buf, "%s takes %s without its companion %s", s.name(), name, want)
			continue
		}
		for _, pair := range strings.Split(s.attr("pairs"), ",") {
			if v, c, ok := strings.Cut(pair, ":"); ok && v == name && c != want {
				s.about(i, o.Buf, "%s uses %s with %s, but its companion is %s", s.name(), name, c, want)
			}
		}
	}
}

// smallBuckets is T04.
func smallBuckets(m *model, out *collector) {
	r := rule("T04")
	for i, b := range m.p.Buckets {
		if b.Need > b.Max {
			out.add(Finding{Code: r.Code, Severity: r.Severity, Repair: r.Repair, entry: none, step: none, operand: int32(i),
				Summary: fmt.Sprintf("bucket %s needs %d, but offsets were computed for %d", m.p.Str(b.Name), b.Need, b.Max)})
		}
	}
}
