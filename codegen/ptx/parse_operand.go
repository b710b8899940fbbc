package ptx

import (
	"math"
	"strconv"
	"strings"
)

// instruction reads "[@[!]p] opcode [operand {, operand}];".
func (p *parser) instruction(line int) error {
	in := &Instr{Guard: -1, Line: line}
	if ok, err := p.accept("@"); err != nil {
		return err
	} else if ok {
		if in.GuardNot, err = p.accept("!"); err != nil {
			return err
		}
		name, err := p.word()
		if err != nil {
			return err
		}
		if in.Guard = p.register(name); in.Guard < 0 || p.entry.Regs[in.Guard].Type != Pred {
			return p.errorf("%s is not a predicate register", name)
		}
	}
	op, err := p.word()
	if err != nil {
		return err
	}
	if op[0] == '.' || op[0] == '%' {
		return p.errorf("want an opcode, have %q", op)
	}
	in.Op = op
	spec, seen := p.specs[op]
	if !seen {
		spec = Lookup(op)
		p.specs[op] = spec
	}
	in.Spec = spec
	if !p.is(";") {
		err := p.list(func() error {
			o, err := p.operand(true)
			in.Args = append(in.Args, o)
			return err
		})
		if err != nil {
			return err
		}
	}
	for i := range in.Args {
		if a := &in.Args[i]; a.Kind == OpLabel {
			s := p.scopes[len(p.scopes)-1]
			s.waits = append(s.waits, labelUse{a.Name, line, in, i})
			a.Name = ""
		}
	}
	if spec != nil {
		if err := spec.checkOperands(p.entry, in); err != nil {
			return p.errorf("%w", err)
		}
	}
	p.entry.Body = append(p.entry.Body, Stmt{Kind: StmtInstr, Instr: in})
	return p.expect(";")
}

// operand reads one operand; compound ones (vectors, pairs, addresses) only where nest is set.
func (p *parser) operand(nest bool) (Operand, error) {
	switch {
	case p.is("!"):
		if err := p.advance(); err != nil {
			return Operand{}, err
		}
		o, err := p.name(false)
		if err == nil && o.Kind != OpReg {
			err = p.errorf("! needs a predicate register")
		}
		o.Neg = true
		return o, err
	case p.is("{") && nest:
		if err := p.advance(); err != nil {
			return Operand{}, err
		}
		v := Operand{Kind: OpVec, Reg: -1}
		err := p.list(func() error {
			o, err := p.operand(false)
			v.Sub = append(v.Sub, o)
			return err
		})
		if err != nil {
			return Operand{}, err
		}
		return v, p.expect("}")
	case p.is("[") && nest:
		return p.address()
	case p.is("_"):
		return Operand{Kind: OpSink, Reg: -1}, p.advance()
	case p.tok.kind == tokWord:
		o, err := p.name(nest)
		if err != nil || !nest || !p.is("|") {
			return o, err
		}
		if err := p.advance(); err != nil {
			return Operand{}, err
		}
		q, err := p.operand(false)
		return Operand{Kind: OpPair, Reg: -1, Sub: []Operand{o, q}}, err
	}
	return p.immediate()
}

// name reads a register, special register, label or symbol.
func (p *parser) name(labels bool) (Operand, error) {
	w, err := p.word()
	if err != nil {
		return Operand{}, err
	}
	if r := p.register(w); r >= 0 {
		return Operand{Kind: OpReg, Reg: r}, nil
	}
	switch {
	case w == "WARP_SZ":
		return Operand{Kind: OpInt, Reg: -1, Int: 32}, nil
	case w[0] == '%':
		if !specialNames[w] {
			return Operand{}, p.errorf("register %s is not declared", w)
		}
		return Operand{Kind: OpSpecial, Reg: -1, Name: w}, nil
	case p.symbol(w):
		return Operand{Kind: OpSym, Reg: -1, Name: w}, nil
	case labels && w[0] != '.':
		return Operand{Kind: OpLabel, Reg: -1, Name: w}, nil
	}
	return Operand{}, p.errorf("%s is not declared", w)
}

