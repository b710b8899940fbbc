package kernels

import (
	"errors"
	"fmt"

	"dsac/codegen"
	"dsac/codegen/llc"
	"dsac/codegen/ptx"
	"dsac/codegen/ptxas"
	"dsac/runtime/plan"
)

// Tools turn kernels into machine code.
type Tools struct {
	LLC     *llc.Tool
	Ptxas   *ptxas.Tool // nil: none, drivers assemble the PTX
	Version string      // of dsac, for the cache
}

// Set is compiled kernels: one module.
type Set struct {
	LLVM    string
	PTX     string
	Module  *ptx.Module // PTX, parsed
	Cubin   []byte      // nil without ptxas
	Entries []Entry     // by spec, in the order given
}

// Entry is the kernel of one spec. Several specs may share one.
type Entry struct {
	Name   string
	Launch codegen.Launch
	Usage  ptxas.Usage  // zero without ptxas
	Does   *ptx.Summary // what it does through each parameter at this launch

	rows int64 // of the spec
}

// Compile makes the kernels of all specs, which must have the target g, in one run of llc, and
// checks them: instructions and limits of the target, and that every access is traced. What an
// access may touch is for the lint, which knows the plan.
func Compile(g *codegen.Target, specs []*codegen.Spec, tools Tools) (*Set, error) {
	m := codegen.NewModule(g)
	set := &Set{}
	for _, s := range specs {
		name, launch, err := Add(m, s)
		if err != nil {
			return nil, err
		}
		set.Entries = append(set.Entries, Entry{Name: name, Launch: launch, rows: int64(s.Rows)})
	}
	var err error
	if set.LLVM, err = m.Build(); err != nil {
		return nil, err
	}
	if set.PTX, err = tools.LLC.Compile(set.LLVM, g, tools.Version); err != nil {
		return nil, err
	}
	if set.Module, err = ptx.Parse(set.PTX); err != nil {
		return nil, fmt.Errorf("reading llc's output: %w", err)
	}
	errs := set.Module.Check(g.Target)
	for i := range set.Entries {
		errs = append(errs, set.Entries[i].check(set.Module, g)...)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return set, set.assemble(g, tools.Ptxas)
}

// check analyses one kernel at its launch.
func (e *Entry) check(m *ptx.Module, g *codegen.Target) []error {
	entry := m.Entry(e.Name)
	launch := ptx.Launch{Grid: e.Launch.Grid, Block: e.Launch.Block, DynShared: int(e.Launch.Shared)}
	errs := entry.CheckLaunch(launch, g.Target)
	var err error
	if e.Does, err = ptx.AnalyzeAssuming(entry, launch, e.live(entry)); err != nil { // it may change the count
		e.Does, err = ptx.Analyze(entry, launch)
	}
	if err != nil {
		return append(errs, err)
	}
	for _, x := range []struct {
		what  string
		lines []string
	}{
		{"store that no parameter explains", e.Does.Unknown}, {"load that no parameter explains", e.Does.LostLoads},
		{"store to a variable of the module", e.Does.GlobalStore}, {"address computed in 32 bits", e.Does.Index32},
		{"access whose alignment is not known", e.Does.Misaligned},
	} {
		for _, line := range x.lines {
			errs = append(errs, fmt.Errorf("%s: %s: %s", e.Name, x.what, line))
		}
	}
	return errs
}

// live assumes that no more rows are live than the spec has.
func (e *Entry) live(entry *ptx.Entry) (as []ptx.Assume) {
	for _, bytes := range []int{4, 8} { // kernels load the count as 32 or 64 bits
		as = append(as, ptx.Assume{Param: len(entry.Params) - 1, Off: plan.CtlN, Bytes: bytes, Lo: 0, Hi: e.rows})
	}
	return as
}

func (s *Set) assemble(g *codegen.Target, tool *ptxas.Tool) error {
	if tool == nil {
		return nil
	}
	r, err := tool.Assemble(s.PTX, g)
	if err != nil {
		return err
	}
	s.Cubin = r.Cubin
	for i := range s.Entries {
		s.Entries[i].Usage = r.Usage[s.Entries[i].Name]
	}
	return nil
}
