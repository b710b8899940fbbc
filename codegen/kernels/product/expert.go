package product

import "dsac/codegen"

// typicalRows is the number of rows, of more than one, that the shape of kernels for a few pairs
// is chosen for: by the model of cost it takes at most 3 % more time at other numbers of them.
const typicalRows = 2

// expertPairs are the jobs of expert_matmul and expert_gate_up for few rows: a batch is a pair
// of a row and a slot.
func expertPairs(s *codegen.Spec) (*job, error) {
	idx, out := len(s.Operands)-2, len(s.Operands)-1
	x, y := s.Operands[0], s.Operands[out]
	slots := y.Inner()
	j := &job{spec: s, rows: 1, batch: s.Rows * slots, segs: 1, wide: wide(x), value: first, args: []int{1}}
	if s.Op == "expert_gate_up" {
		j.args, j.value = []int{1, 2}, siluMul
	}
	if err := j.bindWeights(); err != nil {
		return nil, err
	}
	if s.Rows > 1 {
		j.typical = typicalRows * slots
	}
	experts := j.weights[0].count
	j.bind = func(k *codegen.K, pair codegen.I32) bound {
		row := pair
		if len(x.Shape) == 2 {
			row = pair.UDiv(slots)
		}
		live := j.lives(k, pair.UDiv(slots))
		e := k.Arg(idx).Elem(pair, 4).When(live).LdI32().Clamp(0, experts-1)
		return bound{
			live:   codegen.Select(live, k.I32(1), k.I32(0)),
			row:    rowsOf(k, 0, x, 1, row),
			matrix: func(codegen.I32) codegen.I32 { return e },
			store: func(r, col codegen.I32, ok codegen.Pred, v codegen.F32) {
				k.Arg(out).Elem(pair, y.Width()*f32).Elem(col, f32).When(ok).StF32(v)
			},
		}
	}
	return j, nil
}

// expertSums are the jobs of expert_down and expert_down_add: a batch is a row, whose slots
// are segments; the weight of a slot is a factor of its part of h.
func expertSums(s *codegen.Spec) (*job, error) {
	h, out := s.Operands[0], len(s.Operands)-1
	y := s.Operands[out]
	slots := h.Inner()
	j := &job{spec: s, args: []int{1}, rows: 1, batch: s.Rows, segs: slots, wide: wide(h), value: first}
	if err := j.bindWeights(); err != nil {
		return nil, err
	}
	experts := j.weights[0].count
	j.bind = func(k *codegen.K, t codegen.I32) bound {
		live := j.lives(k, t)
		return bound{
			live: codegen.Select(live, k.I32(1), k.I32(0)),
			row:  rowsOf(k, 0, codegen.OperandSpec{DType: "f32", Shape: []int{s.Rows, slots * h.Width()}}, 1, t),
			matrix: func(seg codegen.I32) codegen.I32 {
				return k.Arg(2).Elem(t.Mul(slots).Add(seg), 4).Fixed().When(live).LdI32().Clamp(0, experts-1)
			},
			gain: func(_, seg codegen.I32) codegen.F32 {
				return k.Arg(3).Elem(t.Mul(slots).Add(seg), f32).Fixed().When(live).LdF32()
			},
			store: func(r, col codegen.I32, ok codegen.Pred, v codegen.F32) {
				if s.Op == "expert_down_add" { // out may lie on res: read first, by the same thread
					v = v.Add(k.Arg(4).Elem(t, y.Width()*f32).Elem(col, f32).When(ok).LdF32())
				}
				k.Arg(out).Elem(t, y.Width()*f32).Elem(col, f32).When(ok).StF32(v)
			},
		}
	}
	return j, nil
}
