package codegen

import (
	"strconv"
	"strings"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/metadata"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

// printer writes the text of functions as llir does, in half the time: instructions that
// kernels are full of by itself, the others with llir.
type printer struct {
	b     []byte
	types map[types.Type]string
	names map[value.Value]string // of blocks
}

// textOf returns the text of a function with a body.
func textOf(f *ir.Func) string {
	blocks := f.Blocks
	f.Blocks = []*ir.Block{{Term: ir.NewRet(nil)}}
	head, _, _ := strings.Cut(f.LLString(), "{\n")
	f.Blocks = blocks
	if err := f.AssignIDs(); err != nil {
		panic("BUG: " + err.Error())
	}
	w := newPrinter()
	w.put(head, "{\n")
	for i, b := range f.Blocks {
		if i > 0 {
			w.put("\n")
		}
		w.block(b)
	}
	w.put("}")
	return string(w.b)
}

func newPrinter() *printer {
	return &printer{types: map[types.Type]string{}, names: map[value.Value]string{}}
}

// line returns the text of an instruction, whose function has numbers for its values.
func (w *printer) line(in ir.Instruction) string {
	w.b = w.b[:0]
	w.inst(in)
	return string(w.b)
}

func (w *printer) put(texts ...string) {
	for _, s := range texts {
		w.b = append(w.b, s...)
	}
}

func (w *printer) block(b *ir.Block) {
	w.put(strings.TrimPrefix(w.name(b), "%"), ":\n")
	for _, in := range b.Insts {
		w.put("\t")
		w.inst(in)
		w.put("\n")
	}
	w.put("\t", b.Term.LLString(), "\n")
}

// inst writes an instruction. What is not among the cases has more to it than their operands.
func (w *printer) inst(in ir.Instruction) {
	if m, ok := in.(interface{ MDAttachments() []*metadata.Attachment }); ok && len(m.MDAttachments()) > 0 {
		w.put(in.LLString())
		return
	}
	switch x := in.(type) {
	case *ir.InstCall:
		if len(x.ReturnAttrs)+len(x.FastMathFlags)+len(x.OperandBundles) == 0 && x.Tail == 0 && x.CallingConv == 0 && x.AddrSpace == 0 && !x.Sig().Variadic {
			w.call(x)
			return
		}
	case *ir.InstPhi:
		if len(x.FastMathFlags) == 0 {
			w.phi(x)
			return
		}
	case *ir.InstGetElementPtr:
		if !x.InBounds && len(x.Indices) == 1 {
			w.result(x, "getelementptr ")
			w.put(w.typ(x.ElemType), ", ")
			w.values(x.Src, x.Indices[0])
			return
		}
	case *ir.InstExtractValue:
		if len(x.Indices) == 1 {
			w.result(x, "extractvalue ")
			w.values(x.X)
			w.put(", ", strconv.FormatUint(x.Indices[0], 10))
			return
		}
	case *ir.InstExtractElement:
		w.result(x, "extractelement ")
		w.values(x.X, x.Index)
		return
	case *ir.InstInsertElement:
		w.result(x, "insertelement ")
		w.values(x.X, x.Elem, x.Index)
		return
	case *ir.InstICmp:
		w.result(x, "icmp ")
		w.put(x.Pred.String(), " ")
		w.pair(x.X, x.Y)
		return
	case *ir.InstBitCast:
		w.convert(x, "bitcast ", x.From, x.To)
		return
	case *ir.InstZExt:
		w.convert(x, "zext ", x.From, x.To)
		return
	case *ir.InstTrunc:
		w.convert(x, "trunc ", x.From, x.To)
		return
	case *ir.InstSelect:
		if len(x.FastMathFlags) == 0 {
			w.result(x, "select ")
			w.values(x.Cond, x.ValueTrue, x.ValueFalse)
			return
		}
	}
	if op, x, y, ok := plainBinary(in); ok {
		w.result(in.(value.Value), op)
		w.pair(x, y)
		return
	}
	w.put(in.LLString())
}

// plainBinary takes apart an operation on two values that has no flags.
func plainBinary(in ir.Instruction) (op string, x, y value.Value, ok bool) {
	switch i := in.(type) {
	case *ir.InstAdd:
		return "add ", i.X, i.Y, len(i.OverflowFlags) == 0
	case *ir.InstMul:
		return "mul ", i.X, i.Y, len(i.OverflowFlags) == 0
	case *ir.InstSub:
		return "sub ", i.X, i.Y, len(i.OverflowFlags) == 0
	case *ir.InstShl:
		return "shl ", i.X, i.Y, len(i.OverflowFlags) == 0
	case *ir.InstLShr:
		return "lshr ", i.X, i.Y, !i.Exact
	case *ir.InstAnd:
		return "and ", i.X, i.Y, true
	case *ir.InstOr:
		return "or ", i.X, i.Y, true
	case *ir.InstXor:
		return "xor ", i.X, i.Y, true
	case *ir.InstFAdd:
		return "fadd ", i.X, i.Y, len(i.FastMathFlags) == 0
	case *ir.InstFMul:
		return "fmul ", i.X, i.Y, len(i.FastMathFlags) == 0
	}
	return "", nil, nil, false
}

func (w *printer) call(x *ir.InstCall) {
	if t := x.Type(); t.Equal(types.Void) {
		w.put("call void ")
	} else {
		w.result(x, "call ")
		w.put(w.typ(t), " ")
	}
	w.put(x.Callee.Ident(), "(")
	w.values(x.Args...)
	w.put(")")
	for _, a := range x.FuncAttrs {
		w.put(" ", a.String())
	}
}

func (w *printer) phi(x *ir.InstPhi) {
	w.result(x, "phi ")
	w.put(w.typ(x.Typ), " ")
	for i, inc := range x.Incs {
		if i > 0 {
			w.put(", ")
		}
		w.put("[ ")
		w.ident(inc.X)
		w.put(", ", w.name(inc.Pred), " ]")
	}
}

func (w *printer) convert(x value.Value, op string, from value.Value, to types.Type) {
	w.result(x, op)
	w.values(from)
	w.put(" to ", w.typ(to))
}

func (w *printer) result(x value.Value, op string) {
	w.ident(x)
	w.put(" = ", op)
}

// pair writes two values of one type.
func (w *printer) pair(x, y value.Value) {
	w.values(x)
	w.put(", ")
	w.ident(y)
}

func (w *printer) values(vs ...value.Value) {
	for i, v := range vs {
		if i > 0 {
			w.put(", ")
		}
		w.put(w.typ(v.Type()), " ")
		w.ident(v)
	}
}

func (w *printer) ident(v value.Value) {
	if n, ok := v.(interface {
		IsUnnamed() bool
		ID() int64
	}); ok && n.IsUnnamed() {
		w.b = strconv.AppendInt(append(w.b, '%'), n.ID(), 10)
		return
	}
	w.put(v.Ident())
}

func (w *printer) typ(t types.Type) string {
	s, ok := w.types[t]
	if !ok {
		s = t.String()
		w.types[t] = s
	}
	return s
}

func (w *printer) name(b value.Value) string {
	s, ok := w.names[b]
	if !ok {
		s = b.Ident()
		w.names[b] = s
	}
	return s
}
