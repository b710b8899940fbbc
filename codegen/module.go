package codegen

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/metadata"
	"github.com/llir/llvm/ir/types"
)

// The layout that llc uses with 32-bit pointers to shared and constant memory
// (-nvptx-short-ptr), which save half of the address arithmetic there.
const (
	DataLayout = "e-p3:32:32-p4:32:32-p5:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64"
	Triple     = "nvptx64-nvidia-cuda"
)

// Module is a set of kernels for one target that are compiled together.
type Module struct {
	Target *Target
	Names  []string // of the kernels, in order

	ir         *ir.Module
	intrinsics map[string]*ir.Func
	tables     map[string]*ir.Global
	bodies     map[string]string // text of a kernel without its name -> name
	dynamic    *ir.Global
	notes      []metadata.Node
	empty      *metadata.Tuple
	err        error
}

// NewModule returns an empty module.
func NewModule(t *Target) *Module {
	m := &Module{Target: t, ir: ir.NewModule(), intrinsics: map[string]*ir.Func{}, tables: map[string]*ir.Global{}, bodies: map[string]string{}}
	m.ir.DataLayout, m.ir.TargetTriple = DataLayout, Triple
	return m
}

// Kernel adds a kernel and returns its name: the one given, or that of a kernel which is the
// same in everything else and takes its place. Its parameters are one address per operand in
// operand order, then the control buffer. block is the number of threads that it will be
// launched with. emit makes the body; the final return is added.
func (m *Module) Kernel(name string, operands []string, block int, emit func(k *K)) string {
	if slices.Contains(m.Names, name) {
		m.fail(fmt.Errorf("two kernels are named %s", name))
		return name
	}
	k := newK(m, name, operands)
	k.bounds = append(k.bounds, bound{"maxntidx", block})
	k.guard(emit)
	k.finish()
	if m.err != nil {
		return name
	}
	body := fmt.Sprint(k.bounds, strings.ReplaceAll(k.f.LLString(), "@"+name, "@"))
	for _, g := range k.globals {
		body += fmt.Sprint(g.ContentType)
	}
	if same, ok := m.bodies[body]; ok {
		m.remove(k)
		return same
	}
	m.bodies[body] = name
	m.Names = append(m.Names, name)
	for _, b := range k.bounds {
		m.annotate(k.f, b)
	}
	return name
}

// remove takes out a kernel that has just been made.
func (m *Module) remove(k *K) {
	m.ir.Funcs = slices.DeleteFunc(m.ir.Funcs, func(f *ir.Func) bool { return f == k.f })
	m.ir.Globals = slices.DeleteFunc(m.ir.Globals, func(g *ir.Global) bool { return slices.Contains(k.globals, g) })
}

// bound is a launch bound.
type bound struct {
	key   string
	value int
}

func (m *Module) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

// annotate adds a launch bound for a kernel.
func (m *Module) annotate(f *ir.Func, b bound) {
	m.notes = append(m.notes, &metadata.Tuple{MetadataID: -1, Fields: []metadata.Field{
		f, &metadata.String{Value: b.key}, constant.NewInt(types.I32, int64(b.value)),
	}})
}

// Build returns the module as LLVM IR text, or the first error that a kernel made. Call it once.
func (m *Module) Build() (text string, err error) {
	if m.err != nil {
		return "", m.err
	}
	if len(m.Names) == 0 {
		return "", errors.New("module has no kernels")
	}
	if m.empty != nil {
		m.define(m.empty)
	}
	for _, n := range m.notes {
		m.define(n.(*metadata.Tuple))
	}
	m.ir.NamedMetadataDefs = map[string]*metadata.NamedDef{"nvvm.annotations": {Name: "nvvm.annotations", Nodes: m.notes}}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("printing LLVM IR: %v", r)
		}
	}()
	return m.ir.String(), nil
}

// define numbers a metadata node.
func (m *Module) define(n *metadata.Tuple) {
	n.MetadataID = metadata.MetadataID(len(m.ir.MetadataDefs))
	m.ir.MetadataDefs = append(m.ir.MetadataDefs, n)
}

// intrinsic declares an LLVM intrinsic once per module.
func (m *Module) intrinsic(name string, ret types.Type, args ...types.Type) *ir.Func {
	if f := m.intrinsics[name]; f != nil {
		return f
	}
	params := make([]*ir.Param, len(args))
	for i, a := range args {
		params[i] = ir.NewParam("", a)
	}
	f := m.ir.NewFunc(name, ret, params...)
	f.FuncAttrs = []ir.FuncAttribute{enum.FuncAttrNoUnwind}
	m.intrinsics[name] = f
	return f
}
