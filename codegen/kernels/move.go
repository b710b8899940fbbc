package kernels

import (
	"fmt"

	"dsac/codegen"
)

// piece is a run of columns that a row of the output takes from an operand.
type piece struct {
	operand int
	from    codegen.OperandSpec // its selected columns are moved
	to      int                 // first column of the output
}

// mover copies rows: row target(r) of operand `out` is made of pieces of rows source(r), for
// r < count. One block per row.
type mover struct {
	rows   int // largest count
	pieces []piece
	out    int
	count  func(k *codegen.K) codegen.I32
	source func(k *codegen.K, r codegen.I32) codegen.I32 // nil: r
	target func(k *codegen.K, r codegen.I32) codegen.I32 // nil: r
}

func (m *mover) kernel(s *codegen.Spec) (Kernel, error) {
	y := s.Operands[m.out]
	st, ok := storeTypes[y.DType]
	if !ok {
		return Kernel{}, fmt.Errorf("rows of %s cannot be stored", y.DType)
	}
	threads := 32
	for _, p := range m.pieces {
		threads = max(threads, min(256, warps(ceilDiv(p.from.Selected(), m.width(p, y)))))
	}
	return Kernel{Launch: codegen.Line(m.rows, threads), Emit: func(k *codegen.K) {
		r := k.BlockX()
		k.ReturnIf(r.Ge(m.count(k)))
		from, to := r, r
		if m.source != nil {
			from = m.source(k, r)
		}
		if m.target != nil {
			to = m.target(k, r)
		}
		dst := k.Arg(m.out).Elem(to, y.Width()*st.size)
		for _, p := range m.pieces {
			v := m.width(p, y)
			src := rowAt(k.Arg(p.operand), p.from, from)
			k.Each(k.Thread(), threads, p.from.Selected()/v, func(i codegen.I32) {
				st.store(k, dst.At(p.to*st.size).Elem(i, v*st.size), src.Elem(i, v*f32).LdF32s(v))
			})
		}
	}}, nil
}

// width is the vector width of a piece.
func (m *mover) width(p piece, y codegen.OperandSpec) int {
	to := codegen.OperandSpec{Shape: []int{y.Width()}, Col: p.to, Cols: p.from.Selected()}
	return vectorWidth(p.from, to)
}

// live counts the rows of a step, inner of them per live row.
func live(inner int) func(k *codegen.K) codegen.I32 {
	return func(k *codegen.K) codegen.I32 { return k.Live().Mul(inner) }
}

// moves are the ops that only move rows.
var moves = map[string]func(s *codegen.Spec) mover{
	"copy": func(s *codegen.Spec) mover {
		x := s.Operands[0]
		return mover{rows: x.Shape[0] * x.Inner(), pieces: []piece{{0, x, 0}}, out: 1, count: live(x.Inner())}
	},
	"slice": func(s *codegen.Spec) mover {
		x := s.Operands[0]
		x.Col, x.Cols = s.Int("off"), s.Int("cols")
		return mover{rows: x.Shape[0] * x.Inner(), pieces: []piece{{0, x, 0}}, out: 1, count: live(x.Inner())}
	},
	"concat": func(s *codegen.Spec) mover {
		a, b := s.Operands[0], s.Operands[1]
		return mover{rows: a.Shape[0], pieces: []piece{{0, a, 0}, {1, b, a.Selected()}}, out: 2, count: live(1)}
	},
	// The last min(R, n) live rows.
	"take_rows": func(s *codegen.Spec) mover {
		rows := s.Operands[1].Shape[0]
		m := mover{rows: rows, pieces: []piece{{0, s.Operands[0], 0}}, out: 1}
		m.count = func(k *codegen.K) codegen.I32 { return k.Live().Min(k.GridX()) }
		if rows != s.Operands[0].Shape[0] {
			m.source = func(k *codegen.K, r codegen.I32) codegen.I32 {
				n := k.Live()
				return n.Sub(n.Min(rows)).Add(r).Clamp(0, s.Operands[0].Shape[0]-1)
			}
		}
		return m
	},
}

func move(s *codegen.Spec) (Kernel, error) {
	m := moves[s.Op](s)
	if from, to := s.Operands[0].DType, s.Operands[m.out].DType; from != to {
		return Kernel{}, fmt.Errorf("moves %s to %s, want equal types", from, to)
	}
	return m.kernel(s)
}
