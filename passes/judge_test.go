package passes

import (
	"slices"
	"strings"
	"testing"

	"dsac/runtime/plan"
)

// waiting is a plan of two launches of one kernel, the second of which starts early.
const waiting = `plan target=sm_90
region A arena 1024
region I in 1024
region O out 1024
region W const 1024
region S state 1024
kernel mul params=x,w,y,ctl
buf ctl S+0 64 dtype=u8 shape=64 role=control align=64
buf x I+0 512
buf w W+0 512
weight w type=f32 dims=128 layout=gguf buf=w
entry e rows=1
buf a A+0 512
buf y O+0 512
launch 0 kernel=mul grid=1x1x1 block=128x1x1
op f r=x,w w=a launch=0
launch 1 kernel=mul grid=1x1x1 block=128x1x1
op g r=a<f>,w w=y pdl gw launch=1
`

// y = x * w, with room for faults: {at the start}, {x}, {wait}, {after}.
const mulPTX = `.version 7.8
.target sm_90
.address_size 64
.visible .entry mul(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)
{
	.reg .pred %p;
	.reg .b32 %t, %n;
	.reg .b64 %x, %w, %y, %c;
	.reg .f32 %a, %b;
	ld.param.u64 %x, [p0];
	ld.param.u64 %w, [p1];
	ld.param.u64 %y, [p2];
	ld.param.u64 %c, [p3];
	mov.u32 %t, %tid.x;
	mad.wide.u32 %x, %t, 4, %x;
	mad.wide.u32 %w, %t, 4, %w;
	mad.wide.u32 %y, %t, 4, %y;
	setp.gt.u32 %p, %t, 100;
	ld.global.nc.f32 %b, [%w];
	{first}
	{wait}
	{then}
	mul.f32 %a, %a, %b;
	st.global.f32 [%y], %a;
	ret;
}
`

func TestGridWaitAgainstThePlan(t *testing.T) {
	const wait, load = "griddepcontrol.wait;", "ld.global.f32 %a, [%x];"
	const lastRow = "ld.global.u32 %n, [%c+8]; max.s32 %n, %n, 1; min.s32 %n, %n, 8; " // the entry has one row
	for _, c := range []struct{ name, first, wait, then, want string }{
		{"weights ahead of the wait", "", wait, load, ""},
		{"no wait", "", "", load, "can end without waiting for its grid (line 25: ret)"},
		{"no wait, and a load", "", "", load, "touches a ahead of its grid wait (line 22: ld.global.f32 %a, [%x])"},
		{"a load before it", load, wait, "", "touches a ahead of its grid wait"},
		{"a store before it", "mov.f32 %a, %b; st.global.f32 [%y], %a;", wait, load, "touches y ahead of its grid wait"},
		{"the control buffer before it", "ld.global.u32 %n, [%c+8];", wait, load, "touches the control buffer ahead of its grid wait"},
		{"some threads do not wait", "", "@%p " + wait, load, "touches a ahead of its grid wait"},
		{"some threads leave before it", "@%p ret;", wait, load, "can end without waiting for its grid"},
		{"some threads leave after it", "", wait, "@%p ret; " + load, "is certain to store only"},
		{"the row of the last live one", "", wait, lastRow + "sub.s32 %n, %n, 1; mad.wide.s32 %y, %n, 512, %y; " + load, ""},
		{"the row after it", "", wait, lastRow + "mad.wide.s32 %y, %n, 512, %y; " + load, "stores up to byte 1024 of a"},
		{"a load that the assembler may move", "", wait, strings.Replace(load, "global", "global.nc", 1), "reads a, which is no constant, through the non-coherent path"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := plan.Parse("waiting", []byte(waiting))
			if err != nil {
				t.Fatal(err)
			}
			text := strings.NewReplacer("{first}", c.first, "{wait}", c.wait, "{then}", c.then).Replace(mulPTX)
			said := lintKernel(t, p, text)
			for _, s := range said {
				if strings.HasPrefix(s, "P13 ") && strings.Contains(s, "of f ") {
					t.Errorf("step f does not start early, and need not wait: %s", s)
				}
			}
			if c.want == "" && len(said) > 0 || c.want != "" && !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, c.want) }) {
				t.Errorf("got %q, want %q", said, c.want)
			}
		})
	}
}

// No launch leaves a cluster without some of its blocks.
func TestGridsAreFilledByClusters(t *testing.T) {
	for _, c := range []struct {
		grid uint32
		want string
	}{{8, ""}, {1, "kernel mul: grid x is 1, no multiple of the 8 blocks of a cluster"}} {
		p, err := plan.Parse("waiting", []byte(waiting))
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Launches {
			p.Launches[i].Grid[0] = c.grid
		}
		text := strings.NewReplacer("{first}", "", "{wait}", "griddepcontrol.wait;", "{then}", "ld.global.f32 %a, [%x];").Replace(mulPTX)
		p.Blob = []byte(strings.Replace(text, ")\n{", ")\n.reqnctapercluster 8, 1, 1\n{", 1))
		p.Kernels[0].PTX = plan.Span{Len: uint32(len(p.Blob))}
		if _, err := LintOptions(p); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("grid of %d: got %v, want %q", c.grid, err, c.want)
		}
	}
}
