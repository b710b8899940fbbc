package passes

import (
	"cmp"
	"errors"
	"fmt"
	"math"

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
	key     string // of the PTX in the cache
	ptx     string
	cubin   *ptxas.Result // nil without ptxas
	err     error
}

// tools are what turns a module into machine code.
type tools struct {
	llc     *llc.Tool
	ptxas   *ptxas.Tool // nil: none
	version string      // of dsac
}

func findTools(version string) (*tools, error) {
	t := &tools{version: version}
	var err error
	if t.llc, err = llc.Find(); err != nil {
		return nil, err
	}
	if t.ptxas, err = ptxas.Find(); errors.Is(err, ptxas.ErrAbsent) { // then drivers assemble PTX themselves
		err = nil
	}
	return t, err
}

// compile returns the machine code of all kernels that are wanted, and names them.
func (g *kernelSet) compile(version string) ([]*compiled, error) {
	t, err := findTools(version)
	if err != nil {
		return nil, err
	}
	key := g.indexKey(t)
	if parts, err := g.recall(key, t); parts != nil || err != nil {
		return parts, err
	}
	m := codegen.NewModule(g.gpu)
	a := &assembler{m: m, tools: t, pool: newPool()}
	for _, w := range g.wanted {
		if w.name, err = w.batch.Add(m); err != nil {
			break
		}
		a.grown()
	}
	parts, failed := a.finish()
	if err != nil || failed != nil {
		return nil, cmp.Or(err, failed)
	}
	g.remember(key, parts)
	return parts, nil
}

// assembler runs llc and, where it is found, ptxas, on several parts of a module at once, while
// the module is still made. The parts depend on the kernels alone, so that every machine makes
// the same plan.
type assembler struct {
	*tools
	m     *codegen.Module
	pool  *pool
	parts []*compiled
}

// grown is to be called when the module has got a kernel.
func (a *assembler) grown() {
	if p, ok := a.m.Cut(partSize); ok {
		a.start(p)
	}
}

// ahead is longer than any run of ptxas, in bytes of PTX: while there is LLVM IR to compile, that
// comes first, so that ptxas has several parts to choose the longest from.
const ahead = math.MaxInt

func (a *assembler) start(p codegen.Part) {
	c := &compiled{kernels: p.Kernels}
	a.parts = append(a.parts, c)
	a.pool.call(ahead, func() {
		if c.key, c.err = a.llc.Key(p.Text, a.m.Target, a.version); c.err != nil {
			return
		}
		if c.ptx, c.err = a.llc.Compile(p.Text, a.m.Target, a.version); c.err == nil {
			a.pool.call(len(c.ptx), func() { a.assemble(c, a.m.Target) })
		}
	})
}

// assemble makes the cubin of a part, where ptxas was found.
func (t *tools) assemble(c *compiled, gpu *codegen.Target) {
	if t.ptxas != nil {
		c.cubin, c.err = t.ptxas.Assemble(c.ptx, gpu)
	}
}

// finish returns all parts when they are done.
func (a *assembler) finish() ([]*compiled, error) {
	last, ok, err := a.m.Rest()
	if ok {
		a.start(last)
	}
	a.pool.close()
	return a.parts, cmp.Or(err, firstError(a.parts))
}

func firstError(parts []*compiled) error {
	for _, c := range parts {
		if c.err != nil {
			return c.err
		}
	}
	return nil
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
		m := codegen.NewModule(target.GPU)
		switch made, err := batchOf(p, l, p.MetaInt(plan.MetaCtx), target.GPU).Add(m); {
		case err != nil:
			return "", err
		case made != name:
			continue // it shares the kernel of another step
		}
		return m.Build()
	}
	return "", fmt.Errorf("no step of the plan describes kernel %s as this dsac names it: compile the plan again", name)
}
