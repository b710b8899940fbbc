package ptx

import (
	"reflect"
	"strings"
	"testing"
)

const head = ".version 7.1\n.target sm_80\n.address_size 64\n"

// sample has one of every kind of syntax.
const sample = head + `
.extern .shared .align 16 .b8 smem[];
.const .align 4 .b8 tab[8] = {0, 0, 128, 63, 0, 0, 0, 64};
.global .align 4 .u32 counter = 7;
// a comment
.visible .entry k(
	.param .u64 k_param_0,
	.param .u64 .ptr .global .align 16 k_param_1,
	.param .align 4 .b8 k_param_2[12]
)
.maxntid 256, 1, 1
.maxnreg 64
{
	.reg .pred 	%p<3>;
	.reg .b16 	%h<3>;
	.reg .b32 	%r<10>;
	.reg .f32 	%f<10>;
	.reg .b64 	%rd<10>;
	.shared .align 16 .b8 tile[1024];
	.loc 1 5 3, function_name $L, inlined_at 1 2 3
	.pragma "nounroll";
	mov.u32 	%r1, %tid.x; /* a block
	comment */ ld.param.u64 %rd1, [k_param_0];
	ld.param.u64 %rd2, [k_param_1+0];
	setp.lt.and.u32 %p1|%p2, %r1, 0xFFU, !%p0;
$L__BB0_2:
	@%p1 bra 	$L__BB0_3;
	// begin inline asm
	{ .reg .pred p; setp.ne.b32 p, %r1, -1; @!p bra skip; add.s32 %r2, %r1, 1; skip: }
	// end inline asm
	ld.global.nc.L1::no_allocate.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+-16];
	st.global.v2.f32 [%rd2+8], {%f1, 0f3F800000};
	mov.b32 {%h1, %h2}, %r2;
	fma.rn.f32 %f5, %f1, 0f40000000, %f2;
	mov.u64 %rd3, tile;
	st.shared.u8 [tile+4], %r2;
	shfl.sync.down.b32 %r3|%p2, %r2, 1, 31, -1;
	atom.global.add.u32 _, [%rd1], 1;
	bra.uni $L__BB0_2;
$L__BB0_3:
	bar.sync 0;
	ret;
}
`

// noLines clears source positions, which printing does not keep.
func noLines(m *Module) *Module {
	for _, v := range m.Vars {
		v.Line = 0
	}
	for _, e := range m.Entries {
		e.Line = 0
		for _, v := range e.Vars {
			v.Line = 0
		}
		for _, s := range e.Body {
			if s.Instr != nil {
				s.Instr.Line = 0
			}
		}
	}
	return m
}

func TestPrintParsesBack(t *testing.T) {
	m, err := Parse(sample)
	if err != nil {
		t.Fatal(err)
	}
	text := m.String()
	again, err := Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if got := again.String(); got != text {
		t.Errorf("second print differs:\n%s\nwant\n%s", got, text)
	}
	if !reflect.DeepEqual(noLines(again), noLines(m)) {
		t.Errorf("parse(print(m)) != m")
	}
}

func TestParseResolves(t *testing.T) {
	m, err := Parse(sample)
	if err != nil {
		t.Fatal(err)
	}
	e := m.Entry("k")
	if got := e.Params[2].Off; got != 16 {
		t.Errorf("offset of parameter 2 = %d, want 16", got)
	}
	f, err := e.Flow()
	if err != nil {
		t.Fatal(err)
	}
	inner := 0
	for i, r := range e.Regs {
		if r.Name == "p" {
			inner = i
		}
	}
	for _, in := range f.Code {
		if in.Op == "bra" && in.GuardNot && in.Guard != inner {
			t.Errorf("branch in the inner scope is guarded by %s", e.Regs[in.Guard].Name)
		}
		if in.Spec == nil {
			t.Errorf("unknown %s", in.Op)
		}
	}
	if got := e.SharedLayout(64); got.Static != 1024 || got.Total != 1088 {
		t.Errorf("shared layout %+v, want 1024 static, 1088 in all", got)
	}
}

func TestParseErrors(t *testing.T) {
	body := func(s string) string {
		return head + ".visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n.reg .pred %p<2>;\n" + s + "\n}\n"
	}
	for _, c := range []struct{ name, src, want string }{
		{"empty", "", "no .version"},
		{"32 bit", ".version 7.1\n.target sm_80\n.address_size 32\n", "address size is 32"},
		{"func", head + ".func foo()\n", ".func is not supported"},
		{"undeclared", body("mov.u32 %r9, 1;"), "line 9: register %r9 is not declared"},
		{"label", body("bra nowhere;"), "line 9: label nowhere is not defined"},
		{"width", body("add.s32 %r1, %rd1, 1;"), "operand 2: register %rd1 is .b64, want .s32"},
		{"count", body("add.s32 %r1, %r2;"), "2 operands, want 3"},
		{"number", body("mov.u32 %r1, 99999999999999999999;"), "bad number"},
		{"open", head + ".entry k() {", "body is not closed"},
		{"guard", body("@%r1 ret;"), "not a predicate"},
		{"twice", head + ".entry k() { ret; } .entry k() { ret; }", "defined twice"},
		{"comment", head + "/* ", "not closed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(c.src)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestUnknownInstructionIsErrorAtUse(t *testing.T) {
	m, err := Parse(head + ".entry k() { wgmma.fence.sync.aligned; ret; }")
	if err != nil {
		t.Fatal(err)
	}
	target, _ := TargetNamed("sm_120")
	errs := m.Check(target)
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "only sm_90a has it") {
		t.Errorf("got %v", errs)
	}
	if _, err := m.Entries[0].Flow(); err == nil {
		t.Error("flow of an unknown instruction: no error")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Add(entryText("", "L: min.u32 %r3, %r1, 9; mad.wide.u32 %rd5, %r3, 4, %rd2; setp.lt.u32 %p1, %r3, 5; @%p1 st.global.u32 [%rd5], %r3; add.s32 %r1, %r1, 3; setp.ne.s32 %p2, %r1, 9; @%p2 bra L;"))
	f.Add(entryText("", "shl.b64 %rd5, %rd6, 63; rem.s32 %r3, %r1, 0; div.u32 %r4, %r3, %r3; shr.u64 %rd6, %rd5, %r1; bfe.u32 %r5, %r3, 31, 40; st.global.u32 [%rd6], %r5;"))
	f.Add(head + ".entry k() { { .reg .b32 a, b; x: bra x; } }")
	f.Fuzz(func(t *testing.T, src string) {
		m, err := Parse(src)
		if err != nil {
			return
		}
		text := m.String()
		again, err := Parse(text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if got := again.String(); got != text {
			t.Fatalf("second print differs:\n%s\nwant\n%s", got, text)
		}
		target, _ := TargetNamed("sm_120")
		m.Check(target)
		l := Launch{Grid: [3]uint32{3, 1, 1}, Block: [3]uint32{48, 2, 1}, DynShared: 64}
		for _, e := range m.Entries { // whatever it says, no panic
			e.CheckLaunch(l, target)
			_, _ = Analyze(e, l)
		}
	})
}
