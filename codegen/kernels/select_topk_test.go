package kernels

import (
	"encoding/binary"
	"math"
	"testing"

	"dsac/codegen"
	"dsac/codegen/emu"
	"dsac/codegen/ptx"
	"dsac/ir"
	"dsac/runtime/quant"
)

func selectSpec(rows, ctx, k int) codegen.Spec {
	return codegen.Spec{Op: "select_topk", Rows: rows, Context: ctx, Attrs: ir.Attrs{{Name: "k", Val: int64(k)}},
		Operands: operands(dense(rows, ctx), typed("i32", rows, k))}
}

// winners gives every row n large scores, the last of them at its end, and zeros of either
// sign otherwise.
func winners(n int) func(string, codegen.OperandSpec, step, *quant.Rand) []byte {
	return func(operand string, o codegen.OperandSpec, _ step, _ *quant.Rand) []byte {
		b := make([]byte, bytesOf(o))
		for i := range len(b) / 4 {
			x := math.Copysign(0, float64(i%2)-0.5)
			if s := i % o.Width(); (o.Width()-1-s)%(o.Width()/n) == 0 {
				x = 3
			}
			binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(float32(x)))
		}
		return b
	}
}

// hard makes rows with infinities and numbers that are none.
func hard(operand string, o codegen.OperandSpec, _ step, r *quant.Rand) []byte {
	odd := []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0, math.Copysign(0, -1), 1, -1}
	b := make([]byte, bytesOf(o))
	for i := range len(b) / 4 {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(float32(odd[r.Uint64()%uint64(len(odd))])))
	}
	return b
}

func TestSelectTopk(t *testing.T) {
	var trials []trial
	for _, c := range []struct {
		name         string
		rows, ctx, k int
		steps        []step
		fill         func(string, codegen.OperandSpec, step, *quant.Rand) []byte
	}{
		{"small", 3, 100, 8, []step{{3, 0}, {3, 6}, {2, 97}, {1, 99}}, nil},
		{"k_is_the_context", 2, 64, 64, []step{{2, 61}, {1, 63}}, nil},
		{"k_passes_the_context", 2, 50, 64, []step{{2, 47}}, nil},
		{"context_odd", 1, 4001, 257, []step{{1, 255}, {1, 256}, {1, 257}, {1, 4000}}, nil},
		{"many_rows", 17, 300, 16, []step{{17, 283}, {16, 0}}, nil},
		{"infinities", 2, 200, 64, []step{{2, 198}, {1, 100}}, hard},
		{"100_winners_8220_zeros", 1, 8320, 2048, []step{{1, 8319}}, winners(100)},
		{"longer_than_the_registers", 1, 20_000, 512, []step{{1, 19_998}, {1, 8_191}, {1, 8_192}}, nil},
		{"no_room_for_candidates", 1, 9_000, 5_000, []step{{1, 8_998}}, nil},
	} {
		tr := trial{name: c.name, spec: selectSpec(c.rows, c.ctx, c.k), steps: c.steps, fill: c.fill}
		if c.ctx <= c.k {
			tr.unread = "scores"
		}
		trials = append(trials, tr)
	}
	check(t, trials)
}

// A long row of usual scores is thinned out to candidates, of a row of equal ones every key that
// is tried counts them all: both lists are right, but only one is found quickly.
func TestSelectTopkThinsLongRows(t *testing.T) {
	const ctx = 20_000
	trials := []trial{{spec: selectSpec(1, ctx, 512)}}
	set := compileTrials(t, "sm_120", trials)
	e := &set.Entries[0]
	k, err := emu.Compile(set.Module, e.Name)
	if err != nil {
		t.Fatal(err)
	}
	r := quant.NewRand(1)
	for _, c := range []struct {
		name  string
		score func(i int) float64
		quick bool
	}{
		{"random", func(int) float64 { return uniform(r) - 0.5 }, true},
		{"growing", func(i int) float64 { return float64(i) }, true},
		{"recent ones largest", func(i int) float64 { return uniform(r) + float64(i/19_000) }, true},
		{"wide range", func(int) float64 { return math.Exp(100 * (uniform(r) - 0.5)) }, true},
		{"equal", func(int) float64 { return 1 }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			scores := emu.NewBuffer("scores", 4*ctx)
			for i := range ctx {
				binary.LittleEndian.PutUint32(scores.Data[4*i:], math.Float32bits(float32(c.score(i))))
			}
			scores.MarkInit(0, 4*ctx)
			rep, err := k.Launch(emu.LaunchConfig{
				Launch: ptx.Launch{Grid: e.Launch.Grid, Block: e.Launch.Block, DynShared: int(e.Launch.Shared)},
				Params: []emu.Param{{Name: "scores", Buf: scores}, {Name: "sel", Buf: emu.NewBuffer("sel", 4*512)},
					{Name: "control", Buf: emu.BufferOf("control", control(step{n: 1, pos: ctx - 1}))}},
			}, emu.Options{Target: "sm_120"})
			if err == nil {
				err = rep.Err()
			}
			if err != nil {
				t.Fatal(err)
			}
			perScore := rep.ThreadInstrs / ctx
			t.Logf("%d instructions per score", perScore)
			if quick := perScore < 150; quick != c.quick {
				t.Errorf("%d instructions per score, want quick: %v", perScore, c.quick)
			}
		})
	}
}
