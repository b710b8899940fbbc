package product

import (
	"fmt"

	"dsac/codegen"
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
	switch {
	case j.weights[0].format == nil:
		p := newPlain(j)
		return p.launch(), p.emit, nil
	case s.Rows >= GroupedRows && (s.Op == "expert_matmul" || s.Op == "expert_gate_up"):
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
