package passes

import (
	"slices"
	"strings"
	"testing"

	"dsac/passes/lint"
	"dsac/runtime/plan"
)

// parted is a plan of one launch: f beside g, which h follows in the same block.
const parted = `plan target=sm_90
region A arena 1024
region I in 1024
region O out 1024
region S state 1024
kernel parts params=x,a,x,b,b,c,ctl
buf ctl S+0 64 dtype=u8 shape=64 role=control align=64
buf x I+0 256
entry e rows=1
buf a O+0 256
buf b A+256 128
buf c O+256 128
launch 0 kernel=parts grid=2x1x1 block=64x1x1
op f r=x w=a blocks=1 threads=64 launch=0
op g r=x[0:128] w=b par blocks=1 threads=32 launch=0
op h r=b<g> w=c blocks=1 threads=32 launch=0
`

// Block 0 copies x to a, block 1 the first half of it to b and then to c; with room for faults.
const partedPTX = `.version 7.8
.target sm_90
.address_size 64
.visible .entry parts(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3, .param .u64 p4, .param .u64 p5, .param .u64 p6)
{
	.reg .pred %p<4>;
	.reg .b32 %t, %k, %v1, %v2;
	.reg .b64 %x, %a, %y, %b, %z, %c;
	ld.param.u64 %x, [p0];
	ld.param.u64 %a, [p1];
	ld.param.u64 %y, [p2];
	ld.param.u64 %b, [p3];
	ld.param.u64 %z, [p4];
	ld.param.u64 %c, [p5];
	mov.u32 %t, %tid.x;
	mov.u32 %k, %ctaid.x;
	mad.wide.u32 %x, %t, 4, %x;
	mad.wide.u32 %a, %t, 4, %a;
	mad.wide.u32 %y, %t, 4, %y;
	mad.wide.u32 %b, %t, 4, %b;
	mad.wide.u32 %z, %t, 4, %z;
	mad.wide.u32 %c, %t, 4, %c;
	setp.gt.s32 %p1, %k, 0;
	@%p1 bra REST;
	ld.global.u32 %v1, [%x];
	st.global.u32 [%a], %v1;
	ret;
REST:
	{all}
	setp.gt.s32 %p2, %t, {last};
	@%p2 bra DONE;
	{some}
	ld.global.u32 %v1, [%y];
	st.global.u32 [%b], %v1;
	{first}
	bar.sync {barrier}, 32;
	ld.global.u32 %v2, [%z];
	st.global.u32 [%c], %v2;
	{second}
DONE:
	ret;
}
`

func TestPartsAgainstThePlan(t *testing.T) {
	for _, c := range []struct{ name, last, first, barrier, second, want string }{
		{"as it should be", "31", "", "15", "", ""},
		{"a part stores to another's output", "31", "st.global.u32 [%a], %v1;", "15", "", "P04 the kernel of g"},
		{"a part reads another's operand", "31", "ld.global.u32 %v1, [%x];", "15", "", "P04 the kernel of h"},
		{"threads that the part has not take part", "63", "", "15", "", "P04 the kernel of g"},
		{"some of the part's threads do not", "15", "", "15", "", "P06 the kernel of g"},
		{"a step of the part reads ahead of the barrier", "31", "ld.global.u32 %v2, [%z];", "15", "", "O06 the kernel of h has no barrier"},
		{"another barrier than that of stages", "31", "", "1", "", "O06 the kernel of h has no barrier"},
		{"a step goes on behind the barrier", "31", "", "15", "st.global.u32 [%b], %v1;", "O06 the kernel of g has no barrier"},
		{"a store past the end of what it has", "31", "st.global.u32 [%b+128], %v1;", "15", "", "P05 the kernel of g"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := plan.Parse("parted", []byte(parted))
			if err != nil {
				t.Fatal(err)
			}
			if err := plan.Verify(p); err != nil {
				t.Fatal(err)
			}
			text := strings.NewReplacer("{all}", "", "{some}", "", "{last}", c.last, "{first}", c.first, "{barrier}", c.barrier, "{second}", c.second).Replace(partedPTX)
			said := lintKernel(t, p, text)
			if c.want == "" && len(said) > 0 || c.want != "" && !slices.ContainsFunc(said, func(s string) bool { return strings.HasPrefix(s, c.want) }) {
				t.Errorf("got %q, want %q", said, c.want)
			}
		})
	}
}

// Of a step that says that its kernel waits for the grid, the threads without work wait as well.
func TestThreadsWithoutWorkWait(t *testing.T) {
	const wait = "griddepcontrol.wait;"
	for _, c := range []struct{ name, all, some, want string }{
		{"all wait", wait, "", ""},
		{"those with work wait", "", wait, "P13 the kernel of g can end without waiting"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := plan.Parse("parted", []byte(parted))
			if err != nil {
				t.Fatal(err)
			}
			p.Steps[1].Flags |= plan.GW
			text := strings.NewReplacer("{all}", c.all, "{some}", c.some, "{last}", "31", "{first}", "", "{barrier}", "15", "{second}", "").Replace(partedPTX)
			said := lintKernel(t, p, text)
			if c.want == "" && len(said) > 0 || c.want != "" && !slices.ContainsFunc(said, func(s string) bool { return strings.HasPrefix(s, c.want) }) {
				t.Errorf("got %q, want %q", said, c.want)
			}
		})
	}
}

// lintKernel gives a plan's kernel its PTX and returns what the lint says, codes first.
func lintKernel(t *testing.T, p *plan.Plan, text string) (said []string) {
	t.Helper()
	p.Blob = []byte(text)
	p.Kernels[0].PTX = plan.Span{Len: uint32(len(text))}
	opt, err := LintOptions(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range lint.Run(p, opt) {
		said = append(said, f.Code+" "+f.Summary)
	}
	return said
}