// symbol reports whether w names a parameter or a variable in sight.
func (p *parser) symbol(w string) bool {
	_, param := p.entry.findParam(w)
	return param || p.entry.Var(w) != nil
}

func (e *Entry) findParam(name string) (int, bool) {
	for i := range e.Params {
		if e.Params[i].Name == name {
			return i, true
		}
	}
	return 0, false
}

// Var returns the variable of that name in the body or the module, or nil.
func (e *Entry) Var(name string) *Var {
	for _, v := range e.Vars {
		if v.Name == name {
			return v
		}
	}
	for _, v := range e.Module.Vars {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// address reads "[base]", "[base+imm]", "[base-imm]" or "[imm]".
func (p *parser) address() (Operand, error) {
	a := Operand{Kind: OpAddr, Reg: -1}
	if err := p.expect("["); err != nil {
		return a, err
	}
	if p.tok.kind == tokWord {
		o, err := p.name(false)
		if err != nil {
			return a, err
		}
		switch o.Kind {
		case OpReg:
			a.Reg = o.Reg
		case OpSym:
			a.Name = o.Name
		default:
			return a, p.errorf("an address cannot start with %s", o.Name)
		}
		switch {
		case p.is("+"):
			if err := p.advance(); err != nil {
				return a, err
			}
		case p.is("]"):
			return a, p.advance()
		}
	}
	o, err := p.immediate()
	if err != nil {
		return a, err
	}
	if o.Kind != OpInt {
		return a, p.errorf("an address offset must be an integer")
	}
	a.Int = o.Int
	return a, p.expect("]")
}

// immediate reads a number: integer (signed or unsigned 64 bits), 0fHEX, 0dHEX or decimal.
func (p *parser) immediate() (Operand, error) {
	neg, err := p.accept("-")
	if err != nil {
		return Operand{}, err
	}
	if p.tok.kind != tokNumber {
		return Operand{}, p.errorf("want an operand, have %q", p.tok.text)
	}
	o := Operand{Reg: -1}
	s := p.tok.text
	low := strings.ToLower(s)
	switch {
	case strings.HasPrefix(low, "0f") && len(s) == 10 && !neg:
		o.Kind = OpF32
		o.Bits, err = strconv.ParseUint(s[2:], 16, 32)
	case strings.HasPrefix(low, "0d") && len(s) == 18 && !neg:
		o.Kind = OpF64
		o.Bits, err = strconv.ParseUint(s[2:], 16, 64)
	case !strings.HasPrefix(low, "0x") && strings.ContainsAny(low, ".e"):
		var f float64
		f, err = strconv.ParseFloat(s, 64)
		if neg {
			f = -f
		}
		o.Kind, o.Bits = OpF64, math.Float64bits(f)
	default:
		var u uint64
		if strings.Contains(s, "_") {
			err = strconv.ErrSyntax
		} else {
			u, err = strconv.ParseUint(strings.TrimSuffix(s, "U"), 0, 64)
		}
		o.Kind, o.Int = OpInt, int64(u)
		if neg {
			o.Int = -o.Int
		}
	}
	if err != nil {
		return o, p.errorf("bad number %q", s)
	}
	return o, p.advance()
}

// specialNames are the special registers that kernels may read.
var specialNames = func() map[string]bool {
	m := map[string]bool{"%laneid": true, "%warpid": true, "%nwarpid": true, "%smid": true, "%nsmid": true, "%gridid": true,
		"%clock": true, "%clock_hi": true, "%clock64": true, "%globaltimer": true, "%globaltimer_lo": true, "%globaltimer_hi": true,
		"%lanemask_eq": true, "%lanemask_le": true, "%lanemask_lt": true, "%lanemask_ge": true, "%lanemask_gt": true,
		"%dynamic_smem_size": true, "%total_smem_size": true}
	for _, r := range []string{"%tid", "%ntid", "%ctaid", "%nctaid"} {
		for _, d := range []string{".x", ".y", ".z"} {
			m[r+d] = true
		}
	}
	return m
}()
