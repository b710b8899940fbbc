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

// kernels gives every launch of a plan for a GPU its kernel: equal batches share one, all are
// built in one module and compiled (see assemble.go). It needs the emitted plan; it leaves no
// launch without a kernel; it never changes a step.
func kernels(b *plan.Builder, opt *Options) error {
	gpu := opt.target().GPU
	if gpu == nil || opt.Bare {
		return nil
	}
	g := newKernelSet(b, gpu)
	missing := make(map[string]error)
	of := make([]*wanted, len(b.P.Launches))
	for i := range b.P.Launches {
		w, err := g.want(&b.P.Launches[i], opt.Ctx)
		if err != nil {
			missing[err.Error()] = err
		}
		of[i] = w
	}
	if len(missing) > 0 {
		return joined(missing)
	}
	parts, err := g.compile(opt.Version)
	if err != nil {
		return err
	}
	for i, w := range of {
		g.bind(&b.P.Launches[i], w)
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

// wanted is a kernel that launches of a plan ask for. Those that differ in their launch only are
// given one kernel.
type wanted struct {
	key    string // of the batch
	batch  kern.Batch
	launch codegen.Launch
	shares []kern.Share // of a launch of several steps
	name   string       // of the kernel, when it has been made
}

type kernelSet struct {
	b      *plan.Builder
	gpu    *codegen.Target
	wanted []*wanted          // in the order of the launches
	index  map[string]*wanted // by key
	byName map[string]int32   // kernels of the plan
	hot    map[string]bool    // kernels that must not spill registers
}

func newKernelSet(b *plan.Builder, gpu *codegen.Target) *kernelSet {
	return &kernelSet{b: b, gpu: gpu, index: make(map[string]*wanted), byName: make(map[string]int32), hot: make(map[string]bool)}
}

// want returns what a launch asks for.
func (g *kernelSet) want(l *plan.Launch, ctx int) (*wanted, error) {
	w := &wanted{batch: batchOf(g.b.P, l, ctx, g.gpu)}
	w.key = w.batch.Key()
	if known, ok := g.index[w.key]; ok {
		return known, nil
	}
	var err error
	if w.launch, w.shares, err = w.batch.Launch(); err != nil {
		return nil, err
	}
	g.wanted = append(g.wanted, w)
	g.index[w.key] = w
	return w, nil
}

// bind gives a launch its kernel.
func (g *kernelSet) bind(l *plan.Launch, w *wanted) {
	l.Kernel, l.Grid, l.Block, l.Shared = g.kernel(w), w.launch.Grid, w.launch.Block, w.launch.Shared
	for i, s := range w.shares {
		g.share(&g.b.P.Steps[l.First+int32(i)], s)
	}
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
func (g *kernelSet) kernel(w *wanted) int32 {
	if i, ok := g.byName[w.name]; ok {
		return i
	}
	i := int32(len(g.b.P.Kernels))
	g.b.P.Kernels = append(g.b.P.Kernels, plan.Kernel{Name: g.b.Str(w.name), Params: g.b.AddParams(append(w.batch.Operands(), "ctl"))})
	g.byName[w.name] = i
	g.hot[w.name] = w.batch.Hot()
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
