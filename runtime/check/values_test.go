package check

import (
	"encoding/binary"
	"math"
	"testing"

	"dsac/runtime/quant"
)

func floats(t quant.Type, vs ...float32) []byte {
	var b []byte
	for _, v := range vs {
		switch t {
		case quant.F16:
			b = binary.LittleEndian.AppendUint16(b, quant.F32ToF16(v))
		case quant.BF16:
			b = binary.LittleEndian.AppendUint16(b, quant.F32ToBF16(v))
		default:
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
	}
	return b
}

func TestTolerance(t *testing.T) {
	inf, nan := float32(math.Inf(-1)), float32(math.NaN())
	dead := math.Float32frombits(poisonFloat)
	for _, c := range []struct {
		name      string
		t         quant.Type
		abs, rel  float64
		got, want []float32
		kind      Kind
		at        int
	}{
		{"equal", quant.F32, 0, 0, []float32{1, 2}, []float32{1, 2}, "", 0},
		{"of the largest in the row", quant.F32, 0, 0.01, []float32{0.05, 10}, []float32{0, 10}, "", 0},
		{"of the row, not of another", quant.F32, 0, 0.01, []float32{0.05, 1, 0, 10}, []float32{0, 1, 0, 10}, Differs, 0},
		{"in the second row", quant.F32, 0, 0.01, []float32{0, 1, 0, 11}, []float32{0, 1, 0, 10}, Differs, 12},
		{"absolute", quant.F32, 0.1, 0, []float32{0.05, 0}, []float32{0, 0}, "", 0},
		{"exact, off by a bit", quant.F32, 0, 0, []float32{1, 2.0000002}, []float32{1, 2}, Differs, 4},
		{"zeros of either sign", quant.F32, 0, 0, []float32{0, 1}, []float32{float32(math.Copysign(0, -1)), 1}, "", 0},
		{"infinity does not widen", quant.F32, 0, 0.01, []float32{inf, 2}, []float32{inf, 1}, Differs, 4},
		{"infinity instead of a number", quant.F32, 0, 0.01, []float32{inf, 1}, []float32{1, 1}, Differs, 0},
		{"a number instead of infinity", quant.F32, 0, 0.01, []float32{1, 1}, []float32{inf, 1}, Differs, 0},
		{"NaN", quant.F32, 1, 1, []float32{1, nan}, []float32{1, 2}, NotANum, 4},
		{"the host's NaN is no number", quant.F32, 1, 1, []float32{1, 2}, []float32{1, nan}, Differs, 4},
		{"poison", quant.F32, 1, 1, []float32{1, dead}, []float32{1, 2}, Unwritten, 4},
		{"half, next number, some tolerance", quant.F16, 0, 1e-6, []float32{1.0009766, 1}, []float32{1, 1}, "", 0},
		{"half, next number, exact", quant.F16, 0, 0, []float32{1.0009766, 1}, []float32{1, 1}, Differs, 0},
		{"half, next but one", quant.F16, 0, 1e-6, []float32{1.0019531, 1}, []float32{1, 1}, Differs, 0},
		{"bfloat, next number", quant.BF16, 0, 1e-6, []float32{1.0078125, 1}, []float32{1, 1}, "", 0},
		{"bfloat, next but one", quant.BF16, 0, 1e-6, []float32{1, 1.015625}, []float32{1, 1}, Differs, 2},
	} {
		l := layout{t: c.t, shape: []int{len(c.got) / 2, 2}}
		got, want := floats(c.t, c.got...), floats(c.t, c.want...)
		k := comparison{abs: c.abs, rel: c.rel, hi: len(got)}
		if err := k.run(l, got, want); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if k.kind != c.kind || c.kind != "" && k.at != c.at {
			t.Errorf("%s: got %q at byte %d, want %q at %d", c.name, k.kind, k.at, c.kind, c.at)
		}
	}
}

// A NaN that a GPU makes is no poison: the step has written it.
func TestNaNOfArithmeticIsWritten(t *testing.T) {
	for _, c := range []struct {
		t   quant.Type
		got []byte
	}{
		{quant.F32, []byte{0xff, 0xff, 0xff, 0x7f}}, {quant.F16, []byte{0xff, 0x7f}}, {quant.BF16, []byte{0xff, 0x7f}},
		{quant.F32, []byte{0, 0, 0xc0, 0x7f}}, {quant.F16, []byte{0, 0x7e}}, {quant.BF16, []byte{0xc0, 0x7f}},
	} {
		k := comparison{hi: len(c.got)}
		if err := k.run(layout{t: c.t, shape: []int{1, 1}}, c.got, floats(c.t, 1)); err != nil || k.kind != NotANum {
			t.Errorf("%s %x: got %q, %v, want %q", c.t, c.got, k.kind, err, NotANum)
		}
		poison(c.got, c.t.String())
		if k = (comparison{hi: len(c.got)}); k.run(layout{t: c.t, shape: []int{1, 1}}, c.got, floats(c.t, 1)) != nil || k.kind != Unwritten {
			t.Errorf("%s %x: got %q, want %q", c.t, c.got, k.kind, Unwritten)
		}
	}
}

// TestSizes: a row whose terms cancel is judged by what they would add up to.
func TestSizes(t *testing.T) {
	l := layout{t: quant.F32, shape: []int{2, 1}}
	got, want := floats(quant.F32, 0.15, 0.25), floats(quant.F32, 0.1, 0.1)
	k := comparison{rel: 0.01, hi: 8, size: func(int) float64 { return 10 }}
	if err := k.run(l, got, want); err != nil || k.wrong != 1 || k.at != 4 {
		t.Errorf("%d values are wrong, the first at byte %d (%v): want one at 4", k.wrong, k.at, err)
	}
}

// TestComparedRange leaves bytes outside of the declared range alone.
func TestComparedRange(t *testing.T) {
	l := layout{t: quant.F32, shape: []int{3, 2}}
	got, want := floats(quant.F32, 9, 9, 1, 2, 9, 9), floats(quant.F32, 0, 0, 1, 2, 0, 0)
	k := comparison{lo: 8, hi: 16}
	if err := k.run(l, got, want); err != nil || k.kind != "" || k.values != 2 {
		t.Errorf("got %q, %d values, %v", k.kind, k.values, err)
	}
}
