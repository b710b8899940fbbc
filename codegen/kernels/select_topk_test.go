package kernels

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"dsac/codegen"
	"dsac/codegen/emu"
	"dsac/codegen/ptx"
	"dsac/ir"
	"dsac/ir/ops"
	"dsac/runtime/quant"
	"dsac/runtime/ref"
)

func selectSpec(rows, ctx, k int) codegen.Spec {
	return codegen.Spec{Op: "select_topk", Rows: rows, Context: ctx, Attrs: ir.Attrs{{Name: "k", Val: int64(k)}},
		Operands: operands(dense(rows, ops.ScoreWidth(ctx)), typed("i32", rows, k))}
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

// wild makes rows of numbers of all magnitudes, and of nine in ten that are none.
func wild(operand string, o codegen.OperandSpec, _ step, r *quant.Rand) []byte {
	return floats(elems(o.Shape), func(i int) float64 {
		x := math.Exp(60 * (uniform(r) - 0.5))
		switch r.Uint64() % 20 {
		case 0:
			return x
		case 1:
			return -x
		}
		return math.NaN()
	})
}

// lumps makes rows whose n largest scores are neighbours, from a position on, and grow where others
// are random.
func lumps(from, n int) func(string, codegen.OperandSpec, step, *quant.Rand) []byte {
	return func(operand string, o codegen.OperandSpec, _ step, r *quant.Rand) []byte {
		return floats(elems(o.Shape), func(i int) float64 {
			if s := i % o.Width(); s >= from && s < from+n {
				return float64(s)
			}
			return uniform(r) - 0.5
		})
	}
}

// stairs makes scores that are equal up to a position, and 1 more after each so many others: the lowest
// chosen are some of many equal ones.
func stairs(from, each int) func(string, codegen.OperandSpec, step, *quant.Rand) []byte {
	return func(operand string, o codegen.OperandSpec, _ step, _ *quant.Rand) []byte {
		return floats(elems(o.Shape), func(i int) float64 { return float64(max(0, i%o.Width()-from+each-1) / each) })
	}
}

// tenths makes scores of few different values.
func tenths(operand string, o codegen.OperandSpec, _ step, r *quant.Rand) []byte {
	return floats(elems(o.Shape), func(int) float64 { return math.Round(10*(uniform(r)+uniform(r))) / 10 })
}

// withTops makes scores by fill, or random ones, and the largest of runs that go with them; what
// lies past the scores that a row has is large and must not be looked at.
func withTops(ctx int, fill func(string, codegen.OperandSpec, step, *quant.Rand) []byte) func(string, codegen.OperandSpec, step, *quant.Rand) []byte {
	return func(operand string, o codegen.OperandSpec, st step, r *quant.Rand) []byte {
		all := floats(elems(o.Shape), func(int) float64 { return uniform(r) - 0.5 })
		if fill != nil {
			all = fill(operand, o, st, r)
		}
		for t := range o.Shape[0] {
			row := make([]float32, o.Width())
			for i := range row {
				row[i] = f32At(all, t*len(row)+i)
			}
			scores, top := ref.CutTops(row, ctx)
			seen := min(ctx, st.pos+t+1)
			ref.LargestOfRuns(top, scores[:seen])
			for i := seen; i < len(row); i++ {
				if i < ctx || (i-ctx)*ref.TopRun >= seen {
					row[i] = 1e30
				}
			}
			copy(all[4*t*len(row):], floats(len(row), func(i int) float64 { return float64(row[i]) }))
		}
		return all
	}
}

func floats(n int, f func(i int) float64) []byte {
	b := make([]byte, 4*n)
	for i := range n {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(float32(f(i))))
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
		{"two_levels", 1, 20_002, 2048, []step{{1, 20_001}, {1, 16_383}, {1, 16_384}, {1, 16_386}}, nil},
		{"two_levels_infinities", 2, 20_000, 512, []step{{2, 19_998}}, hard},
		{"few_numbers", 1, 20_000, 512, []step{{1, 19_999}, {1, 4_000}}, wild},
		{"few_numbers_from_tops", 1, 40_000, 512, []step{{1, 39_999}}, wild},
		{"two_levels_100_winners", 1, 17_000, 2048, []step{{1, 16_999}}, winners(100)},
		{"from_tops", 1, 140_001, 64, []step{{1, 140_000}, {1, 32_768}, {1, 32_767}}, nil},
		{"from_tops_winners", 1, 40_000, 2048, []step{{1, 39_999}}, winners(2100)},
		{"many_turns", 1, 270_001, 64, []step{{1, 270_000}}, nil},
		{"from_tops_of_tops", 1, 270_001, 64, []step{{1, 270_000}}, winners(20_000)},
		{"all_in_one_block", 1, 20_000, 512, []step{{1, 19_999}}, lumps(0, 2000)},
		{"at_the_end", 1, 40_000, 1024, []step{{1, 39_999}}, lumps(36_000, 4000)},
		{"fewer_in_each_block_than_chosen", 1, 40_000, 2048, []step{{1, 39_999}}, lumps(19_000, 2000)},
		{"ties_within_a_block_and_beyond", 1, 20_000, 2048, []step{{1, 19_999}}, stairs(9_000, 1_000)},
		{"rows_that_one_block_holds_and_one_that_not", 3, 9_000, 256, []step{{3, 4_094}}, nil},
		{"few_values", 2, 20_000, 2048, []step{{2, 19_998}, {1, 4_096}, {1, 4_095}}, tenths},
		{"rows_that_are_not_live", 8, 9_000, 256, []step{{3, 8_990}, {1, 3_000}, {8, 2_040}}, nil},
		{"more_rows_than_clusters_of_8", 16, 8_500, 64, []step{{16, 8_480}}, nil},
		{"lists_too_long_for_levels", 1, 17_001, 5_000, []step{{1, 16_998}}, nil},
	} {
		tr := trial{name: c.name, spec: selectSpec(c.rows, c.ctx, c.k), steps: c.steps, fill: withTops(c.ctx, c.fill)}
		if c.ctx <= c.k {
			tr.unread = "scores"
		}
		trials = append(trials, tr)
	}
	check(t, trials)
}

