package cuda

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"dsac/codegen/emu"
	"dsac/codegen/ptx"
	"dsac/runtime/plan"
	"dsac/runtime/quant"
	"dsac/runtime/quant/repack"
)

// repackInGo does what repack.ptx does.
func repackInGo(dst, src, table []byte, n *node) {
	rows, rowBytes, units, words := n.params[3], n.params[4], n.params[5], n.params[6]
	for u := range uint64(n.grid[0]) {
		for w := range words {
			var v uint32
			span := le.Uint32(table[8*w:])
			for i := span & 0xffff; i < span>>16; i++ {
				m := le.Uint32(table[8*words+4*uint64(i):])
				row, at := u/units*16+uint64(m&15), u%units*words/4+uint64(m>>7&255)
				if row < rows && at < rowBytes {
					v |= uint32(src[row*rowBytes+at]) >> (m >> 4 & 7) & (m >> 15 & 255) << (m >> 23)
				}
			}
			le.PutUint32(dst[4*(u*words+w):], v^le.Uint32(table[8*w+4:]))
		}
	}
}

// layouts are those that repack.
func layouts() (ls []*repack.Layout) {
	for i := range repack.Layouts {
		if !repack.Layouts[i].Plain() {
			ls = append(ls, &repack.Layouts[i])
		}
	}
	return ls
}

// randomRows are n rows of a type.
func randomRows(t testing.TB, l *repack.Layout, n, cols int) []byte {
	t.Helper()
	row, err := l.Type.RowBytes(cols)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]byte, n*row)
	quant.NewRand(uint64(n)).Fill(out)
	return out
}

// pack is the host's way to a layout.
func pack(t testing.TB, l *repack.Layout, flat []byte, n, cols int) []byte {
	t.Helper()
	size, err := l.Bytes(n, cols)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]byte, size)
	if err := l.Pack(out, flat, n, cols); err != nil {
		t.Fatal(err)
	}
	return out
}

// The kernel in the emulator, for each layout, on a matrix that ends within a tile and within a
// unit: the bytes of Pack, each written once, and nothing read or written beside.
func TestRepackKernel(t *testing.T) {
	m, err := ptx.Parse(string(repackPTX))
	if err != nil {
		t.Fatal(err)
	}
	k, err := emu.Compile(m, repackKernel)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range layouts() {
		t.Run(l.Name, func(t *testing.T) {
			info, _ := l.Type.Info()
			n, cols := 19, (l.UnitCols/info.Elems+1)*info.Elems
			flat := randomRows(t, l, n, cols)
			want := pack(t, l, flat, n, cols)
			r := repacker{tables: map[*repack.Layout]uint64{}}
			launch := r.launch(&job{layout: l, data: flat, rows: n, cols: cols}, 0, 0)
			table := new(bytes.Buffer)
			for _, w := range l.Moves() {
				table.Write(le.AppendUint32(nil, w))
			}
			dst := emu.NewBuffer("dst", len(want))
			params := []emu.Param{
				{Name: "dst", Buf: dst, Access: emu.Write, Cover: []emu.Range{{Hi: len(want)}}},
				{Name: "src", Buf: emu.BufferOf("src", flat), Access: emu.Read},
				{Name: "table", Buf: emu.BufferOf("table", table.Bytes()), Access: emu.Read},
			}
			for _, v := range launch.params[3:] {
				params = append(params, emu.Param{Name: "number", Value: v})
			}
			rep, err := k.Launch(emu.LaunchConfig{Launch: ptx.Launch{Grid: launch.grid, Block: launch.block}, Params: params}, emu.Options{Target: "sm_80"})
			if err != nil {
				t.Fatal(err)
			}
			if err := rep.Err(); err != nil {
				t.Error(err)
			}
			if !bytes.Equal(dst.Data, want) {
				t.Error("the kernel's bytes differ from Pack's")
			}
		})
	}
}

// repackPlan has two tensors for each layout, three matrices of 35 rows and three of whole tiles,
// and some of more bytes than a pinned buffer holds.
func repackPlan(t testing.TB) (p *plan.Plan, w memWeights, want map[string][]byte) {
	t.Helper()
	var all []tensor
	w, want = memWeights{}, map[string][]byte{}
	add := func(l *repack.Layout, name string, rows, cols, matrices int) {
		all = append(all, tensor{name, l.Type, l, []uint64{uint64(cols), uint64(rows), uint64(matrices)}})
		for range matrices {
			flat := randomRows(t, l, rows, cols)
			w[name] = append(w[name], flat...)
			want[name] = append(want[name], pack(t, l, flat, rows, cols)...)
		}
	}
	for _, l := range layouts() {
		add(l, l.Name, 35, 512, 3)
		add(l, "whole "+l.Name, 48, 512, 3)
	}
	for _, t := range []quant.Type{quant.Q8_0, quant.Q4_K} {
		l, err := repack.For(t)
		if err != nil {
			panic(err)
		}
		add(l, "large "+l.Name, 5003, 1024, 1)
		add(l, "large whole "+l.Name, 1104, 1024, 3)
	}
	return weightsPlan(t, all...), w, want
}

// arrived compares what lies on a device with what should.
func arrived(t *testing.T, d *Device, want map[string][]byte) {
	t.Helper()
	for name, bytes := range want {
		got, err := d.Buffer(name)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, bytes) {
			t.Errorf("weight %s differs from what Pack makes of it", name)
		}
	}
}

func TestUploadRepacks(t *testing.T) {
	p, w, want := repackPlan(t)
	var done, total uint64
	f := newFake()
	d, err := load(context.Background(), f, p, w, Options{Progress: func(d, n uint64) { done, total = d, n }})
	if err != nil {
		t.Fatal(err)
	}
	arrived(t, d, want)
	size := 0
	for _, b := range w {
		size += len(b)
	}
	if done != uint64(size) || total != done {
		t.Errorf("progress ended with %d of %d, want %d", done, total, size)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// What the plan says of a layout must fit the tensor.
func TestUploadRefusesLayouts(t *testing.T) {
	l, err := repack.For(quant.Q8_0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		plan func(p *plan.Plan, w *plan.Weight)
		want string
	}{
		{"unknown", func(p *plan.Plan, w *plan.Weight) { w.Layout = w.Name }, `no weight layout is named "w"`},
		{"of another type", func(p *plan.Plan, w *plan.Weight) {
			p.Strings = append(p.Strings, "q4k_mma16_1")
			w.Layout = plan.Str(len(p.Strings) - 1)
		}, "layout q4k_mma16_1 is for q4_k, the tensor is q8_0"},
		{"of another size", func(p *plan.Plan, w *plan.Weight) { p.Bufs[w.Buf].Size -= 64 }, fmt.Sprintf("gives %d bytes, the plan wants %d", 2*1088, 2*1088-64)},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := weightsPlan(t, tensor{"w", quant.Q8_0, l, []uint64{64, 20}})
			c.plan(p, &p.Weights[0])
			f := newFake()
			_, err := load(context.Background(), f, p, memWeights{"w": randomRows(t, l, 20, 64)}, Options{})
			if err == nil || !bytes.Contains([]byte(err.Error()), []byte(c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if f.open != 0 {
				t.Errorf("%d things were not given back", f.open)
			}
		})
	}
}
