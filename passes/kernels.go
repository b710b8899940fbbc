package passes

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"

	"dsac/codegen"
	kern "dsac/codegen/kernels"
	"dsac/ir/ops"
	"dsac/runtime/plan"
)

// ErrUnsupported is wrapped by errors about ops that a target has no kernel for.
var ErrUnsupported = errors.New("not supported by the target")

// kernels gives every launch of a plan for a GPU its kernel: equal specs share one, all are
// built in one module and compiled (see assemble.go). It needs the emitted plan; it leaves no
// launch without a kernel; it never changes a step.
func kernels(b *plan.Builder, opt *Options) error {
	gpu := opt.target().GPU
	if gpu == nil || opt.Bare {
		return nil
	}
	g := &kernelSet{b: b, m: codegen.NewModule(gpu), gpu: gpu, index: make(map[string]made), byName: make(map[string]int32), hot: make(map[string]bool)}
	missing := make(map[string]error)
	for i := range b.P.Launches {
		if err := g.launch(&b.P.Launches[i], opt); err != nil {
			missing[err.Error()] = err
		}
	}
	if len(missing) > 0 {
		return joined(missing)
	}
	return g.compile(opt)
}

func joined(errs map[string]error) error {
	var lines []string
	for l := range errs {
		lines = append(lines, l)
	}
	sort.Strings(lines)
	return fmt.Errorf("%w:\n%s", ErrUnsupported, strings.Join(lines, "\n"))
}

// made is the kernel and launch that a spec has got. Specs that differ in their launch only
// share the kernel.
type made struct {
	kernel int32
	launch codegen.Launch
}

type kernelSet struct {
	b      *plan.Builder
	m      *codegen.Module
	gpu    *codegen.Target
	index  map[string]made  // by Spec.Key
	byName map[string]int32 // kernel names
	hot    map[string]bool  // kernels that must not spill registers
}

func (g *kernelSet) launch(l *plan.Launch, opt *Options) error {
	p := g.b.P
	s := specOf(p, &p.Steps[l.First], int(p.Entries[l.Entry].Rows), opt.Ctx, g.gpu)
	key := s.Key()
	k, ok := g.index[key]
	if !ok {
		name, launch, err := kern.Add(g.m, s)
		if err != nil {
			return err
		}
		k = made{g.kernel(name, s.Op), launch}
		g.index[key] = k
	}
	l.Kernel, l.Grid, l.Block, l.Shared = k.kernel, k.launch.Grid, k.launch.Block, k.launch.Shared
	return nil
}

// kernel returns the index of a kernel, new or not.
func (g *kernelSet) kernel(name, op string) int32 {
	if i, ok := g.byName[name]; ok {
		return i
	}
	var names []string
	for _, o := range ops.Find(op).Operands {
		names = append(names, o.Name)
	}
	i := int32(len(g.b.P.Kernels))
	g.b.P.Kernels = append(g.b.P.Kernels, plan.Kernel{Name: g.b.Str(name), Params: g.b.AddParams(append(names, "ctl"))})
	g.byName[name] = i
	g.hot[name] = kern.Hot(op)
	return i
}

// specOf describes a step to the kernel table.
func specOf(p *plan.Plan, st *plan.Step, rows, ctx int, gpu *codegen.Target) *codegen.Spec {
	op := ops.Find(p.Str(st.Op))
	s := &codegen.Spec{Op: op.Name, Rows: rows, Context: ctx, Target: gpu}
	for _, o := range p.Ops(st) {
		buf := &p.Bufs[o.Buf]
		spec := codegen.OperandSpec{DType: p.Str(buf.DType), Col: int(o.Col), Cols: int(o.Cols), Layout: p.Str(buf.Layout)}
		for _, d := range buf.Shape[:buf.Dims] {
			spec.Shape = append(spec.Shape, int(d))
		}
		s.Operands = append(s.Operands, spec)
	}
	for _, a := range op.Attrs {
		if v, ok := p.FindAttr(st.Attrs, a.Name); ok {
			s.Attrs = s.Attrs.With(a.Name, attrValue(p, v))
		}
	}
	return s
}

func attrValue(p *plan.Plan, a plan.Attr) any {
	switch a.Kind {
	case plan.Int:
		return int64(a.Val)
	case plan.Float:
		return math.Float64frombits(a.Val)
	}
	return p.Str(plan.Str(a.Val))
}
