// Package emudev runs the kernels of a plan in the emulator, one step at a time, so that a
// plan for a GPU is checked against the host on a machine without one. It implements the
// device of runtime/check. It must not import passes, models or any other runtime package.
package emudev

import (
	"errors"
	"fmt"
	"strings"

	"dsac/codegen/emu"
	"dsac/codegen/ptx"
	"dsac/runtime/check"
	"dsac/runtime/plan"
)

// Weights gives the bytes of a GGUF tensor as the file holds them.
type Weights interface {
	Data(name string) ([]byte, error)
}

// Layout repacks a tensor: from the file's bytes to those that the kernels want, which fill
// the weight's buffer.
type Layout func(w *plan.Weight, data []byte) ([]byte, error)

// Options of a device.
type Options struct {
	// Layouts has the transform for each weight layout other than "gguf", by name.
	Layouts map[string]Layout
	// Fast leaves races, double writes and unwritten bytes unchecked.
	Fast bool
}

// Device is a plan whose kernels the emulator runs.
type Device struct {
	plan    *plan.Plan
	target  string
	opt     Options
	from    Weights
	weights map[int32]*plan.Weight // by buffer
	held    map[int32]*emu.Buffer  // weights in use, as the kernels want them
	sources map[plan.Span]*ptx.Source
	kernels map[int32]*emu.Kernel
}

var _ check.Device = (*Device)(nil)

// Open prepares a plan. It is an error when the plan has no kernels or is for a target that
// the emulator does not know. Kernels and weights are looked at when a step needs them.
func Open(p *plan.Plan, w Weights, opt Options) (*Device, error) {
	target := p.MetaValue(plan.MetaTarget)
	if len(p.Kernels) == 0 {
		return nil, fmt.Errorf("the plan is for target %s and has no kernels: compile for a GPU, such as --target sm_120", target)
	}
	if _, err := ptx.TargetNamed(target); err != nil {
		return nil, err
	}
	d := &Device{plan: p, target: target, opt: opt, from: w, weights: map[int32]*plan.Weight{},
		held: map[int32]*emu.Buffer{}, sources: map[plan.Span]*ptx.Source{}, kernels: map[int32]*emu.Kernel{}}
	for i := range p.Weights {
		d.weights[p.Weights[i].Buf] = &p.Weights[i]
	}
	return d, nil
}

// Name is that of reports.
func (d *Device) Name() string { return "emulator" }

// Step launches the kernel of a step and of those that share its launch. Everything that the emulator finds is a finding.
func (d *Device) Step(s *check.Step) ([]check.Finding, error) {
	st := &d.plan.Steps[s.Index]
	if st.Launch == plan.None || d.plan.Launches[st.Launch].Kernel == plan.None {
		return nil, errors.New("the plan has no kernel for it")
	}
	l := &d.plan.Launches[st.Launch]
	k, err := d.kernel(l.Kernel)
	if err != nil {
		return nil, err
	}
	b, err := d.bind(s)
	if err != nil {
		return nil, err
	}
	cfg := emu.LaunchConfig{Launch: ptx.Launch{Grid: l.Grid, Block: l.Block, DynShared: int(l.Shared)}, Params: b.params}
	rep, err := k.Launch(cfg, emu.Options{Target: d.target, NoShadow: d.opt.Fast})
	if err != nil {
		return nil, err
	}
	b.copyBack(s)
	d.restore(s, rep)
	return d.findings(s, rep), nil
}

// findings translates what the emulator found.
func (d *Device) findings(s *check.Step, rep *emu.Report) []check.Finding {
	var out []check.Finding
	for i := range rep.Findings {
		f := &rep.Findings[i]
		c := check.Finding{Kind: check.Faulty, Byte: -1, Detail: strings.TrimPrefix(f.String(), f.Kernel+": ")}
		if f.Kind == emu.Unwritten {
			c.Kind = check.Unwritten
		}
		if f.Param >= 0 {
			c.Operand, c.Byte = s.Params[f.Param].Name, f.Off
		}
		out = append(out, c)
	}
	return out
}
