package cuda

import (
	"testing"

	"dsac/runtime/plan"
	"dsac/runtime/quant"
	"dsac/runtime/quant/repack"
)

// tensor is a weight of weightsPlan.
type tensor struct {
	name   string
	typ    quant.Type
	layout *repack.Layout // nil: as in the file
	dims   []uint64
}

// weightsPlan has tensors as weights and no entries.
func weightsPlan(t testing.TB, tensors ...tensor) *plan.Plan {
	t.Helper()
	b := plan.NewBuilder()
	p := b.P
	p.Meta = []plan.KV{{Key: b.Str(plan.MetaTarget), Val: b.Str("sm_80")}}
	p.Regions = []plan.Region{{Name: b.Str("S"), Kind: plan.State, Size: 256}, {Name: b.Str("W"), Kind: plan.Const}}
	add := func(name string, region int32, size uint64, role plan.Role) int32 {
		off := uint64(0)
		if region == 1 {
			off = p.Regions[1].Size
			p.Regions[1].Size += (size + 255) / 256 * 256
		}
		p.Bufs = append(p.Bufs, plan.Buf{Name: b.Str(name), Region: region, Entry: plan.None, Parent: plan.None, InplaceOf: plan.None,
			Layer: plan.None, LifeLo: plan.None, LifeHi: plan.None, Off: off, Size: size, Role: role})
		return int32(len(p.Bufs) - 1)
	}
	add("ctl", 0, plan.CtlSize, plan.Control)
	for _, x := range tensors {
		w := plan.Weight{Name: b.Str(x.name), Type: b.Str(x.typ.String()), Layout: b.Str("gguf"), Dims: [4]uint64{1, 1, 1, 1}, Axis: plan.None}
		copy(w.Dims[:], x.dims)
		size, err := tensorBytes(p, &w)
		if err != nil {
			t.Fatal(err)
		}
		if x.layout != nil {
			w.Layout = b.Str(x.layout.Name)
			n, err := x.layout.Bytes(int(w.Dims[1]), int(w.Dims[0]))
			if err != nil {
				t.Fatal(err)
			}
			size = uint64(n) * w.Dims[2] * w.Dims[3]
		}
		w.Buf = add(x.name, 1, size, plan.Temp)
		p.Weights = append(p.Weights, w)
	}
	return p
}
