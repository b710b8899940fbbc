package passes

import (
	"errors"
	"fmt"
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
	a := newAssembler(g.m, opt.Version)
	missing := make(map[string]error)
	for i := range b.P.Launches {
		if err := g.launch(&b.P.Launches[i], opt); err != nil {
			missing[err.Error()] = err
		}
		a.grown()
	}
	parts, err := a.finish()
	if len(missing) > 0 {
		return joined(missing)
	}
	if err != nil {
		return err
	}
	for _, c := range parts {
		g.put(c, opt)
	}
	return nil
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
	shares []kern.Share // of a launch of several steps
}

type kernelSet struct {
	b      *plan.Builder
	m      *codegen.Module
	gpu    *codegen.Target
	index  map[string]made  // by Batch.Key
	byName map[string]int32 // kernel names
	hot    map[string]bool  // kernels that must not spill registers
}

func (g *kernelSet) launch(l *plan.Launch, opt *Options) error {
	b := batchOf(g.b.P, l, opt.Ctx, g.gpu)
	key := b.Key()
	k, ok := g.index[key]
	if !ok {
		var name string
		var err error
		if name, k.launch, k.shares, err = g.add(b); err != nil {
			return err
		}
		k.kernel = g.kernel(name, b)
		g.index[key] = k
	}
	l.Kernel, l.Grid, l.Block, l.Shared = k.kernel, k.launch.Grid, k.launch.Block, k.launch.Shared
	for i, s := range k.shares {
		g.share(&g.b.P.Steps[l.First+int32(i)], s)
	}
	return nil
}

// add emits a kernel, a plain one for a single step.
func (g *kernelSet) add(b kern.Batch) (string, codegen.Launch, []kern.Share, error) {
	if len(b) == 1 && len(b[0]) == 1 {
		name, launch, err := kern.Add(g.m, b[0][0])
		return name, launch, nil, err
	}
	return kern.AddBatch(g.m, b)
}

// share writes down what a step has of its launch.
func (g *kernelSet) share(st *plan.Step, s kern.Share) {
	attrs := g.b.P.AttrList(st.Attrs)
	for i := range attrs {
		switch g.b.P.Str(attrs[i].Key) {
		case plan.KeyBlocks:
			attrs[i].Val = uint64(s.Blocks)
		case plan.KeyThreads:
			attrs[i].Val = uint64(s.Threads)
		}
	}
}

// kernel returns the index of a kernel, new or not.
func (g *kernelSet) kernel(name string, b kern.Batch) int32 {
	if i, ok := g.byName[name]; ok {
		return i
	}
	i := int32(len(g.b.P.Kernels))
	g.b.P.Kernels = append(g.b.P.Kernels, plan.Kernel{Name: g.b.Str(name), Params: g.b.AddParams(append(b.Operands(), "ctl"))})
	g.byName[name] = i
	g.hot[name] = b.Hot()
	return i
}

// batchOf describes the steps of a launch to the kernel table.
func batchOf(p *plan.Plan, l *plan.Launch, ctx int, gpu *codegen.Target) (b kern.Batch) {
	for i := l.First; i < l.First+l.Count; i++ {
		s := specOf(p, &p.Steps[i], int(p.Entries[l.Entry].Rows), ctx, gpu)
		if i == l.First || p.Steps[i].Flags&plan.Par != 0 {
			b = append(b, nil)
		}
		b[len(b)-1] = append(b[len(b)-1], s)
	}
	return b
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
			s.Attrs = s.Attrs.With(a.Name, p.AttrValue(v))
		}
	}
	return s
}
