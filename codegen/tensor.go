package codegen

import (
	"fmt"

	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

// LdMatrix loads n = 1, 2 or 4 matrices of 8x8 16-bit elements from shared memory: lane 8*m+r
// gives the address of row r of matrix m, 16 bytes aligned to 16. Each lane gets one word per
// matrix: row lane/4, elements 2*(lane%4) and the next; with trans, of the transposed matrix.
func (k *K) LdMatrix(p Ptr, n int, trans bool) []I32 {
	if !p.own("no matrix is loaded from a place") || p.space != Shared || n != 1 && n != 2 && n != 4 {
		k.failf("ldmatrix takes 1, 2 or 4 matrices from shared memory")
		return []I32{k.I32(0), k.I32(0), k.I32(0), k.I32(0)}
	}
	op := fmt.Sprintf("ldmatrix.sync.aligned.m8n8.x%d", n)
	if trans {
		op += ".trans"
	}
	out := k.asm(barrier, fmt.Sprintf("%s.shared.b16 {%s}, [$%d];", op, list(0, n), n), repeat(types.I32, n), p.v)
	return words(k, out)
}

func words(k *K, vs []value.Value) []I32 {
	ws := make([]I32, len(vs))
	for i, v := range vs {
		ws[i] = I32{k, v}
	}
	return ws
}

// MmaF16 returns a*b + c for the 16x16 matrix a (row-major) and the 16x8 matrix b
// (column-major) of f16, with f32 sums: mma.m16n8k16, fragments as PTX lays them out.
func (k *K) MmaF16(a [4]I32, b [2]I32, c [4]F32) [4]F32 { return k.mmaFloat("f16", a, b, c) }

// MmaBF16 is MmaF16 for bf16.
func (k *K) MmaBF16(a [4]I32, b [2]I32, c [4]F32) [4]F32 { return k.mmaFloat("bf16", a, b, c) }

func (k *K) mmaFloat(t string, a [4]I32, b [2]I32, c [4]F32) (d [4]F32) {
	in := []value.Value{a[0].v, a[1].v, a[2].v, a[3].v, b[0].v, b[1].v, c[0].v, c[1].v, c[2].v, c[3].v}
	for i, v := range k.mma(fmt.Sprintf("m16n8k16.row.col.f32.%s.%s.f32", t, t), types.Float, in) {
		d[i] = F32{k, v}
	}
	return d
}

// MmaS8 returns a*b + c for the 16x32 matrix a and the 32x8 matrix b of signed bytes.
func (k *K) MmaS8(a [4]I32, b [2]I32, c [4]I32) (d [4]I32) {
	in := []value.Value{a[0].v, a[1].v, a[2].v, a[3].v, b[0].v, b[1].v, c[0].v, c[1].v, c[2].v, c[3].v}
	for i, v := range k.mma("m16n8k32.row.col.s32.s8.s8.s32", types.I32, in) {
		d[i] = I32{k, v}
	}
	return d
}

func (k *K) mma(shape string, acc types.Type, in []value.Value) []value.Value {
	text := fmt.Sprintf("mma.sync.aligned.%s %s, %s, %s, %s;", shape, vector(0, 4), vector(4, 4), vector(8, 2), vector(10, 4))
	return k.asm(convergent, text, repeat(acc, 4), in...)
}
