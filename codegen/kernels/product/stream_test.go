package product

import (
	"testing"

	"dsac/codegen"
)

func TestStreamTypes(t *testing.T) {
	var trials []trial
	for i := range formats {
		dtype := formats[i].Type.String()
		trials = append(trials, trial{spec: matmul(dtype, 2, 40, 512)})
	}
	check(t, trials)
}

func TestStreamShapes(t *testing.T) {
	var trials []trial
	for _, rows := range []int{1, 2, 4, 8, 16} {
		for _, k := range []int{256, 16 * 256, 17 * 256} {
			trials = append(trials, trial{spec: matmul("q4_k", rows, 33, k), live: []int{rows, (rows + 1) / 2}})
		}
		for _, k := range []int{32, 96, 192, 576} {
			trials = append(trials, trial{spec: matmul("q8_0", rows, 17, k), live: []int{rows, max(1, rows-1)}})
		}
		trials = append(trials, trial{spec: matmul("f16", rows, 20, 70)})
	}
	check(t, trials)
}

// TestStreamApart has one row and two for the types whose groups are told apart, also beside a
// weight whose groups are not.
func TestStreamApart(t *testing.T) {
	var trials []trial
	for _, rows := range []int{1, 2} {
		for _, dtype := range []string{"q4_k", "q5_k", "q6_k"} {
			other := map[string]string{"q4_k": "q6_k", "q5_k": "q3_k", "q6_k": "iq4_xs"}[dtype]
			gateUp := codegen.Spec{Op: "gate_up", Rows: rows, Operands: []codegen.OperandSpec{act(rows, 512), mat(dtype, 40, 512), mat(other, 40, 512), act(rows, 40)}}
			down := codegen.Spec{Op: "expert_down", Rows: rows, Operands: []codegen.OperandSpec{act(rows, 3, 512), mat(dtype, 4, 40, 512), list(rows, 3), act(rows, 3), act(rows, 40)}}
			trials = append(trials, trial{spec: matmul(dtype, rows, 40, 768)}, trial{spec: gateUp},
				trial{spec: down, idx: func(i int) int32 { return int32(3 - i%4) }})
		}
		trials = append(trials, trial{spec: matmul("q6_k", rows, 200, 1280), scale: 1e6, shape: func(s *stream) {
			s.split, s.held, s.window = 2, 2, 2
			s.few()
		}})
	}
	check(t, trials)
}

// TestStreamBeside has kernels that share their multiprocessors with others of a launch.
func TestStreamBeside(t *testing.T) {
	g, err := codegen.FindTarget("sm_90")
	if err != nil {
		t.Fatal(err)
	}
	for _, beside := range []int{0, 4, 5, 250} {
		s := matmul("q4_k", 1, 2048, 6144)
		s.Target, s.Part, s.Beside = g, beside > 0, beside
		j, err := dense(&s)
		if err != nil {
			t.Fatal(err)
		}
		st := newStream(j)
		if crowd := beside > 0 && beside+128 > sms(g); crowd != (st.warps == halfBlock.warps) || st.blocks > sms(g) {
			t.Errorf("beside %d blocks: %d of %d warps", beside, st.blocks, st.warps)
		}
	}
	var trials []trial
	for _, rows := range []int{1, 4} {
		s := matmul("q4_k", rows, 40, 512)
		s.Part, s.Beside = true, 250
		trials = append(trials, trial{spec: s})
	}
	check(t, trials)
}

// TestStreamScales has rows past 2^14, in x that is staged at once and part by part.
func TestStreamScales(t *testing.T) {
	check(t, []trial{
		{spec: matmul("q8_0", 4, 40, 256), scale: 40000},
		{spec: matmul("q4_k", 16, 40, 4096), scale: 1e6},
	})
}

