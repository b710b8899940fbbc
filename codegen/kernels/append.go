package kernels

import "dsac/codegen"

// appendRows: rows pos.. of a cache take the live rows of one input (append) or of two side by
// side (append2), rounded to the cache's type.
func appendRows(s *codegen.Spec) (Kernel, error) {
	out := len(s.Operands) - 1
	capacity := s.Operands[out].Shape[0]
	m := mover{rows: s.Operands[0].Shape[0], out: out, count: live(1)}
	at := 0
	for i, o := range s.Operands[:out] {
		m.pieces = append(m.pieces, piece{i, o, at})
		at += o.Selected()
	}
	m.target = func(k *codegen.K, r codegen.I32) codegen.I32 {
		return k.Pos(capacity).Add(r).Clamp(0, capacity-1)
	}
	return m.kernel(s)
}
