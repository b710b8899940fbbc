package kernels

import (
	"fmt"

	"dsac/codegen"
)

// mqa is what the attention kernels share: queries of a few heads meet gathered rows of the
// latent cache, both as f16 in shared memory. A row of rank+rope elements is a key; its first
// rank elements are the value too.
//
// Rows in shared memory are padded by 16 bytes: their stride is then an odd multiple of 16, and
// the 8 rows that ldmatrix reads lie in different banks.
type mqa struct {
	heads, rank, rope int
	qa, qp            codegen.OperandSpec
	cache             cacheType
	rows              int // of the cache
	list              int // entries per query row
	scale             float64
}

func newMqa(s *codegen.Spec) (mqa, error) {
	qa, qp, latent := s.Operands[0], s.Operands[1], s.Operands[2]
	a := mqa{heads: qa.Inner(), rank: qa.Width(), rope: qp.Selected(), qa: qa, qp: qp, rows: latent.Shape[0],
		list: s.Operands[3].Width(), scale: s.Float("scale")}
	switch {
	case a.rank%32 != 0 || (a.rank+a.rope)%32 != 0 || a.rope == 0:
		return a, fmt.Errorf("latent rows of %d+%d elements: want multiples of 32", a.rank, a.rope)
	case vectorWidth(qp) != 4:
		return a, fmt.Errorf("columns [%d, %d) of %d: want multiples of 4", qp.Col, qp.Col+qp.Cols, qp.Width())
	}
	var err error
	a.cache, err = cacheOf(latent)
	return a, err
}

// width is the number of elements of a latent row.
func (a *mqa) width() int { return a.rank + a.rope }

// stride is the distance of rows in shared memory, in bytes.
func (a *mqa) stride() int { return 2*a.width() + 16 }

// entry loads place i of the list of query row t: -1 from end on.
func (a *mqa) entry(k *codegen.K, t, i codegen.I32, end any) codegen.I32 {
	p := k.Arg(3).Elem(t, a.list*4).Elem(i.Clamp(0, a.list-1), 4)
	return codegen.Select(i.Lt(end), p.LdI32(), k.I32(-1))
}

// gather brings the rows of places first.. of a list into shared memory, per rows to a warp;
// where the list has ended there are zeros. Rows of f16 arrive when the copies are waited for.
func (a *mqa) gather(k *codegen.K, to codegen.Ptr, t, first codegen.I32, end any, per int) {
	place := k.Warp().Mul(per)
	mine := a.entry(k, t, first.Add(place).Add(k.Lane().And(per-1)), end) // lane i has number i modulo per
	for i := range per {
		e := codegen.ShflIdx(mine, i)
		from := k.Arg(2).Elem(e.Clamp(0, a.rows-1), a.width()*a.cache.size)
		a.copyRow(k, to.Elem(place.Add(i), a.stride()), from, e.Ge(0))
	}
}

// copyRow copies a row, 16 bytes per lane at a time, or zeros.
func (a *mqa) copyRow(k *codegen.K, to, from codegen.Ptr, ok codegen.Pred) {
	chunks := a.width() / 8
	valid := codegen.Select(ok, k.I32(16), k.I32(0))
	for c := 0; c < chunks; c += 32 {
		one := func() {
			i := k.Lane().Add(c)
			dst, src := to.Elem(i, 16), from.Elem(i, 8*a.cache.size)
			if a.cache.async {
				k.CopyAsyncZero(dst, src, 16, valid)
				return
			}
			dst.StI32x4(a.cache.load8(k, src.When(ok)))
		}
		if c+32 <= chunks {
			one()
		} else {
			k.If(k.Lane().Lt(chunks-c), one)
		}
	}
}

// Fragments of the 16x8x16 products; rows and stride are those of a matrix in shared memory.

// left loads a 16x16 matrix whose rows lie stride apart.
func left(k *codegen.K, p codegen.Ptr, stride int) [4]codegen.I32 {
	return [4]codegen.I32(k.LdMatrix(p.Elem(k.Lane().And(15), stride).Elem(k.Lane().Shr(4), 16), 4, false))
}

// rightKeys loads 8 rows of 32 elements as the columns of two products.
func rightKeys(k *codegen.K, p codegen.Ptr, stride int) (a, b [2]codegen.I32) {
	x := k.LdMatrix(p.Elem(k.Lane().And(7), stride).Elem(k.Lane().Shr(3), 16), 4, false)
	return [2]codegen.I32{x[0], x[1]}, [2]codegen.I32{x[2], x[3]}
}

// rightValues loads 16 rows of 16 elements, the elements as the columns of two products.
func rightValues(k *codegen.K, p codegen.Ptr, stride int) (a, b [2]codegen.I32) {
	x := k.LdMatrix(p.Elem(k.Lane().And(15), stride).Elem(k.Lane().Shr(4), 16), 4, true)
	return [2]codegen.I32{x[0], x[1]}, [2]codegen.I32{x[2], x[3]}
}

// zeros4 is an empty accumulator.
func zeros4(k *codegen.K) [4]codegen.F32 {
	return [4]codegen.F32{k.F32(0), k.F32(0), k.F32(0), k.F32(0)}
}

// accumulators are fragments that a loop adds to.
type accumulators [][4]*codegen.Var[codegen.F32]

func newAccumulators(k *codegen.K, n int) accumulators {
	acc := make(accumulators, n)
	for i := range acc {
		acc[i] = [4]*codegen.Var[codegen.F32](codegen.Lets(4, k.F32(0)))
	}
	return acc
}

func (a accumulators) get(i int) (x [4]codegen.F32) {
	for j := range x {
		x[j] = a[i][j].Get()
	}
	return x
}

func (a accumulators) set(i int, x [4]codegen.F32) {
	for j := range x {
		a[i][j].Set(x[j])
	}
}

// scaleRows multiplies the rows lane/4 and lane/4+8 of all fragments.
func (a accumulators) scaleRows(by [2]codegen.F32) {
	for i := range a {
		for j := range 4 {
			a[i][j].Set(a[i][j].Get().Mul(by[j/2]))
		}
	}
}

// rightKeysHalf loads 8 rows of 16 elements as the columns of a product.
func rightKeysHalf(k *codegen.K, p codegen.Ptr, stride int) [2]codegen.I32 {
	x := k.LdMatrix(p.Elem(k.Lane().And(7), stride).Elem(k.Lane().Shr(3).And(1), 16), 2, false)
	return [2]codegen.I32{x[0], x[1]}
}
