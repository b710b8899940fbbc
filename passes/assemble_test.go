package passes

import (
	"strings"
	"testing"

	kern "dsac/codegen/kernels"
	"dsac/codegen/ptxas"
	"dsac/runtime/plan"
)

// Only kernels that take most of a step's time are worth a warning about spilled registers.
func TestSpillsOfHotKernelsAreSaid(t *testing.T) {
	for _, tc := range []struct {
		op   string
		use  ptxas.Usage
		want string
	}{
		{"matmul", ptxas.Usage{Registers: 255, SpillLoad: 8, SpillStore: 4}, "kernel matmul_1 spills 12 bytes"},
		{"expert_down_add", ptxas.Usage{SpillStore: 4}, "kernel expert_down_add_1 spills 4 bytes"},
		{"mqa_attend", ptxas.Usage{SpillLoad: 4}, "kernel mqa_attend_1 spills 4 bytes"},
		{"index_topk", ptxas.Usage{SpillLoad: 4}, "kernel index_topk_1 spills 4 bytes"},
		{"matmul", ptxas.Usage{Registers: 255}, ""},
		{"sample", ptxas.Usage{SpillLoad: 8}, ""},
	} {
		g := newKernelSet(plan.NewBuilder(), nil)
		name := tc.op + "_1"
		i := g.kernel(&wanted{name: name, batch: kern.Batch{{{Op: tc.op}}}})
		var said []string
		opt := Options{Warn: func(msg string) { said = append(said, msg) }}
		g.put(&compiled{kernels: []string{name}, ptx: "text", cubin: &ptxas.Result{Cubin: []byte("code"), Usage: map[string]ptxas.Usage{name: tc.use}}}, &opt)
		got := strings.Join(said, "\n")
		if tc.want == "" && got != "" || !strings.HasPrefix(got, tc.want) {
			t.Errorf("%s %+v: got %q, want %q", tc.op, tc.use, got, tc.want)
		}
		if k := g.b.P.Kernels[i]; int(k.Regs) != tc.use.Registers || string(g.b.P.Bytes(k.PTX)) != "text" || string(g.b.P.Bytes(k.Cubin)) != "code" {
			t.Errorf("%s: kernel %+v", tc.op, k)
		}
	}
}
