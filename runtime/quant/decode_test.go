package quant

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

func decodable() []Type {
	var ts []Type
	for _, t := range Types() {
		if t.Decodable() {
			ts = append(ts, t)
		}
	}
	return ts
}

func TestDecodeEqualsReferenceBitForBit(t *testing.T) {
	for _, ty := range decodable() {
		ref := reference[ty]
		if ref == nil {
			t.Errorf("%s has a decoder and no reference", ty)
			continue
		}
		info, _ := ty.Info()
		const blocks = 300
		src := make([]byte, blocks*info.Bytes)
		NewRand(uint64(ty)).Fill(src) // any bytes: infinities and NaN scales too
		got, got64 := make([]float32, blocks*info.Elems), make([]float64, blocks*info.Elems)
		if err := ty.Decode(got, src); err != nil {
			t.Fatal(err)
		}
		if err := ty.Decode64(got64, src); err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			want := ref(src[i/info.Elems*info.Bytes:], i%info.Elems)
			if math.Float32bits(v) != math.Float32bits(want) && !(v != v && want != want) {
				t.Fatalf("%s: value %d is %v, want %v", ty, i, v, want)
			}
			if got64[i] != float64(v) && v == v {
				t.Fatalf("%s: Decode64 value %d is %v, want %v", ty, i, got64[i], v)
			}
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	tests := []struct {
		t           Type
		vals, bytes int
		want        string
	}{
		{Q4_K, 256, 143, "q4_k: 143 bytes do not hold 256 values (144 bytes per block of 256)"},
		{Q4_K, 255, 144, "q4_k: 144 bytes do not hold 255 values"},
		{Q8_0, 64, 34, "q8_0: 34 bytes do not hold 64 values"},
		{IQ2XXS, 256, 66, "unsupported type: blocks of iq2_xxs cannot be decoded"},
		{Type(4), 32, 32, "unknown tensor type id 4"},
		{Type(1 << 31), 32, 32, "unknown tensor type id 2147483648"},
	}
	for _, tt := range tests {
		err := tt.t.Decode(make([]float32, tt.vals), make([]byte, tt.bytes))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s.Decode(%d values, %d bytes) = %v, want %q", tt.t, tt.vals, tt.bytes, err, tt.want)
		}
		if got, want := errors.Is(err, ErrUnsupported), tt.t == IQ2XXS; got != want {
			t.Errorf("%s: errors.Is(ErrUnsupported) = %v, want %v", tt.t, got, want)
		}
	}
}

func TestDecodeAllocatesNothing(t *testing.T) {
	for _, ty := range decodable() {
		info, _ := ty.Info()
		src, dst := make([]byte, 4*info.Bytes), make([]float32, 4*info.Elems)
		if n := testing.AllocsPerRun(10, func() { _ = ty.Decode(dst, src) }); n != 0 {
			t.Errorf("%s: Decode allocates %v times", ty, n)
		}
	}
}

func TestTypeNames(t *testing.T) {
	for _, ty := range Types() {
		got, err := Parse(ty.String())
		if err != nil || got != ty {
			t.Errorf("Parse(%q) = %v, %v; want %d", ty.String(), got, err, uint32(ty))
		}
	}
	if _, err := Parse("q4_9"); err == nil {
		t.Error(`Parse("q4_9") gave no error`)
	}
	if _, err := Parse(""); err == nil {
		t.Error(`Parse("") gave no error: retired ids must not match`)
	}
	if got, want := Type(4).String(), "type(4)"; got != want {
		t.Errorf("Type(4).String() = %q, want %q", got, want)
	}
}

func TestRowBytes(t *testing.T) {
	tests := []struct {
		t    Type
		cols int
		want int // -1: error
	}{
		{Q4_K, 6144, 3456}, {Q6_K, 6144, 5040}, {Q8_0, 192, 204}, {F32, 7, 28}, {Q4_K, 0, 0},
		{Q4_K, 192, -1}, {Q8_0, 33, -1}, {Q8_0, -32, -1}, {Type(5), 32, -1}, {F64, math.MaxInt, -1},
		{NVFP4, 128, 72},
	}
	for _, tt := range tests {
		got, err := tt.t.RowBytes(tt.cols)
		if err != nil {
			got = -1
		}
		if got != tt.want {
			t.Errorf("%s.RowBytes(%d) = %d, %v; want %d", tt.t, tt.cols, got, err, tt.want)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, ty := range decodable() {
		info, _ := ty.Info()
		n := 1 << 14
		src, dst, dst64 := make([]byte, n/info.Elems*info.Bytes), make([]float32, n), make([]float64, n)
		if err := ty.RandomRow(src, NewRand(1), 0.02); err != nil {
			b.Fatal(err)
		}
		for _, f := range []struct {
			name string
			run  func()
		}{{"32", func() { ty.Decoder()(dst, src) }}, {"64", func() { ty.Decoder64()(dst64, src) }}} {
			b.Run(fmt.Sprintf("%s/%s", ty, f.name), func(b *testing.B) {
				for b.Loop() {
					f.run()
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mweights/s")
			})
		}
	}
}