// Rows of equal scores need about twice the work of usual ones, not more.
func TestSelectTopkCost(t *testing.T) {
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
	}{
		{"random", func(int) float64 { return uniform(r) - 0.5 }},
		{"growing", func(i int) float64 { return float64(i) }},
		{"recent ones largest", func(i int) float64 { return uniform(r) + float64(i/19_000) }},
		{"wide range", func(int) float64 { return math.Exp(100 * (uniform(r) - 0.5)) }},
		{"equal", func(int) float64 { return 1 }},
		{"few values", func(i int) float64 { return float64(i * 7919 % 5) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := step{n: 1, pos: ctx - 1}
			fill := withTops(ctx, func(_ string, o codegen.OperandSpec, _ step, _ *quant.Rand) []byte {
				return floats(elems(o.Shape), c.score)
			})
			s := &trials[0].spec
			scores := emu.BufferOf("scores", fill("scores", s.Operands[0], st, r))
			rep, err := k.Launch(emu.LaunchConfig{
				Launch: ptx.Launch{Grid: e.Launch.Grid, Block: e.Launch.Block, DynShared: int(e.Launch.Shared)},
				Params: []emu.Param{{Name: "scores", Buf: scores}, {Name: "sel", Buf: emu.NewBuffer("sel", 4*512)},
					{Name: "control", Buf: emu.BufferOf("control", control(st))}},
			}, emu.Options{Target: "sm_120"})
			if err == nil {
				err = rep.Err()
			}
			if err != nil {
				t.Fatal(err)
			}
			perThread := rep.ThreadInstrs / uint64(e.Launch.Block[0]*e.Launch.Grid[0])
			t.Logf("%d instructions per thread", perThread)
			if perThread > 3000 {
				t.Errorf("%d instructions per thread, want at most 3000", perThread)
			}
		})
	}
}

// A barrier of some warps is sound, but what they write after it and others read behind the next
// barrier of the block counts as a race with compute-sanitizer.
func TestSelectTopkHasBarriersOfTheBlockOnly(t *testing.T) {
	for _, ctx := range []int{300, 4096, 140_000} {
		spec := selectSpec(2, ctx, 8)
		var err error
		if spec.Target, err = codegen.FindTarget("sm_120"); err != nil {
			t.Fatal(err)
		}
		m := codegen.NewModule(spec.Target)
		if _, _, err := Add(m, &spec); err != nil {
			t.Fatal(err)
		}
		text, err := m.Build()
		if err != nil {
			t.Fatal(err)
		}
		all, block := strings.Count(text, `"bar.`), strings.Count(text, `"bar.sync 0;"`)
		if all != block || block == 0 {
			t.Errorf("context %d: %d of %d barriers are of the whole block", ctx, block, all)
		}
	}
}
