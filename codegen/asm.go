package codegen

import (
	"fmt"
	"strings"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

// How an inline instruction may be moved by llc.
type asmKind uint8

const (
	pure       asmKind = iota // depends on its operands only
	convergent                // as pure, and all threads of the warp execute it together
	ordered                   // touches memory or time: stays where it is
	barrier                   // ordered and convergent
)

// asm emits one PTX instruction, or several. Operands in text are $0, $1, .. : results first,
// then inputs. early says that results are written before the last input is read.
func (k *K) asm(kind asmKind, text string, results []types.Type, inputs ...value.Value) []value.Value {
	return k.asmText(kind, text, "=", results, inputs)
}

func (k *K) asmEarly(kind asmKind, text string, results []types.Type, inputs ...value.Value) []value.Value {
	return k.asmText(kind, text, "=&", results, inputs)
}

func (k *K) asmText(kind asmKind, text, mark string, results []types.Type, inputs []value.Value) []value.Value {
	var cons []string
	for _, t := range results {
		cons = append(cons, mark+register(t))
	}
	args := make([]types.Type, len(inputs))
	for i, v := range inputs {
		args[i] = v.Type()
		cons = append(cons, register(args[i]))
	}
	if kind >= ordered {
		cons = append(cons, "~{memory}")
	}
	var ret types.Type = types.Void
	switch len(results) {
	case 0:
	case 1:
		ret = results[0]
	default:
		ret = types.NewStruct(results...)
	}
	a := ir.NewInlineAsm(types.NewPointer(types.NewFunc(ret, args...)), text, strings.Join(cons, ","))
	a.SideEffect = kind >= ordered
	call := ir.NewCall(a, inputs...)
	if kind == convergent || kind == barrier {
		call.FuncAttrs = append(call.FuncAttrs, enum.FuncAttrConvergent)
	}
	call.FuncAttrs = append(call.FuncAttrs, enum.FuncAttrNoUnwind)
	k.emit(call)
	switch len(results) {
	case 0:
		return nil
	case 1:
		return []value.Value{call}
	}
	out := make([]value.Value, len(results))
	for i := range results {
		out[i] = k.emit(ir.NewExtractValue(call, uint64(i)))
	}
	return out
}

// register gives the constraint letter of a type.
func register(t types.Type) string {
	switch t := t.(type) {
	case *types.IntType:
		if r, ok := map[uint64]string{1: "b", 16: "h", 32: "r", 64: "l"}[t.BitSize]; ok {
			return r
		}
	case *types.FloatType:
		return "f"
	case *types.PointerType:
		if t.AddrSpace == types.AddrSpace(Global) {
			return "l"
		}
		return "r"
	}
	panic(fmt.Sprintf("BUG: no register holds a %s", t))
}

// repeat lists n times the same type.
func repeat(t types.Type, n int) []types.Type {
	ts := make([]types.Type, n)
	for i := range ts {
		ts[i] = t
	}
	return ts
}

// vector prints the operands $first, .. of an n-element vector: "$0", or "{$0, $1}".
func vector(first, n int) string {
	if n == 1 {
		return fmt.Sprintf("$%d", first)
	}
	return "{" + list(first, n) + "}"
}

func list(first, n int) string {
	s := make([]string, n)
	for i := range s {
		s[i] = fmt.Sprintf("$%d", first+i)
	}
	return strings.Join(s, ", ")
}
