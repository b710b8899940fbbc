package kernels

import "dsac/codegen"

// fetchedQuery is eight elements of a query row on their way to shared memory.
type fetchedQuery struct {
	row codegen.I32
	at  codegen.I32  // bytes from the start of the row
	in  codegen.Pred // there is such a chunk
	x   []codegen.F32
}

// fetch loads this thread's share of the queries of heads first.. of row t, all of it before any
// is used; rows past the last head are zeros.
func (a *mqa) fetch(k *codegen.K, t, first codegen.I32, rows, threads int) (list []fetchedQuery) {
	for _, p := range []struct{ arg, width, at int }{{0, a.rank, 0}, {1, a.rope, 2 * a.rank}} {
		spec := []codegen.OperandSpec{a.qa, a.qp}[p.arg]
		per := p.width / 8 // chunks of a row
		for u := 0; u < rows*per; u += threads {
			i := k.Thread().Add(u)
			r := i.UDiv(per)
			q := fetchedQuery{row: r, at: i.Sub(r.Mul(per)).Mul(16).Add(p.at), in: k.Bool(true)}
			if u+threads > rows*per {
				q.in = r.Lt(rows)
			}
			head, there := first.Add(r), q.in
			if a.heads%rows != 0 {
				there = there.And(head.Lt(a.heads))
			}
			from := rowAt(k.Arg(p.arg), spec, t.Mul(a.heads).Add(head.Min(a.heads-1)))
			from = from.Elem(i.Sub(r.Mul(per)), 8*f32).When(there)
			q.x = append(from.LdF32s(4), from.At(16).LdF32s(4)...)
			list = append(list, q)
		}
	}
	return list
}

// settle puts fetched queries into shared memory, times the factor that makes scores exponents
// of two. Softmax sees the error of a score as it is, so that small elements may lose digits in
// f16.
func (a *mqa) settle(k *codegen.K, to codegen.Ptr, list []fetchedQuery) {
	for _, q := range list {
		k.If(q.in, func() {
			for i := range q.x {
				q.x[i] = q.x[i].Mul(a.scale * codegen.Log2E)
			}
			to.Elem(q.row, a.stride()).At(q.at).StI32x4(packEight(k, q.x))
		})
	}
}