func TestStreamOps(t *testing.T) {
	columns := matmul("q4_k", 3, 48, 256)
	columns.Operands[0] = codegen.OperandSpec{DType: "f32", Shape: []int{3, 300}, Col: 40, Cols: 256}
	experts := func(i int) int32 { return int32(i * 5 % 7 % 4) }
	check(t, []trial{
		{spec: columns},
		{spec: codegen.Spec{Op: "matmul_add", Rows: 3, Operands: []codegen.OperandSpec{act(3, 256), mat("q5_k", 40, 256), act(3, 40), act(3, 40)}}},
		{spec: codegen.Spec{Op: "gate_up", Rows: 3, Operands: []codegen.OperandSpec{act(3, 512), mat("q4_k", 40, 512), mat("q6_k", 40, 512), act(3, 40)}}},
		{spec: codegen.Spec{Op: "gate_up", Rows: 16, Operands: []codegen.OperandSpec{act(16, 1536), mat("q4_k", 40, 1536), mat("q5_k", 40, 1536), act(16, 40)}}},
		{spec: codegen.Spec{Op: "head_matmul", Rows: 3, Operands: []codegen.OperandSpec{act(3, 4, 192), mat("q8_0", 4, 40, 192), act(3, 4, 40)}}, live: []int{3, 2}},
		{spec: codegen.Spec{Op: "head_matmul", Rows: 2, Operands: []codegen.OperandSpec{{DType: "f32", Shape: []int{2, 3, 80}, Cols: 64}, mat("q5_0", 3, 20, 64), act(2, 3, 20)}}},
		{spec: codegen.Spec{Op: "expert_matmul", Rows: 3, Operands: []codegen.OperandSpec{act(3, 256), mat("q4_k", 4, 40, 256), list(3, 2), act(3, 2, 40)}}, idx: experts, live: []int{3, 1}},
		{spec: codegen.Spec{Op: "expert_matmul", Rows: 3, Operands: []codegen.OperandSpec{act(3, 2, 256), mat("q6_k", 4, 40, 256), list(3, 2), act(3, 2, 40)}}, idx: experts},
		{spec: codegen.Spec{Op: "expert_gate_up", Rows: 3, Operands: []codegen.OperandSpec{act(3, 256), mat("q4_k", 4, 40, 256), mat("q4_k", 4, 40, 256), list(3, 2), act(3, 2, 40)}}, idx: experts, live: []int{3, 2}},
		{spec: codegen.Spec{Op: "expert_down", Rows: 3, Operands: []codegen.OperandSpec{act(3, 2, 512), mat("q6_k", 4, 40, 512), list(3, 2), act(3, 2), act(3, 40)}}, idx: experts, live: []int{3, 2}},
		{spec: codegen.Spec{Op: "expert_down_add", Rows: 2, Operands: []codegen.OperandSpec{act(2, 3, 96), mat("q8_0", 4, 40, 96), list(2, 3), act(2, 3), act(2, 40), act(2, 40)}}, idx: experts},
	})
}

// few leaves two blocks of a batch, so that each has several groups.
func (s *stream) few() {
	s.cost()
	s.blocks = min(s.blocks, 2)
}

// TestStreamWindows stages x part by part, with a last window that is short or that some warps
// have nothing of, for one tile of a warp and for several.
func TestStreamWindows(t *testing.T) {
	var trials []trial
	windows := func(split, held, window int) func(s *stream) {
		return func(s *stream) {
			s.split, s.held, s.window = split, held, window
			s.few()
		}
	}
	gateUp := codegen.Spec{Op: "gate_up", Rows: 4, Operands: []codegen.OperandSpec{act(4, 1280), mat("q4_k", 150, 1280), mat("q6_k", 150, 1280), act(4, 150)}}
	down := codegen.Spec{Op: "expert_down", Rows: 1, Operands: []codegen.OperandSpec{act(1, 3, 512), mat("q5_k", 4, 100, 512), list(1, 3), act(1, 3), act(1, 100)}}
	experts := func(i int) int32 { return int32(3 - i) }
	trials = append(trials,
		trial{spec: matmul("q4_k", 2, 200, 5*256), shape: windows(2, 2, 2)},
		trial{spec: matmul("q4_k", 16, 100, 5*256), shape: windows(4, 4, 4), live: []int{16, 9}},
		trial{spec: matmul("q8_0", 3, 300, 7*64), shape: windows(1, 2, 3), live: []int{3}},
		trial{spec: matmul("q5_k", 8, 40, 3*256), shape: windows(1, 1, 2), scale: 1e6},
		trial{spec: gateUp, shape: windows(2, 4, 2)},
		trial{spec: down, shape: windows(4, 2, 4), idx: experts},
		trial{spec: matmul("q4_k", 1, 300, 4*256), shape: (*stream).few},
	)
	check(t, trials)
}
