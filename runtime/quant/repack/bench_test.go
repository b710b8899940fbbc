package repack

import "testing"

// Benchmarks of every layout on a matrix of 64 rows; SetBytes counts the bytes of the file form.

func BenchmarkPack(b *testing.B) { bench(b, (*Layout).Pack) }
func BenchmarkUnpack(b *testing.B) {
	bench(b, func(l *Layout, packed, flat []byte, n, cols int) error { return l.Unpack(flat, packed, n, cols) })
}

func bench(b *testing.B, move func(l *Layout, packed, flat []byte, n, cols int) error) {
	const n, cols = 64, 6144
	for _, l := range Layouts {
		b.Run(l.Name, func(b *testing.B) {
			flat, dst := packed(b, &l, n, cols, 1)
			b.SetBytes(int64(len(flat)))
			b.ReportAllocs()
			for b.Loop() {
				if err := move(&l, dst, flat, n, cols); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
