package repack

import (
	"testing"

	"dsac/runtime/quant"
)

// Benchmarks count the bytes of the file form. The small matrices stay in a cache near the
// core, those of the Large ones come from memory, as weights do.

func BenchmarkPack(b *testing.B) {
	for _, l := range Layouts {
		b.Run(l.Name, func(b *testing.B) { bench(b, l, 64, (*Layout).Pack) })
	}
}

func BenchmarkUnpack(b *testing.B) {
	unpack := func(l *Layout, packed, flat []byte, n, cols int) error { return l.Unpack(flat, packed, n, cols) }
	for _, l := range Layouts {
		b.Run(l.Name, func(b *testing.B) { bench(b, l, 64, unpack) })
	}
}

func BenchmarkPackLarge(b *testing.B) {
	for _, l := range Layouts {
		switch l.Type {
		case quant.Q4_K, quant.Q5_K, quant.Q6_K, quant.Q8_0:
			b.Run(l.Name, func(b *testing.B) { bench(b, l, 40000, (*Layout).Pack) })
		}
	}
}

func bench(b *testing.B, l Layout, n int, move func(l *Layout, packed, flat []byte, n, cols int) error) {
	const cols = 6144
	flat, dst := packed(b, &l, n, cols, 1)
	b.SetBytes(int64(len(flat)))
	b.ReportAllocs()
	for b.Loop() {
		if err := move(&l, dst, flat, n, cols); err != nil {
			b.Fatal(err)
		}
	}
}
