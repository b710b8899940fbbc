package kernels

import "dsac/codegen"

// scoreRow is a row of scores that keys are made of.
type scoreRow struct {
	row   codegen.Ptr
	most  int         // scores of the longest row
	vec   int         // scores that can be loaded at once
	limit codegen.I32 // scores of this row
}

// load reads n scores from position first on; what lies past the limit means nothing.
func (r *scoreRow) load(first codegen.I32, n int) []codegen.F32 {
	var xs []codegen.F32
	for j := 0; j < n; j += r.vec {
		p := first.Add(j)
		xs = append(xs, r.row.Elem(p.Clamp(0, r.most-r.vec), 4).When(p.Lt(r.limit)).LdF32s(r.vec)...)
	}
	return xs
}

// keysOf makes keys of scores from position first on: 0 past the limit.
func (r *scoreRow) keysOf(first codegen.I32, xs []codegen.F32) []codegen.I32 {
	keys := make([]codegen.I32, len(xs))
	for j, x := range xs {
		keys[j] = codegen.Select(first.Add(j).Lt(r.limit), sortKey(x), codegen.KernelOf(x).I32(0))
	}
	return keys
}
