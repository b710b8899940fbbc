package host

import (
	"testing"

	"dsac/runtime/plan"
)

// FuzzUnsoundPlan changes fields of a small plan, within what decoding a plan file
// guarantees (indices and enumerations in range), and loads and runs it: an error is fine, a
// panic is not.
func FuzzUnsoundPlan(f *testing.F) {
	f.Add([]byte{0, 0, 0})
	f.Add([]byte{1, 2, 5, 4, 3, 200, 9, 1, 7})
	f.Add([]byte{2, 4, 255, 2, 5, 255, 3, 0, 1, 12, 1, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		b, w := fuzzPlan(t)
		p := b.b.P
		for ; len(data) >= 3; data = data[3:] {
			disturb(p, data[0], int(data[1]), data[2])
		}
		d, err := Load(p, w, Options{Workers: 2, Poison: len(data) > 0, Canary: len(data) > 1})
		if err != nil {
			return
		}
		defer d.Close()
		for n := range 3 {
			_ = d.Run(0, 1+n) // an error or not: both are right
		}
		_ = d.RandomState(1, 3)
		_ = d.Run(0, 2)
		d.Logits(0, 0)
	})
}

func fuzzPlan(t testing.TB) (*builder, tensorMap) {
	b := newBuilder(t, 16)
	ids := b.buf("ids", inI, "i32", 4)
	table, q := b.weight("table", "q8_0", 9, 32), b.weight("w", "f16", 9, 32)
	cache := b.cache("cache", 0, "f16", 16, 32)
	b.begin("go", 4, 1)
	x, y, idx := b.tmp("x", 4, 32), b.buf("y", inO, "f32", 4, 9), b.buf("idx", inA, "i32", 4, 2)
	b.step("embed", nil, ids, table, x)
	b.step("append", nil, x, cache)
	b.step("matmul", nil, x, q, y)
	b.step("topk", []plan.Attr{b.i("k", 2)}, y, idx)
	b.step("advance", nil, b.ctl, ids)
	b.end()
	return b, tensorMap{"table": make([]byte, 9*34), "w": make([]byte, 9*64)}
}

// disturb changes one field.
func disturb(p *plan.Plan, what byte, at int, v byte) {
	buf := &p.Bufs[at%len(p.Bufs)]
	o := &p.Operands[at%len(p.Operands)]
	s := &p.Steps[at%len(p.Steps)]
	n := int64(int8(v))
	switch what % 13 {
	case 0:
		buf.Size = uint64(n)
	case 1:
		buf.Off = uint64(n)
	case 2:
		buf.Shape[v%4] = uint32(v)
	case 3:
		buf.Dims = v % 5
	case 4:
		buf.DType = plan.Str(int(v) % len(p.Strings))
	case 5:
		buf.Region = int32(int(v) % len(p.Regions))
	case 6:
		o.Buf = int32(int(v) % len(p.Bufs))
	case 7:
		o.Col, o.Cols = uint32(v%16), uint32(v/16)
	case 8:
		o.Hi = plan.Lin{C: n, K: n, Sym: plan.SymID(v % 4)}
	case 9:
		o.Effect = plan.Effect(v % 5)
	case 10:
		s.Op = plan.Str(int(v) % len(p.Strings))
	case 11:
		s.Attrs.Len = 0
	case 12:
		p.Entries[0].Rows = uint32(v)
	}
}
