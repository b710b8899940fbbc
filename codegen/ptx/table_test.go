package ptx

import (
	"strings"
	"testing"
)

// TestTableLaws: every row can be reached, with and without its optional modifiers, and its
// operand words name roles and types that exist.
func TestTableLaws(t *testing.T) {
	for i := range Rows {
		r := &Rows[i]
		for _, optional := range []bool{false, true} {
			var parts []string
			for _, w := range strings.Fields(r.Pattern) {
				w, opt := strings.CutSuffix(w, "?")
				if opt && !optional {
					continue
				}
				last := w[strings.LastIndex(w, "|")+1:]
				if strings.HasPrefix(last, "@") {
					set := sets[last]
					last = set[strings.LastIndex(set, "|")+1:]
				}
				parts = append(parts, last)
			}
			op := strings.Join(parts, ".")
			s := Lookup(op)
			switch {
			case s == nil:
				t.Errorf("%s: %s is not found", r.Pattern, op)
			case s.Row != r:
				t.Errorf("%s: %s is found as %s", r.Pattern, op, s.Row.Pattern)
			case s.Op != op:
				t.Errorf("%s: opcode %s", op, s.Op)
			}
		}
		for _, w := range strings.Fields(r.Args) {
			if strings.IndexByte("dDsSxXyYmlqr", w[0]) < 0 {
				t.Errorf("%s: operand %s has no role", r.Pattern, w)
			}
		}
		if (r.Effect == Load || r.Effect == Store || r.Effect == Atomic || r.Effect == Reduce || r.Effect == Copy) && !strings.Contains(r.Args, "m") {
			t.Errorf("%s: touches memory but has no address", r.Pattern)
		}
	}
}

func TestLookupRefuses(t *testing.T) {
	for _, op := range []string{"", "add", "add.f8", "add.f32.f32", "add.rn.s32", "ld.global.v3.f32", "ld.f32.global", "cvt.f32", "shfl.up.b32", "bar.sync.0", "mul.s32", "mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", "cp.async.bulk.shared.global", "setp.lt", "ld.global..f32", strings.Repeat("add.", 100)} {
		if s := Lookup(op); s != nil {
			t.Errorf("%q is found as %s", op, s.Row.Pattern)
		}
	}
}

func TestSpecReads(t *testing.T) {
	s := Lookup("ld.volatile.global.v4.f32")
	if s.Space != Global || s.Vec() != 4 || s.Types[0] != F32 || !s.Has("volatile") || !s.IsDst(0) || s.IsDst(1) {
		t.Errorf("got %+v", s)
	}
	if s := Lookup("mad.wide.s32"); s.ArgType(0) != S64 || s.ArgType(1) != S32 || s.ArgType(3) != S64 {
		t.Errorf("mad.wide.s32: %v %v %v", s.ArgType(0), s.ArgType(1), s.ArgType(3))
	}
	if s := Lookup("cp.async.cg.shared.global"); s.Space != Shared {
		t.Errorf("cp.async writes %v", s.Space)
	}
}
