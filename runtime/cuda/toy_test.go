package cuda

import (
	_ "embed"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"dsac/runtime/plan"
)

//go:embed testdata/toy.plan.txt
var toyText string

//go:embed testdata/toy.ptx
var toyPTX []byte

const (
	toyVocab = 64
	toyWidth = 64
	toyCtx   = 16
)

// toyPlan returns the plan of testdata/toy.plan.txt with its kernels.
func toyPlan(t testing.TB) *plan.Plan {
	t.Helper()
	p, err := plan.Parse("toy.plan.txt", []byte(toyText))
	if err != nil {
		t.Fatal(err)
	}
	setPTX(p, toyPTX)
	if err := plan.Verify(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// setPTX gives all kernels one text.
func setPTX(p *plan.Plan, text []byte) {
	s := plan.Span{Off: uint32(len(p.Blob)), Len: uint32(len(text))}
	p.Blob = append(p.Blob, text...)
	for i := range p.Kernels {
		p.Kernels[i].PTX = s
	}
}

// setMeta changes a fact of the plan.
func setMeta(p *plan.Plan, key, value string) {
	p.Strings = append(p.Strings, value)
	for i := range p.Meta {
		if p.Str(p.Meta[i].Key) == key {
			p.Meta[i].Val = plan.Str(len(p.Strings) - 1)
		}
	}
}

// memWeights are tensors in memory.
type memWeights map[string][]byte

func (w memWeights) Data(name string) ([]byte, error) { return w[name], nil }

// toyWeights returns random embeddings, and the same as values.
func toyWeights() (memWeights, []float32) {
	r := rand.New(rand.NewPCG(3, 4))
	data := make([]byte, 4*toyVocab*toyWidth)
	values := make([]float32, toyVocab*toyWidth)
	for i := range values {
		values[i] = float32(r.NormFloat64())
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(values[i]))
	}
	return memWeights{"token_embd.weight": data}, values
}

// toyModel is what the toy should compute, in plain Go.
type toyModel struct {
	embd []float32
	kv   []float32
	hist [toyVocab]int
}

func (m *toyModel) logits(id int32) []float32 {
	y := make([]float32, toyWidth)
	for j := range y {
		x := m.embd[int(id)*toyWidth+j]
		y[j] = x + (x + x)
	}
	return y
}

// step takes ids and returns the next token.
func (m *toyModel) step(ids ...int32) int32 {
	var last []float32
	for _, id := range ids {
		m.kv = append(m.kv, m.embd[int(id)*toyWidth:][:toyWidth]...)
		last = m.logits(id)
	}
	best := 0
	for j, v := range last {
		if v > last[best] {
			best = j
		}
	}
	m.hist[best]++
	return int32(best)
}

// The toy kernels in Go, for the fake driver: arguments are memory from an address on.
var toyNames = []string{"embed", "scale", "append", "add", "sample", "advance", delayKernel, repackKernel, "scaled_add"}

// toyRowKernels have a block for each row.
var toyRowKernels = []string{"embed", "scale", "append", "add", "scaled_add"}

var toyKernels = []func(args [][]byte){
	func(a [][]byte) { // ids, embd, x, ctl
		for row := range ctlN(a[3]) {
			id := le.Uint32(a[0][4*row:])
			copy(a[2][256*row:][:256], a[1][256*id:])
		}
	},
	func(a [][]byte) { // x, a, ctl
		for i := range toyWidth * ctlN(a[2]) {
			putF(a[1], i, 2*getF(a[0], i))
		}
	},
	func(a [][]byte) { // x, kv, ctl
		pos := int(le.Uint64(a[2]))
		copy(a[1][256*pos:][:256*ctlN(a[2])], a[0])
	},
	func(a [][]byte) { // x, a, y, ctl
		for i := range toyWidth * ctlN(a[3]) {
			putF(a[2], i, getF(a[0], i)+getF(a[1], i))
		}
	},
	func(a [][]byte) { // y, params, mask, hist, token, ctl
		row, best, top := a[0][256*(ctlN(a[5])-1):], 0, float32(math.Inf(-1))
		for j := range toyVocab {
			if v := getF(row, j); a[2][j] == 0 && v > top {
				best, top = j, v
			}
		}
		le.PutUint32(a[3][4*best:], le.Uint32(a[3][4*best:])+1)
		le.PutUint64(a[4][plan.CtlRNG:], le.Uint64(a[5][plan.CtlLen:]))
		le.PutUint32(a[4][plan.CtlToken:], uint32(best))
	},
	func(a [][]byte) { // ctl, ids, ctl
		le.PutUint64(a[0], le.Uint64(a[0])+uint64(le.Uint32(a[0][plan.CtlAccepted:])))
		copy(a[1][:4], a[0][plan.CtlToken:])
	},
	func([][]byte) {},
	nil, // lanes run it: repackInGo
	func(a [][]byte) { // x, a, y, ctl
		for i := range toyWidth * ctlN(a[3]) {
			putF(a[2], i, getF(a[0], i)+2*getF(a[1], i))
		}
	},
}

var le = binary.LittleEndian

func ctlN(ctl []byte) int             { return int(le.Uint64(ctl[plan.CtlN:])) }
func getF(b []byte, i int) float32    { return math.Float32frombits(le.Uint32(b[4*i:])) }
func putF(b []byte, i int, v float32) { le.PutUint32(b[4*i:], math.Float32bits(v)) }
