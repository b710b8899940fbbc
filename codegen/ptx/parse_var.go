package ptx

import "strings"

// alignment reads ".align N" if it is there.
func (p *parser) alignment() (int, error) {
	if ok, err := p.accept(".align"); !ok || err != nil {
		return 0, err
	}
	n, err := p.count()
	if err == nil && (n < 1 || n > 1<<20 || n&(n-1) != 0) {
		err = p.errorf("alignment %d is not a power of two up to 1 MiB", n)
	}
	return n, err
}

// dims reads "[4][]..."; only the first dimension may be left out.
func (p *parser) dims() ([]int, error) {
	var ds []int
	total := 1
	for p.is("[") {
		if err := p.advance(); err != nil {
			return nil, err
		}
		n := -1
		if !p.is("]") || len(ds) > 0 {
			var err error
			if n, err = p.count(); err != nil {
				return nil, err
			}
			if total *= max(n, 1); total > 1<<30 {
				return nil, p.errorf("array is larger than 1 GiB")
			}
		}
		ds = append(ds, n)
		if err := p.expect("]"); err != nil {
			return nil, err
		}
	}
	return ds, nil
}

// scalarType reads ".f32" and the like.
func (p *parser) scalarType() (Type, error) {
	t := TypeNamed(strings.TrimPrefix(p.tok.text, "."))
	if p.tok.kind != tokWord || t == NoType || p.tok.text[0] != '.' {
		return NoType, p.errorf("unknown type %q", p.tok.text)
	}
	return t, p.advance()
}

// variable reads what follows the space: "[.align N] [.vK] type name[dims] [= init] {, ...};".
func (p *parser) variable(space Space, linkage string, line int) ([]*Var, error) {
	align, err := p.alignment()
	if err != nil {
		return nil, err
	}
	vec := 0
	if p.is(".v2") || p.is(".v4") {
		vec = int(p.tok.text[2] - '0')
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	typ, err := p.scalarType()
	if err != nil {
		return nil, err
	}
	if typ == Pred {
		return nil, p.errorf("a variable cannot be a predicate")
	}
	var vars []*Var
	err = p.list(func() error {
		v := &Var{Space: space, Linkage: linkage, Align: align, Vec: vec, Type: typ, Line: line}
		if v.Name, err = p.word(); err != nil {
			return err
		}
		if v.Dims, err = p.dims(); err != nil {
			return err
		}
		if v.Dynamic() && (space != Shared || linkage != "extern") {
			return p.errorf("%s: only extern .shared arrays may have no size", v.Name)
		}
		if ok, err := p.accept("="); err != nil {
			return err
		} else if ok {
			if v.Init, err = p.initialiser(v); err != nil {
				return err
			}
		}
		vars = append(vars, v)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return vars, p.expect(";")
}

// initialiser reads a number or a flat (or nested) brace list of numbers.
func (p *parser) initialiser(v *Var) ([]Operand, error) {
	var out []Operand
	limit := v.Bytes()
	depth := 0
	for {
		if p.is("{") {
			depth++
			if err := p.advance(); err != nil {
				return nil, err
			}
			continue
		}
		o, err := p.immediate()
		if err != nil {
			return nil, err
		}
		if out = append(out, o); len(out)*v.Type.Bytes() > limit {
			return nil, p.errorf("%s: more initial values than the variable holds", v.Name)
		}
		for p.is("}") && depth > 0 {
			depth--
			if err := p.advance(); err != nil {
				return nil, err
			}
		}
		if depth == 0 {
			return out, nil
		}
		if err := p.expect(","); err != nil {
			return nil, err
		}
	}
}
