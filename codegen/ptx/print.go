package ptx

import (
	"fmt"
	"strings"
)

// String prints the module as PTX. Parsing the text gives the same module, source lines apart.
func (m *Module) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, ".version %s\n.target %s\n.address_size %d\n\n", m.Version, strings.Join(m.Target, ", "), m.AddressSize)
	for _, v := range m.Vars {
		printVar(&b, v)
	}
	for _, e := range m.Entries {
		e.print(&b)
	}
	return b.String()
}

func (e *Entry) print(b *strings.Builder) {
	if e.Visible {
		b.WriteString(".visible ")
	}
	fmt.Fprintf(b, ".entry %s(", e.Name)
	for i, p := range e.Params {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n\t.param ")
		if p.Align > 0 {
			fmt.Fprintf(b, ".align %d ", p.Align)
		}
		fmt.Fprintf(b, ".%s %s%s", p.Type, p.Name, printDims(p.Dims))
	}
	b.WriteString("\n)\n")
	for _, d := range e.Perf {
		fmt.Fprintf(b, ".%s %s\n", d.Name, strings.Trim(strings.ReplaceAll(fmt.Sprint(d.Args), " ", ", "), "[]"))
	}
	b.WriteString("{\n")
	for _, s := range e.Body {
		e.printStmt(b, s)
	}
	b.WriteString("}\n")
}

func (e *Entry) printStmt(b *strings.Builder, s Stmt) {
	switch s.Kind {
	case StmtInstr:
		b.WriteString("\t" + e.InstrText(s.Instr) + ";\n")
	case StmtLabel:
		b.WriteString(e.Labels[s.Label] + ":\n")
	case StmtRegs:
		fmt.Fprintf(b, "\t.reg .%s %s", s.Regs.Type, strings.Join(s.Regs.Names, ", "))
		if s.Regs.Count > 0 {
			fmt.Fprintf(b, "<%d>", s.Regs.Count)
		}
		b.WriteString(";\n")
	case StmtVar:
		b.WriteByte('\t')
		printVar(b, s.Var)
	case StmtOpen:
		b.WriteString("\t{\n")
	case StmtClose:
		b.WriteString("\t}\n")
	case StmtPragma:
		fmt.Fprintf(b, "\t.pragma \"%s\";\n", s.Text)
	}
}

func printDims(ds []int) string {
	var b strings.Builder
	for _, d := range ds {
		if d < 0 {
			b.WriteString("[]")
		} else {
			fmt.Fprintf(&b, "[%d]", d)
		}
	}
	return b.String()
}

func printVar(b *strings.Builder, v *Var) {
	if v.Linkage != "" {
		b.WriteString("." + v.Linkage + " ")
	}
	fmt.Fprintf(b, ".%s ", v.Space)
	if v.Align > 0 {
		fmt.Fprintf(b, ".align %d ", v.Align)
	}
	if v.Vec > 0 {
		fmt.Fprintf(b, ".v%d ", v.Vec)
	}
	fmt.Fprintf(b, ".%s %s%s", v.Type, v.Name, printDims(v.Dims))
	if v.Init != nil {
		b.WriteString(" = {")
		for i, o := range v.Init {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString((*Entry)(nil).operandText(o))
		}
		b.WriteString("}")
	}
	b.WriteString(";\n")
}

// InstrText is the instruction as PTX text without its semicolon.
func (e *Entry) InstrText(in *Instr) string {
	var b strings.Builder
	if in.Guard >= 0 {
		b.WriteByte('@')
		if in.GuardNot {
			b.WriteByte('!')
		}
		b.WriteString(e.Regs[in.Guard].Name + " ")
	}
	b.WriteString(in.Op)
	for i, a := range in.Args {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(" " + e.operandText(a))
	}
	return b.String()
}

func (e *Entry) operandText(o Operand) string {
	switch o.Kind {
	case OpReg:
		if o.Neg {
			return "!" + e.Regs[o.Reg].Name
		}
		return e.Regs[o.Reg].Name
	case OpInt:
		return fmt.Sprint(o.Int)
	case OpF32:
		return fmt.Sprintf("0f%08X", o.Bits)
	case OpF64:
		return fmt.Sprintf("0d%016X", o.Bits)
	case OpSpecial, OpSym:
		return o.Name
	case OpLabel:
		return e.Labels[o.Int]
	case OpAddr:
		base := o.Name
		if o.Reg >= 0 {
			base = e.Regs[o.Reg].Name
		}
		if base == "" {
			return fmt.Sprintf("[%d]", o.Int)
		}
		if o.Int == 0 {
			return "[" + base + "]"
		}
		return fmt.Sprintf("[%s+%d]", base, o.Int)
	case OpVec:
		return "{" + e.operandList(o.Sub, ", ") + "}"
	case OpPair:
		return e.operandList(o.Sub, "|")
	case OpSink:
		return "_"
	}
	panic(fmt.Sprintf("BUG: operand of kind %d", o.Kind))
}

func (e *Entry) operandList(ops []Operand, sep string) string {
	parts := make([]string, len(ops))
	for i, o := range ops {
		parts[i] = e.operandText(o)
	}
	return strings.Join(parts, sep)
}
