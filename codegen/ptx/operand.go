package ptx

import (
	"fmt"
	"strings"
)

// checkOperands holds the operands of in against the table: count, kind, register width.
func (s *Spec) checkOperands(e *Entry, in *Instr) error {
	least := 0
	for _, a := range s.args {
		if !a.optional {
			least++
		}
	}
	if len(in.Args) < least || len(in.Args) > len(s.args) {
		return fmt.Errorf("%s: %d operands, want %d", in.Op, len(in.Args), least)
	}
	for i := range in.Args {
		if err := s.args[i].check(e, &in.Args[i]); err != nil {
			return fmt.Errorf("%s: operand %d: %w", in.Op, i+1, err)
		}
	}
	return nil
}

func (a argSpec) check(e *Entry, o *Operand) error {
	switch a.role {
	case 'm':
		if o.Kind != OpAddr {
			return fmt.Errorf("want an address in brackets")
		}
		if o.Reg >= 0 {
			if t := e.Regs[o.Reg].Type; t.Bits() != 64 && t.Bits() != 32 || t.Float() {
				return fmt.Errorf("%s cannot hold an address", e.Regs[o.Reg].Name)
			}
		}
		return nil
	case 'l':
		if o.Kind != OpLabel {
			return fmt.Errorf("want a label")
		}
		return nil
	case 'q', 'r':
		if o.Kind != OpPair {
			return a.scalar(e, o, a.typ)
		}
		if err := a.scalar(e, &o.Sub[0], a.typ); err != nil {
			return err
		}
		return a.scalar(e, &o.Sub[1], Pred)
	case 'x', 'y', 'X', 'Y':
		if o.Kind == OpVec {
			return a.vector(e, o)
		}
	}
	return a.scalar(e, o, a.typ)
}

// vector checks "{..}": for ld, st and mma elements of the type, for mov parts that fill it.
func (a argSpec) vector(e *Entry, o *Operand) error {
	n := len(o.Sub)
	if n != 1 && n != 2 && n != 4 {
		return fmt.Errorf("vector of %d elements", n)
	}
	for i := range o.Sub {
		s := &o.Sub[i]
		if s.Kind == OpLabel || s.Kind == OpSym || (a.role|0x20 == 'x' && s.Kind != OpReg && s.Kind != OpSink) {
			return fmt.Errorf("element %d is not a register", i+1)
		}
		if s.Kind == OpReg && e.Regs[s.Reg].Type == Pred {
			return fmt.Errorf("element %d is a predicate", i+1)
		}
	}
	return nil
}

func (a argSpec) scalar(e *Entry, o *Operand, typ Type) error {
	dst := strings.IndexByte("dDxXqr", a.role) >= 0
	switch o.Kind {
	case OpReg:
		if o.Neg && (typ != Pred || dst) {
			return fmt.Errorf("! on a register that is not a source predicate")
		}
		have := e.Regs[o.Reg].Type
		if typ == NoType || have.Bits() == typ.Bits() {
			if (have == Pred) != (typ == Pred) && typ != NoType {
				return fmt.Errorf("register %s is .%s, want .%s", e.Regs[o.Reg].Name, have, typ)
			}
			return nil
		}
		wide := strings.IndexByte("DSXY", a.role) >= 0
		if wide && have != Pred && have.Bits() > typ.Bits() {
			return nil
		}
		return fmt.Errorf("register %s is .%s, want .%s", e.Regs[o.Reg].Name, have, typ)
	case OpSink:
		if dst {
			return nil
		}
	case OpInt, OpSpecial, OpSym:
		if !dst && typ != Pred {
			return nil
		}
		if !dst && o.Kind == OpInt {
			return nil // mov.pred p, 1
		}
	case OpF32, OpF64:
		if !dst && (typ.Float() || typ.Kind() == Untyped) {
			return nil
		}
	}
	return fmt.Errorf("operand of the wrong kind")
}
