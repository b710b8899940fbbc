package plan

import (
	"fmt"
	"testing"
)

// synthetic makes a plan of about the size of a full model: entries times layers times steps.
// order permutes the interning of strings, which must not matter.
func synthetic(entries, layers, steps int, order []string) *Plan {
	b := NewBuilder()
	for _, s := range order {
		b.Str(s)
	}
	p := b.P
	p.Meta = []KV{{b.Str("arch"), b.Str("glm-dsa")}, {b.Str("ctx"), b.Str("4096")}}
	p.Regions = []Region{{Name: b.Str("A"), Kind: Arena, Size: 1 << 30}, {Name: b.Str("S"), Kind: State, Size: 1 << 40}, {Name: b.Str("W"), Kind: Const, Size: 1 << 40}}
	blank := Buf{Entry: None, Parent: None, InplaceOf: None, Layer: None, LifeLo: None, LifeHi: None}
	for l := range layers {
		buf := blank
		buf.Name, buf.Region, buf.Layer, buf.Off, buf.Size = b.Str(fmt.Sprintf("latent.%d", l)), 1, int32(l), uint64(l)<<23, 1<<22
		buf.DType, buf.HasValid, buf.Valid = b.Str("f16"), true, Times(1024, SymPos)
		p.Bufs = append(p.Bufs, buf)
		buf = blank
		buf.Name, buf.Region, buf.Off, buf.Size = b.Str(fmt.Sprintf("w.%d", l)), 2, uint64(l)<<20, 1<<20
		p.Bufs = append(p.Bufs, buf)
		p.Weights = append(p.Weights, Weight{Name: b.Str(fmt.Sprintf("blk.%d.attn_q.weight", l)), Type: b.Str("q4_k"),
			Layout: b.Str("gguf"), Buf: int32(len(p.Bufs) - 1), Dims: [4]uint64{256, 7282, 1, 1}, Axis: None})
	}
	for e := range entries {
		en := Entry{Name: b.Str(fmt.Sprintf("e%d", e)), Rows: 8, Outs: 1, Arena: 1 << 20}
		en.Items.Off, en.Steps.Off = uint32(len(p.Items)), uint32(len(p.Steps))
		first := int32(len(p.Bufs))
		for l := range layers {
			for s := range steps {
				buf := blank
				buf.Name, buf.Entry, buf.Size = b.Str(fmt.Sprintf("l%d.b%d", l, s)), int32(e), 4096
				buf.Off, buf.DType, buf.Align = uint64(s)*4096, b.Str("f32"), 256
				p.Bufs = append(p.Bufs, buf)
			}
		}
		for l := range layers {
			for s := range steps {
				i := int32(l*steps + s)
				os := []Operand{{Buf: int32(2 * l), Lo: Fixed(0), Hi: Times(1024, SymLen)}, {Buf: int32(2*l + 1), Hi: Whole}}
				if i > 0 {
					os = append(os, Operand{Buf: first + i - 1, Hi: Times(512, SymN), Expect: b.AddExpects([]int32{int32(len(p.Steps)) - 1})})
				}
				os = append(os, Operand{Buf: first + i, Effect: W, Hi: Times(512, SymN)})
				p.Items = append(p.Items, Item{Index: int32(len(p.Steps))})
				p.Steps = append(p.Steps, Step{Name: b.Str(fmt.Sprintf("l%d.op%d", l, s)), Op: b.Str("matmul"), Operands: b.AddOperands(os),
					Attrs: b.AddAttrs([]Attr{b.FloatAttr("eps", 1e-5), b.IntAttr("layer", int64(l))}), Source: None, Launch: None})
			}
		}
		en.Items.Len, en.Steps.Len = uint32(len(p.Items))-en.Items.Off, uint32(len(p.Steps))-en.Steps.Off
		p.Entries = append(p.Entries, en)
	}
	return p
}

func TestSyntheticRoundTrips(t *testing.T) {
	checkRoundTrip(t, "synthetic", synthetic(2, 3, 4, nil))
}

// BenchmarkOpen loads a plan of 10 MB: the goal is 10 ms.
func BenchmarkOpen(b *testing.B) {
	path := b.TempDir() + "/a.plan"
	p := synthetic(8, 78, 32, nil)
	if err := WriteFile(path, p); err != nil {
		b.Fatal(err)
	}
	data, _ := Encode(p)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		m, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		m.Close()
	}
}

// BenchmarkSound measures the checks that run beside the hash.
func BenchmarkSound(b *testing.B) {
	p := synthetic(8, 78, 32, nil)
	for b.Loop() {
		if err := Sound(p); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	p := synthetic(8, 78, 32, nil)
	for b.Loop() {
		if _, err := Encode(p); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	text := []byte(synthetic(8, 78, 32, nil).Text())
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Parse("b", text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPrint(b *testing.B) {
	p := synthetic(8, 78, 32, nil)
	for b.Loop() {
		b.SetBytes(int64(len(p.Text())))
	}
}
