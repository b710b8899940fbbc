package main

import (
	"strings"
	"testing"

	"dsac/runtime/plan"
)

const clusteredPlan = `plan target=sm_120
region A arena 1024
kernel one params=x,ctl
kernel four params=x,ctl
buf x A+0 512
entry e rows=1
launch 0 kernel=one grid=3x1x1 block=128x1x1
op f w=x launch=0
launch 1 kernel=four grid=12x1x1 block=128x1x1
op g w=x launch=1
`

const clusteredPTX = `.version 8.7
.target sm_120
.address_size 64
.visible .entry one(.param .u64 p0, .param .u64 p1)
{
	ret;
}
.visible .entry four(.param .u64 p0, .param .u64 p1)
.maxntid 128, 1, 1
.reqnctapercluster 4, 1, 1
{
	ret;
}
`

func TestOccupancyShowsClusters(t *testing.T) {
	p, err := plan.Parse("clustered", []byte(clusteredPlan))
	if err != nil {
		t.Fatal(err)
	}
	p.Blob = []byte(clusteredPTX + "cubin")
	for i := range p.Kernels {
		k := &p.Kernels[i]
		k.PTX, k.Cubin, k.Regs = plan.Span{Len: uint32(len(clusteredPTX))}, plan.Span{Off: uint32(len(clusteredPTX)), Len: 5}, 20
	}
	var out strings.Builder
	if err := printOccupancy(&out, p, ""); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	want := []string{"launches grid cluster threads registers shared blocks per SM warps per SM bound by kernel",
		"1 3 128 20 0 12 48 threads one", "1 12 4 128 20 0 12 48 threads four"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", out.String())
	}
}
