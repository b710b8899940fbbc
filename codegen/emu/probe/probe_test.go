package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"dsac/codegen/emu"
	"dsac/codegen/ptx"
)

var update = flag.Bool("update", false, "rewrite testdata/probe.ptx")

// emulate runs every probe, with in for its input.
func emulate(t *testing.T, m *ptx.Module, k kernel, in []byte) []byte {
	t.Helper()
	ek, err := emu.Compile(m, k.name)
	if err != nil {
		t.Fatal(err)
	}
	out := emu.NewBuffer("out", k.out)
	r, err := ek.Launch(emu.LaunchConfig{
		Launch: ptx.Launch{Grid: [3]uint32{uint32(k.blocks), 1, 1}, Block: [3]uint32{uint32(k.threads), 1, 1}},
		Params: []emu.Param{{Name: "in", Buf: emu.BufferOf("in", in), Access: emu.Read}, {Name: "out", Buf: out, Access: emu.Write, Cover: []emu.Range{{Lo: 0, Hi: k.out}}}},
	}, emu.Options{Target: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return out.Data
}

func TestProbeTextIsCurrent(t *testing.T) {
	path := filepath.Join("..", "testdata", "probe.ptx")
	want := module(kernels())
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("testdata/probe.ptx is out of date: run with -update, and record the probes again")
	}
}

// TestEmulatorEqualsGPU compares with what a GPU gave. Without the fixture the probes still run.
func TestEmulatorEqualsGPU(t *testing.T) {
	ks := kernels()
	m, err := ptx.Parse(module(ks))
	if err != nil {
		t.Fatal(err)
	}
	gold, err := os.ReadFile(filepath.Join("..", "testdata", "probe.gold"))
	if err != nil {
		for _, k := range ks {
			emulate(t, m, k, k.in)
		}
		t.Skip("no recorded GPU results (codegen/emu/testdata/probe.gold): see the package comment for how to record them")
	}
	gpu, err := unpack(gold, ks)
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range ks {
		t.Run(k.name, func(t *testing.T) {
			got := emulate(t, m, k, k.in)
			var scale []byte
			if k.scaled {
				scale = emulate(t, m, k, tiles[i-len(groups)].unsigned(k.in))
			}
			if err := k.compare(gpu[k.name], got, scale); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestComparisonSees: equal outputs pass, a changed bit in any kernel's output does not.
func TestComparisonSees(t *testing.T) {
	ks := kernels()
	m, err := ptx.Parse(module(ks))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i, k := range ks {
		out := emulate(t, m, k, k.in)
		var scale []byte
		if k.scaled {
			scale = emulate(t, m, k, tiles[i-len(groups)].unsigned(k.in))
		}
		if err := k.compare(out, out, scale); err != nil {
			t.Errorf("%s: equal outputs: %v", k.name, err)
		}
		other := append([]byte(nil), out...)
		other[3] ^= 0x40
		if k.compare(other, out, scale) == nil {
			t.Errorf("%s: a changed output passes", k.name)
		}
		if err := os.WriteFile(filepath.Join(dir, k.name+".out"), out, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	gold := filepath.Join(dir, "gold")
	if err := pack(dir, gold); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(gold)
	if err != nil {
		t.Fatal(err)
	}
	back, err := unpack(data, ks)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range ks {
		want, _ := os.ReadFile(filepath.Join(dir, k.name+".out"))
		if string(back[k.name]) != string(want) {
			t.Errorf("%s: the fixture does not give back what was packed", k.name)
		}
	}
	if _, err := unpack(data, ks[1:]); err == nil {
		t.Error("a fixture of other probes is accepted")
	}
}
