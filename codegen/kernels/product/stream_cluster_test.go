package product

import (
	"encoding/binary"
	"math"
	"testing"

	"dsac/codegen"
)

// clustered divides the columns among n blocks, of which each has several groups.
func clustered(n, split, held, window int) func(s *stream) {
	return func(s *stream) {
		s.iters = s.iters * s.cluster / n
		s.cluster, s.split, s.held, s.window = n, split, held, window
		if window == 0 {
			s.window = s.iters
		}
		s.few()
	}
}

// TestStreamClusterChoice has clusters where x is large, and none where a launch has others, of one
// row, and on devices without.
func TestStreamClusterChoice(t *testing.T) {
	for _, c := range []struct {
		target     string
		rows, cols int
		part       bool
		want       int
	}{
		{"sm_90", 1, 16384, false, 0},
		{"sm_90", 4, 16384, false, 2},
		{"sm_90", 8, 16384, false, 4},
		{"sm_90", 8, 6144, false, 2},
		{"sm_90", 8, 2048, false, 0},
		{"sm_120", 8, 16384, false, 4},
		{"sm_90", 8, 16384, true, 0},
		{"sm_80", 8, 16384, false, 0},
	} {
		g, err := codegen.FindTarget(c.target)
		if err != nil {
			t.Fatal(err)
		}
		s := matmul("q4_k", c.rows, 6144, c.cols)
		s.Target, s.Part = g, c.part
		l, _, err := Make(&s)
		if err != nil {
			t.Fatal(err)
		}
		if n := int(l.Grid[0]); l.Cluster != c.want || n%max(1, c.want) != 0 || n > sms(g)*2 {
			t.Errorf("%s, %d x %d, part %v: clusters of %d, want %d; %d blocks", c.target, c.rows, c.cols, c.part, l.Cluster, c.want, n)
		}
	}
}

// TestStreamClusters has blocks with parts of the columns: all of their x staged at once or window by
// window, one tile of a warp and several, rows past n, and two weights.
func TestStreamClusters(t *testing.T) {
	gateUp := codegen.Spec{Op: "gate_up", Rows: 4, Operands: []codegen.OperandSpec{act(4, 1024), mat("q4_k", 150, 1024), mat("q6_k", 150, 1024), act(4, 150)}}
	sum := codegen.Spec{Op: "matmul_add", Rows: 3, Operands: []codegen.OperandSpec{act(3, 1024), mat("q5_k", 200, 1024), act(3, 200), act(3, 200)}}
	check(t, []trial{
		{spec: matmul("q4_k", 3, 600, 4*256), shape: clustered(2, 2, 3, 0), live: []int{3, 1}},
		{spec: matmul("q4_k", 8, 300, 8*256), shape: clustered(2, 2, 2, 2), live: []int{8, 5}},
		{spec: matmul("q8_0", 4, 300, 16*64), shape: clustered(4, 1, 2, 0), live: []int{4, 3}},
		{spec: matmul("f16", 16, 70, 8*64), shape: clustered(8, 1, 1, 0), live: []int{16, 9}},
		{spec: gateUp, shape: clustered(2, 2, 1, 0)},
		{spec: sum, shape: clustered(2, 1, 2, 0)},
	})
}

// TestStreamClusterScales has rows past 2^14 of which only one block knows.
func TestStreamClusterScales(t *testing.T) {
	second := func(x []float32) {
		for i := 600; i < 1024; i++ {
			x[i] *= 1e6
		}
	}
	check(t, []trial{
		{spec: matmul("q4_k", 3, 200, 1024), shape: clustered(2, 2, 1, 0), plant: second},
		{spec: matmul("q8_0", 4, 200, 1024), shape: clustered(2, 2, 2, 2), plant: second},
	})
}

// TestStreamClusterCounts has rows with infinities in the columns of one block, of the other, and of
// both: each is counted once.
func TestStreamClusterCounts(t *testing.T) {
	inf := float32(math.Inf(1))
	spec := matmul("q8_0", 4, 40, 512)
	check(t, []trial{{spec: spec, shape: clustered(2, 1, 1, 0), overflows: 3, plant: func(x []float32) {
		x[3], x[512+300], x[1024+9], x[1024+511], x[1536+500] = inf, -inf, inf, inf, math.MaxFloat32
	}}})
}

// floats gives change the numbers of b.
func floats(b []byte, change func([]float32)) {
	x := make([]float32, len(b)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	change(x)
	for i, v := range x {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(v))
	}
}
