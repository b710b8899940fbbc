package passes

import (
	"errors"
	"fmt"

	"dsac/codegen"
	"dsac/codegen/llc"
	"dsac/codegen/ptxas"
	"dsac/runtime/plan"
)

// partSize is the least LLVM IR in bytes that is worth a run of llc of its own: about 0.5 s.
// Modules below it, such as those of small models, take one run.
const partSize = 2 << 20

// compiled is a part of the module as machine code.
type compiled struct {
	ptx   string
	cubin *ptxas.Result // nil without ptxas
	err   error
}

// compile runs llc and, where it is found, ptxas, on several parts of the module at once. The
// parts depend on the kernels alone, so that every machine makes the same plan.
func (g *kernelSet) compile(opt *Options) error {
	parts, err := g.m.Parts(partSize)
	if err != nil {
		return err
	}
	tool, err := llc.Find()
	if err != nil {
		return err
	}
	as, err := ptxas.Find()
	if err != nil && !errors.Is(err, ptxas.ErrAbsent) { // without it, drivers assemble PTX themselves
		return err
	}
	out := make([]compiled, len(parts))
	parallel(len(parts), func(i int) {
		c := &out[i]
		if c.ptx, c.err = tool.Compile(parts[i].Text, g.gpu, opt.Version); c.err == nil && as != nil {
			c.cubin, c.err = as.Assemble(c.ptx, g.gpu)
		}
	})
	for i := range parts {
		if out[i].err != nil {
			return out[i].err
		}
		g.put(parts[i].Kernels, &out[i], opt)
	}
	return nil
}

// put puts a part into the plan.
func (g *kernelSet) put(names []string, c *compiled, opt *Options) {
	text := g.b.AddBlob([]byte(c.ptx))
	var cubin plan.Span
	if c.cubin != nil {
		cubin = g.b.AddBlob(c.cubin.Cubin)
	}
	for _, name := range names {
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
