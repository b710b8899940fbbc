package passes

import (
	"errors"
	"fmt"

	"dsac/codegen"
	"dsac/codegen/llc"
	"dsac/codegen/ptxas"
	"dsac/runtime/plan"
)

// partSize is the least LLVM IR in bytes that is worth a run of llc of its own: about 0.3 s, and one of ptxas: 0.7 s.
// Modules below it, such as those of small models, take one run.
const partSize = 1 << 20

// compiled is a part of the module as machine code.
type compiled struct {
	kernels []string
	ptx     string
	cubin   *ptxas.Result // nil without ptxas
	err     error
}

// assembler runs llc and, where it is found, ptxas, on several parts of a module at once, while
// the module is still made. The parts depend on the kernels alone, so that every machine makes
// the same plan.
type assembler struct {
	m       *codegen.Module
	version string
	llc     *llc.Tool
	ptxas   *ptxas.Tool // nil: none
	err     error       // no tools
	pool    *pool
	parts   []*compiled
}

func newAssembler(m *codegen.Module, version string) *assembler {
	a := &assembler{m: m, version: version, pool: newPool()}
	if a.llc, a.err = llc.Find(); a.err != nil {
		return a
	}
	if a.ptxas, a.err = ptxas.Find(); errors.Is(a.err, ptxas.ErrAbsent) { // then drivers assemble PTX themselves
		a.err = nil
	}
	return a
}

// grown is to be called when the module has got a kernel.
func (a *assembler) grown() {
	if p, ok := a.m.Cut(partSize); ok {
		a.start(p)
	}
}

func (a *assembler) start(p codegen.Part) {
	if a.err != nil {
		return
	}
	c := &compiled{kernels: p.Kernels}
	a.parts = append(a.parts, c)
	a.pool.call(func() {
		if c.ptx, c.err = a.llc.Compile(p.Text, a.m.Target, a.version); c.err == nil && a.ptxas != nil {
			c.cubin, c.err = a.ptxas.Assemble(c.ptx, a.m.Target)
		}
	})
}

// finish returns all parts when they are done.
func (a *assembler) finish() ([]*compiled, error) {
	last, ok, err := a.m.Rest()
	if ok {
		a.start(last)
	}
	a.pool.close()
	if err == nil {
		err = a.err
	}
	for _, c := range a.parts {
		if err == nil {
			err = c.err
		}
	}
	return a.parts, err
}

// put puts a part into the plan.
func (g *kernelSet) put(c *compiled, opt *Options) {
	text := g.b.AddBlob([]byte(c.ptx))
	var cubin plan.Span
	if c.cubin != nil {
		cubin = g.b.AddBlob(c.cubin.Cubin)
	}
	for _, name := range c.kernels {
		k := &g.b.P.Kernels[g.byName[name]]
		k.PTX, k.Cubin = text, cubin
		if c.cubin == nil {
			continue
		}
		u := c.cubin.Usage[name]
		k.Regs, k.Shared = uint32(u.Registers), uint32(u.Shared)
		if bytes := u.SpillLoad + u.SpillStore; bytes > 0 && g.hot[name] && opt.Warn != nil {
			opt.Warn(fmt.Sprintf("kernel %s spills %d bytes of registers per thread: it is correct and slower than meant; another version of ptxas may do better", name, bytes))
		}
	}
}

// LLVM returns the LLVM IR of a kernel of a plan for a GPU: the kernel is built again for the
// first step that runs it. It is an error when the plan was made by a dsac whose kernels differ.
func LLVM(p *plan.Plan, kernel int32) (string, error) {
	target := Targets[p.MetaValue(plan.MetaTarget)]
	if target == nil || target.GPU == nil {
		return "", fmt.Errorf("the plan is for target %q, which has no kernels", p.MetaValue(plan.MetaTarget))
	}
	name := p.Str(p.Kernels[kernel].Name)
	for i := range p.Launches {
		l := &p.Launches[i]
		if l.Kernel != kernel {
			continue
		}
		g := &kernelSet{m: codegen.NewModule(target.GPU)}
		b := batchOf(p, l, p.MetaInt(plan.MetaCtx), target.GPU)
		switch made, _, _, err := g.add(b); {
		case err != nil:
			return "", err
		case made != name:
			continue // it shares the kernel of another step
		}
		return g.m.Build()
	}
	return "", fmt.Errorf("no step of the plan describes kernel %s as this dsac names it: compile the plan again", name)
}
