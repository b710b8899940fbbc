package product

import (
	"dsac/codegen"
	"dsac/runtime/plan"
)

// rowsOf gives the address of row r of an operand, with inner rows per element of the first
// dimension, of which at names one.
func rowsOf(k *codegen.K, arg int, o codegen.OperandSpec, inner int, at codegen.I32) func(r codegen.I32) codegen.Ptr {
	return func(r codegen.I32) codegen.Ptr {
		size := sizes[o.DType]
		return k.Arg(arg).Elem(r.Mul(inner).Add(at), o.Width()*size).At(o.Col * size)
	}
}

// sizes are those of the elements of x.
var sizes = map[string]int{"f32": f32, "f16": plan.HalfBytes}

// flat sees [T, ...] as [T, rest].
func flat(o codegen.OperandSpec) codegen.OperandSpec {
	if len(o.Shape) > 2 {
		o.Shape = []int{o.Shape[0], elems(o.Shape[1:])}
	}
	return o
}

// wide says whether rows of x start at multiples of 16 bytes.
func wide(o codegen.OperandSpec) bool { return o.Width()%4 == 0 && o.Col%4 == 0 && o.Selected()%4 == 0 }

func first(v []codegen.F32) codegen.F32 { return v[0] }

// siluMul: silu(gate) * up.
func siluMul(v []codegen.F32) codegen.F32 { return v[0].Mul(v[0].Sigmoid()).Mul(v[1]) }

// dense are the jobs of matmul, matmul_add and gate_up.
func dense(s *codegen.Spec) (*job, error) {
	out := len(s.Operands) - 1
	x := flat(s.Operands[0])
	j := &job{spec: s, rows: s.Rows, batch: 1, segs: 1, x: 0, wide: wide(x), value: first}
	res := -1
	switch s.Op {
	case "matmul":
		j.args = []int{1}
	case "matmul_add":
		j.args, res = []int{1}, 2
	case "gate_up":
		j.args, j.value = []int{1, 2}, siluMul
	}
	if err := j.bindWeights(); err != nil {
		return nil, err
	}
	j.known = func(b codegen.I32) codegen.I32 { return codegen.KernelOf(b).I32(0) }
	j.bind = func(k *codegen.K, batch codegen.I32) bound {
		b := bound{
			live:   j.liveRows(k),
			row:    rowsOf(k, 0, x, 1, k.I32(0)),
			matrix: func(codegen.I32) codegen.I32 { return j.known(batch) },
			store: func(r, col codegen.I32, ok codegen.Pred, v codegen.F32) {
				j.columns(k, k.Arg(out), r).Elem(col, f32).When(ok).StF32(v)
			},
		}
		if res < 0 {
			return b
		}
		set := b.store
		old := func(r, col codegen.I32, ok codegen.Pred) codegen.F32 {
			return j.columns(k, k.Arg(res), r).Elem(col, f32).When(ok).LdF32()
		}
		b.old, b.set = old, set
		b.store = func(r, col codegen.I32, ok codegen.Pred, v codegen.F32) {
			set(r, col, ok, v.Add(old(r, col, ok))) // y may lie on res: a thread reads what it writes, first
		}
		return b
	}
	return j, nil
}

// head is the job of head_matmul: a batch is a head.
func head(s *codegen.Spec) (*job, error) {
	x, y := s.Operands[0], s.Operands[2]
	heads := y.Inner()
	j := &job{spec: s, args: []int{1}, rows: s.Rows, batch: heads, segs: 1, wide: wide(x), value: first}
	if err := j.bindWeights(); err != nil {
		return nil, err
	}
	j.known = func(h codegen.I32) codegen.I32 { return h }
	j.bind = func(k *codegen.K, h codegen.I32) bound {
		return bound{
			live:   j.liveRows(k),
			row:    rowsOf(k, 0, x, heads, h),
			matrix: func(codegen.I32) codegen.I32 { return h },
			store: func(r, col codegen.I32, ok codegen.Pred, v codegen.F32) {
				k.Arg(2).Elem(r.Mul(heads).Add(h), y.Width()*f32).Elem(col, f32).When(ok).StF32(v)
			},
		}
	}
	return j, nil
}

// bindWeights reads the weight operands.
func (j *job) bindWeights() error {
	for _, a := range j.args {
		w, err := weightOf(j.spec.Operands[a])
		if err != nil {
			return err
		}
		j.weights = append(j.weights, w)
	}
	return j.check()
}
