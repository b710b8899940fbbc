// Package ops is the op vocabulary: one file per op, listed in Table. An op declares its
// operands with effects, its alias contract, its shape rule and its tolerance; the reference
// implementation is the file of the same name in runtime/ref. It must not import passes,
// codegen or models.
package ops

import "dsac/ir"

// Table lists every op, sorted by name.
var Table = []*ir.Op{
	Add, AddRow, Advance, Allreduce, Append, Append2, Concat, Copy, Embed,
	ExpertCombine, ExpertDown, ExpertDownAdd, ExpertGateUp, ExpertMatmul,
	GateUp, GateWeights, GroupMask, HalfRows, HeadMatmul, IndexScores, IndexTopk, Layernorm,
	Matmul, MatmulAdd, MlaAttend, MqaAttend, MqaCombine, MqaPartial, MqaValues, Mul, Rmsnorm, Rope, Router,
	Sample, SampleDraw, SampleMasses, SamplePeaks, SampleSift, SelectTopk, Sigmoid, SiluMul, Slice, TakeRows, Topk,
}

var byName = func() map[string]*ir.Op {
	m := make(map[string]*ir.Op, len(Table))
	for _, op := range Table {
		if m[op.Name] != nil {
			panic("BUG: two ops are named " + op.Name)
		}
		m[op.Name] = op
	}
	return m
}()

// Find returns the op with that name, or nil.
func Find(name string) *ir.Op { return byName[name] }
