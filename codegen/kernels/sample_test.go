package kernels

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"dsac/codegen"
	"dsac/ir/ops"
	"dsac/runtime/plan"
	"dsac/runtime/quant"
	"dsac/runtime/sample"
)

func samplerBytes(p sample.Params) []byte {
	b := make([]byte, plan.SmpSize)
	le := binary.LittleEndian
	f := func(at int, x float32) { le.PutUint32(b[at:], math.Float32bits(x)) }
	f(plan.SmpTemp, p.Temperature)
	f(plan.SmpTopP, p.TopP)
	f(plan.SmpMinP, p.MinP)
	f(plan.SmpPenalty, p.Repeat)
	le.PutUint32(b[plan.SmpTopK:], uint32(p.TopK))
	le.PutUint64(b[plan.SmpSeed:], p.Seed)
	return b
}

// TestSample: the kernel and the host's sampler give the same token for the same seed.
func TestSample(t *testing.T) {
	var trials []trial
	for i, c := range []struct {
		rows, vocab int
		coarse      bool
		p           sample.Params
	}{
		{1, 40_000, false, sample.Greedy()},
		{1, 40_000, true, sample.Greedy()},
		{1, 3001, false, sample.Greedy()},
		{2, 40, true, sample.Greedy()},
		{1, 3001, false, sample.Params{Temperature: 0.8, TopP: 1, Repeat: 1, Seed: 42}},
		{1, 3001, true, sample.Params{Temperature: 1.5, TopP: 1, Repeat: 1.3, Seed: 1 << 40}},
		{1, 3001, false, sample.Params{Temperature: 1, TopK: 40, TopP: 1, Repeat: 1, Seed: 7}},
		{1, 3001, true, sample.Params{Temperature: 1, TopK: 1500, TopP: 0.9, Repeat: 1, Seed: 7}},
		{1, 3000, false, sample.Params{Temperature: 0.9, TopK: 100, TopP: 0.9, MinP: 0.05, Repeat: 1.2, Seed: 5}},
		{1, 3000, true, sample.Params{Temperature: 1, TopK: 777, TopP: 0.99, Repeat: 1, Seed: 6}},
		{1, 3000, true, sample.Greedy()},
		{1, 3001, false, sample.Params{Temperature: 0.7, TopP: 0.5, MinP: 0.01, Repeat: 1, Seed: 3}},
		{2, 40, false, sample.Params{Temperature: 2, TopK: 3, TopP: 0.95, MinP: 0.2, Repeat: 1.1, Seed: 9}},
	} {
		spec := codegen.Spec{Op: "sample", Rows: c.rows, Operands: operands(
			dense(c.rows, c.vocab), typed("u8", plan.SmpSize), typed("u8", c.vocab), typed("i32", c.vocab),
			typed("u8", plan.CtlError-plan.CtlRNG), typed("u8", ops.SampleWork*c.vocab))}
		fill := func(operand string, o codegen.OperandSpec, st step, r *quant.Rand) []byte {
			switch operand {
			case "params":
				return samplerBytes(c.p)
			case "mask", "hist":
				b := make([]byte, bytesOf(o))
				size := len(b) / c.vocab
				for j := range c.vocab {
					if often := uint64(5 + c.vocab/8000*1000); r.Uint64()%often == 0 {
						b[j*size] = 1
					}
				}
				return b
			}
			if c.coarse {
				return coarse(o, r, false)
			}
			return nil
		}
		trials = append(trials, trial{name: fmt.Sprintf("%d %+v ", i, c.p), spec: spec, fill: fill, steps: []step{{n: c.rows}, {n: 1, pos: 99}, {n: 1, pos: 100}}})
	}
	check(t, trials)
}
