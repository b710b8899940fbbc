package product

import (
	"fmt"
	"slices"

	"dsac/codegen"
	"dsac/runtime/quant"
)

// streamRows is the largest number of rows for which weights are streamed.
const streamRows = 16

// Make returns the launch and the body of the kernel of a spec.
func Make(s *codegen.Spec) (codegen.Launch, func(k *codegen.K), error) {
	makeJob, ok := jobs[s.Op]
	if !ok {
		return codegen.Launch{}, nil, fmt.Errorf("op %s is no product", s.Op)
	}
	j, err := makeJob(s)
	if err != nil {
		return codegen.Launch{}, nil, err
	}
	want := "f32"
	if Halves(s.Op, s.Rows, j.weights[0].layout.Type) {
		want = "f16"
	}
	if have := s.Operands[0].DType; have != want {
		return codegen.Launch{}, nil, fmt.Errorf("operand x of %d rows is %s, the kernel for so many takes %s (f16: as half_rows makes it)", s.Rows, have, want)
	}
	switch {
	case j.weights[0].format == nil:
		p := newPlain(j)
		return p.launch(), p.emit, nil
	case s.Rows >= GroupedRows && byExpert[s.Op]:
		g, err := newGrouped(s)
		if err != nil {
			return codegen.Launch{}, nil, err
		}
		return g.launch(), g.emit, nil
	case j.rows > streamRows:
		t := newTiled(j)
		return t.launch(), t.emit, nil
	}
	st := newStream(j)
	return st.launch(), st.emit, nil
}

// byExpert are the ops whose pairs of row and slot are grouped by expert where there are many
// rows; those of singleRows go through their rows one by one.
var (
	byExpert   = map[string]bool{"expert_matmul": true, "expert_gate_up": true}
	singleRows = map[string]bool{"expert_down": true, "expert_down_add": true}
)

// Halves says whether the kernel of a product of so many rows with weights of a type multiplies
// rows of half_rows; others take x in f32.
func Halves(op string, rows int, weight quant.Type) bool {
	if !slices.ContainsFunc(formats, func(f format) bool { return f.Type == weight }) {
		return false
	}
	if byExpert[op] {
		return rows >= GroupedRows
	}
	return rows > streamRows && !singleRows[op]
}

var jobs = map[string]func(s *codegen.Spec) (*job, error){
	"matmul":          dense,
	"matmul_add":      dense,
	"gate_up":         dense,
	"head_matmul":     head,
	"expert_matmul":   expertPairs,
	"expert_gate_up":  expertPairs,
	"expert_down":     expertSums,
	"expert_down_add": expertSums,
}
