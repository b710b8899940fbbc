package main

import (
	"fmt"
	"io"
	"strings"

	"dsac/codegen/ptx"
	"dsac/passes"
	"dsac/runtime/plan"
)

// printPTX writes the PTX of one kernel, ahead of it what the plan knows of it.
func printPTX(out io.Writer, p *plan.Plan, entry, name string) error {
	i, err := findKernel(p, entry, name)
	if err != nil {
		return err
	}
	k := &p.Kernels[i]
	text, ok := ptx.Cut(string(p.Bytes(k.PTX))).Alone(p.Str(k.Name))
	if !ok {
		return fmt.Errorf("kernel %s: the plan holds no PTX of it: compile it again", p.Str(k.Name))
	}
	var params []string
	for _, a := range p.AttrList(k.Params) {
		params = append(params, p.Str(plan.Str(a.Val)))
	}
	fmt.Fprintf(out, "// kernel %s(%s)", p.Str(k.Name), strings.Join(params, ", "))
	if k.Cubin.Len > 0 {
		fmt.Fprintf(out, ": %d registers, %d bytes of static shared memory", k.Regs, k.Shared)
	}
	fmt.Fprintln(out)
	for _, line := range launches(p, i) {
		fmt.Fprintln(out, "// "+line)
	}
	_, err = io.WriteString(out, text)
	return err
}

// launches says how a kernel is launched: one line per shape, with the steps of the first launch
// and how many more there are.
func launches(p *plan.Plan, kernel int32) []string {
	var shapes, first []string
	more := make(map[string]int)
	for i := range p.Launches {
		l := &p.Launches[i]
		if l.Kernel != kernel {
			continue
		}
		shape := fmt.Sprintf("grid %s, block %s, %d bytes of dynamic shared memory", extents(l.Grid), extents(l.Block), l.Shared)
		if _, ok := more[shape]; ok {
			more[shape]++
			continue
		}
		more[shape] = 0
		shapes = append(shapes, shape)
		var steps []string
		for _, st := range p.Steps[l.First : l.First+l.Count] {
			steps = append(steps, p.Str(st.Name))
		}
		first = append(first, p.Str(p.Entries[l.Entry].Name)+" "+strings.Join(steps, " + "))
	}
	for i, s := range shapes {
		shapes[i] = fmt.Sprintf("%s: %s and %d more", s, first[i], more[s])
	}
	return shapes
}

// printLLVM writes the LLVM IR that one kernel is compiled from.
func printLLVM(out io.Writer, p *plan.Plan, entry, name string) error {
	i, err := findKernel(p, entry, name)
	if err != nil {
		return err
	}
	text, err := passes.LLVM(p, i)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, text)
	return err
}

// findKernel returns the kernel of that name, or that of the first step of that name, in the
// entry where one is given.
func findKernel(p *plan.Plan, entry, name string) (int32, error) {
	if len(p.Kernels) == 0 {
		return 0, fmt.Errorf("the plan has no kernels: it is for target %q", p.MetaValue(plan.MetaTarget))
	}
	for i := range p.Kernels {
		if p.Str(p.Kernels[i].Name) == name {
			return int32(i), nil
		}
	}
	for i := range p.Entries {
		e := &p.Entries[i]
		if entry != "" && p.Str(e.Name) != entry {
			continue
		}
		for _, st := range p.EntrySteps(e) {
			if p.Str(st.Name) == name && st.Launch != plan.None && p.Launches[st.Launch].Kernel != plan.None {
				return p.Launches[st.Launch].Kernel, nil
			}
		}
	}
	return 0, fmt.Errorf("the plan has no kernel or step %q; the kernels are %s", name, kernelNames(p))
}

// kernelNames lists the kernels for a message.
func kernelNames(p *plan.Plan) string {
	const most = 12
	var names []string
	for i := range p.Kernels {
		if i == most {
			names = append(names, fmt.Sprintf("%d more (dsac inspect PLAN lists them)", len(p.Kernels)-most))
			break
		}
		names = append(names, p.Str(p.Kernels[i].Name))
	}
	return strings.Join(names, ", ")
}

// extents writes a launch shape as the plan's text does.
func extents(n [3]uint32) string { return fmt.Sprintf("%dx%dx%d", n[0], n[1], n[2]) }
