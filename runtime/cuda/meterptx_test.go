package cuda

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"dsac/codegen/emu"
	"dsac/codegen/ptx"
	"dsac/runtime/quant"
)

// The kernels that measure a device do what they say, in the emulator.
func TestMeterKernels(t *testing.T) {
	m, err := ptx.Parse(string(meterPTX))
	if err != nil {
		t.Fatal(err)
	}
	launch := func(name string, blocks int, params ...emu.Param) {
		t.Helper()
		k, err := emu.Compile(m, name)
		if err != nil {
			t.Fatal(err)
		}
		cfg := emu.LaunchConfig{Launch: ptx.Launch{Grid: [3]uint32{uint32(blocks), 1, 1}, Block: [3]uint32{rateThreads, 1, 1}}, Params: params}
		rep, err := k.Launch(cfg, emu.Options{})
		if err == nil {
			err = rep.Err()
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	random := func(n int) []byte {
		b := make([]byte, n)
		quant.NewRand(uint64(n)).Fill(b)
		return b
	}
	src := random(16 * (3*rateThreads - 100)) // the last block is not full
	dst := emu.NewBuffer("dst", len(src))
	launch(meterNames[meterCopy], 3, emu.Param{Buf: dst}, emu.Param{Buf: emu.BufferOf("src", src)}, emu.Param{Value: uint64(len(src) / 16)})
	if !bytes.Equal(dst.Data, src) {
		t.Error("the copy differs")
	}

	pattern := random(16 * 7)
	dst = emu.NewBuffer("dst", 16*1003)
	launch(meterNames[meterFill], 2, emu.Param{Buf: dst}, emu.Param{Value: 1003}, emu.Param{Buf: emu.BufferOf("pattern", pattern)}, emu.Param{Value: 7})
	if want := slices.Repeat(pattern, 1003/7+1)[:16*1003]; !bytes.Equal(dst.Data, want) {
		t.Error("the pattern is not repeated")
	}

	dst = emu.NewBuffer("dst", 4*rateThreads)
	launch(meterNames[meterMMA], 1, emu.Param{Buf: dst}, emu.Param{Value: 3})
	for i := range rateThreads {
		if v := float64(getF(dst.Data, i)); math.IsNaN(v) || math.IsInf(v, 0) || v == 0 {
			t.Fatalf("thread %d stores %v", i, v)
		}
	}
}
