package ptx

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
