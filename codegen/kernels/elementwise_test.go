package kernels

import (
	"testing"

	"dsac/codegen"
)

func TestElementwise(t *testing.T) {
	var trials []trial
	for _, op := range []string{"add", "mul", "silu_mul", "sigmoid", "add_row"} {
		for _, shape := range [][]int{{1, 6144}, {3, 70}, {8, 1025}, {17, 20}, {2, 3, 6}} {
			if op == "add_row" && len(shape) != 2 {
				continue
			}
			in := operands(dense(shape...), dense(shape...), dense(shape...))
			switch op {
			case "sigmoid":
				in = in[:2]
			case "add_row":
				in[1] = dense(shape[1])
			}
			trials = append(trials, trial{spec: codegen.Spec{Op: op, Operands: in, Rows: shape[0]}, steps: liveRows(shape[0])})
		}
	}
	// After take_rows there are fewer rows than the step has.
	trials = append(trials, trial{spec: codegen.Spec{Op: "add", Operands: operands(dense(1, 64), dense(1, 64), dense(1, 64)), Rows: 8}, steps: liveRows(8)})
	check(t, trials)
}

// liveRows runs all rows, one, and all but one.
func liveRows(rows int) []step {
	steps := []step{{n: rows}}
	if rows > 1 {
		steps = append(steps, step{n: 1}, step{n: rows - 1})
	}
	return steps
}
