// Package kernels holds the GPU kernels, one file per family, listed in Table. A family turns
// an op at concrete shapes (codegen.Spec) into a launch and a body. It must not import models
// or passes.
package kernels

import (
	"fmt"
	"slices"
	"strings"

	"dsac/codegen"
	"dsac/ir/ops"
)

// Kernel is one kernel, ready to be emitted: the launch and the body come from one function,
// so that a tile size is stated once.
type Kernel struct {
	codegen.Launch
	Emit func(k *codegen.K)
	// Most is the number of threads that a block may have where launches of fewer rows share the
	// kernel; 0: those of this launch.
	Most int
}

// Family is a row of Table.
type Family struct {
	Name string // as in ir.Op.Kernel
	Make func(s *codegen.Spec) (Kernel, error)
	// Types lists the element types of operands by name, separated by spaces; f32 for others.
	Types map[string]string
	// Layouts names the layout that a weight operand must be in; "gguf" for others.
	Layouts map[string]string
	// Hot families take most of a step's time: their kernels must not spill registers.
	Hot bool
}

// Table lists every family that has kernels. Order has no meaning.
var Table = []Family{
	{Name: "elementwise", Make: elementwise},
	{Name: "rmsnorm", Make: rmsnorm},
	{Name: "layernorm", Make: layernorm},
	{Name: "half_rows", Make: halfRows, Types: map[string]string{"h": "f16"}},
	{Name: "rope", Make: rope},
	{Name: "move", Make: move, Types: map[string]string{"x": "f32 i32", "y": "f32 i32"}},
	{Name: "embed", Make: embed, Types: map[string]string{"ids": "i32", "table": embedTypes}},
	{Name: "topk", Make: topk, Types: map[string]string{"idx": "i32"}},
	{Name: "router", Make: router, Types: map[string]string{"idx": "i32"}},
	{Name: "append", Make: appendRows, Types: map[string]string{"state": "f32 f16 bf16"}},
	{Name: "index_scores", Make: indexScores, Types: map[string]string{"keys": cacheKinds}, Hot: true},
	{Name: "index_topk", Make: indexTopk, Types: map[string]string{"keys": cacheKinds, "sel": "i32"}, Hot: true},
	{Name: "select_topk", Make: selectTopk, Types: map[string]string{"sel": "i32"}, Hot: true},
	{Name: "mqa_attend", Make: mqaAttend, Types: map[string]string{"latent": cacheKinds, "sel": "i32", "u": "f32 f16"}, Hot: true},
	{Name: "mqa_partial", Make: mqaPartial, Types: map[string]string{"latent": cacheKinds, "sel": "i32", "part": "f16"}, Hot: true},
	{Name: "mqa_combine", Make: mqaCombine, Types: map[string]string{"part": "f16"}, Hot: true},
	{Name: "mqa_values", Make: mqaValues, Types: map[string]string{"part": "f16", "weight": weightTypes}, Hot: true},
	{Name: "matmul", Make: products, Types: weights("x", "weight"), Hot: true},
	{Name: "gate_up", Make: products, Types: weights("x", "gate", "up"), Hot: true},
	{Name: "head_matmul", Make: products, Types: weights("x", "weight"), Hot: true},
	{Name: "expert_matmul", Make: products, Types: weights("x", "weight", "idx"), Hot: true},
	{Name: "expert_gate_up", Make: products, Types: weights("x", "gate", "up", "idx"), Hot: true},
	{Name: "expert_down", Make: products, Types: weights("weight", "idx"), Hot: true},
	{Name: "expert_combine", Make: expertCombine},
	{Name: "sample_peaks", Make: samplePeaks, Types: sampleTypes("peaks", "masses")},
	{Name: "sample_masses", Make: sampleMasses, Types: sampleTypes("peaks", "masses")},
	{Name: "sample_sift", Make: sampleSift, Types: sampleTypes("peaks", "masses", "kept", "list")},
	{Name: "sample_draw", Make: sampleDraw, Types: sampleTypes("peaks", "kept", "list", "token")},
	{Name: "advance", Make: advance, Types: map[string]string{"ctl": "u8", "ids": "i32"}},
}

// Find returns the family of an op.
func Find(op string) (*Family, error) {
	o := ops.Find(op)
	if o == nil {
		return nil, fmt.Errorf("no op is named %q", op)
	}
	for i := range Table {
		if Table[i].Name == o.Kernel {
			return &Table[i], nil
		}
	}
	return nil, fmt.Errorf("op %s has no GPU kernel yet (family %s)", op, o.Kernel)
}

// Hot says whether the kernels of an op must not spill registers.
func Hot(op string) bool {
	f, err := Find(op)
	return err == nil && f.Hot
}

// Make returns the kernel of a spec, or says why there is none.
func Make(s *codegen.Spec) (Kernel, error) {
	if err := s.Check(); err != nil {
		return Kernel{}, err
	}
	f, err := Find(s.Op)
	if err != nil {
		return Kernel{}, err
	}
	for i, o := range ops.Find(s.Op).Operands {
		want, ok := f.Types[o.Name]
		if !ok {
			want = "f32"
		}
		if have := s.Operands[i].DType; !slices.Contains(strings.Fields(want), have) {
			return Kernel{}, fmt.Errorf("op %s: operand %s is %s, its GPU kernels take %s", s.Op, o.Name, have, want)
		}
	}
	k, err := f.Make(narrow(s))
	if err != nil {
		return Kernel{}, fmt.Errorf("op %s: %w", s.Op, err)
	}
	return k, nil
}

// narrow returns s for as many rows as its first operand has: after take_rows they are fewer
// than those of the step.
func narrow(s *codegen.Spec) *codegen.Spec {
	n := *s
	if x := s.Operands[0]; len(x.Shape) > 1 {
		n.Rows = min(n.Rows, x.Shape[0])
	}
	return &n
}

// Add emits the kernel of a spec into a module, unless one like it is there, and returns its
// name and launch.
func Add(m *codegen.Module, s *codegen.Spec) (string, codegen.Launch, error) {
	k, err := Make(s)
	if err != nil {
		return "", codegen.Launch{}, err
	}
	name := s.Name()
	if !slices.Contains(m.Names, name) {
		name = m.Kernel(name, operandNames(s), max(k.Most, k.Threads()), func(b *codegen.K) {
			k.Emit(b)
			b.LaunchedAs(k.Launch)
		})
	}
	return name, k.Launch, nil
}
