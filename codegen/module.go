package codegen

import (
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

// Module is a set of kernels for one target. A kernel is turned into text as soon as it is
// complete, and its instructions are let go: modules have hundreds of thousands of them.
type Module struct {
	Target *Target
	Names  []string // of the kernels, in order

	kernels    []kernelText // as Names
	cut        int          // how many of them Cut has returned
	globals    []*ir.Global // in order, as the intrinsics
	intrinsics []*ir.Func
	byName     map[string]*ir.Func
	tables     map[string]*ir.Global
	bodies     map[string]string // text of a kernel without its name -> name
	dynamic    *ir.Global
	empty      *metadata.Tuple
	err        error
}

// kernelText is a finished kernel.
type kernelText struct {
	name, text string
	notes      []string // launch bounds: metadata nodes
	uses       []string // names of globals, tables and intrinsics
}

// NewModule returns an empty module.
func NewModule(t *Target) *Module {
	return &Module{Target: t, byName: map[string]*ir.Func{}, tables: map[string]*ir.Global{}, bodies: map[string]string{}}
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
	text, err := printed(k.f)
	if err != nil {
		m.fail(fmt.Errorf("kernel %s: %w", name, err))
		return name
	}
	body := fmt.Sprint(k.bounds, strings.ReplaceAll(text, "@"+name, "@"))
	for _, g := range k.globals {
		body += fmt.Sprint(g.ContentType)
	}
	if same, ok := m.bodies[body]; ok {
		m.globals = slices.DeleteFunc(m.globals, func(g *ir.Global) bool { return slices.Contains(k.globals, g) })
		return same
	}
	m.bodies[body] = name
	m.Names = append(m.Names, name)
	done := kernelText{name: name, text: text, uses: references(text)}
	for _, b := range k.bounds {
		done.notes = append(done.notes, b.note(k.f))
	}
	m.kernels = append(m.kernels, done)
	k.f.Blocks = nil
	return name
}

// printed returns the text of a function; llir panics on what it cannot print.
func printed(f *ir.Func) (text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("printing LLVM IR: %v", r)
		}
	}()
	return textOf(f), nil
}

// bound is a launch bound.
type bound struct {
	key   string
	value int
}

// note is the bound of a kernel as a metadata node.
func (b bound) note(f *ir.Func) string {
	n := metadata.Tuple{MetadataID: -1, Fields: []metadata.Field{f, &metadata.String{Value: b.key}, constant.NewInt(types.I32, int64(b.value))}}
	return n.LLString()
}

func (m *Module) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

// intrinsic declares an LLVM intrinsic once per module.
func (m *Module) intrinsic(name string, ret types.Type, args ...types.Type) *ir.Func {
	if f := m.byName[name]; f != nil {
		return f
	}
	params := make([]*ir.Param, len(args))
	for i, a := range args {
		params[i] = ir.NewParam("", a)
	}
	f := ir.NewFunc(name, ret, params...)
	f.FuncAttrs = []ir.FuncAttribute{enum.FuncAttrNoUnwind}
	m.byName[name] = f
	m.intrinsics = append(m.intrinsics, f)
	return f
}
