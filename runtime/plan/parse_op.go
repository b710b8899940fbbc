package plan

import "strings"

// opLine: op NAME [@stream] key=value... flag...
func (ps *parser) opLine(fs []field) {
	name := ps.nameField(fs, chLabel, "op")
	ps.openScope()
	if ps.err != nil {
		return
	}
	if _, ok := ps.scope.labels[name]; ok {
		ps.fail(fs[1].col, "op %s is already there: labels are unique in an entry", name)
		return
	}
	me := int32(len(ps.p.Steps))
	ps.scope.labels[name] = me
	o := opReader{ps: ps, step: Step{Name: ps.b.Str(name), Source: None, Launch: None}, seen: map[string]bool{}}
	for i, f := range fs[2:] {
		switch {
		case i == 0 && f.s[0] == '@':
			o.step.Stream = ps.stream(f)
		default:
			o.word(f)
		}
		if ps.err != nil {
			return
		}
	}
	o.finish(me)
}

// opReader gathers one step.
type opReader struct {
	ps    *parser
	step  Step
	seen  map[string]bool
	byEff [len(effectNames)][]parsedOperand
	attrs []Attr
	late  field
}

type parsedOperand struct {
	Operand
	name    string
	expects []ref
}

func (o *opReader) word(f field) {
	ps := o.ps
	key, val, ok := keyValue(f)
	if o.seen[key] {
		ps.fail(f.col, "%s is given twice", key)
		return
	}
	o.seen[key] = true
	if !ok {
		i := index(stepFlagNames[:], f.s)
		if i < 0 {
			ps.fail(f.col, "unknown flag %q: want %s or key=value", f.s, strings.Join(stepFlagNames[:], " "))
			return
		}
		o.step.Flags |= 1 << i
		return
	}
	c := ps.cursor(val)
	if e := index(effectNames[:], key); e >= 0 {
		o.operands(Effect(e), c)
		return
	}
	switch key {
	case "kind":
		o.step.Op = ps.b.Str(c.name(chLabel, "op kind"))
	case "src":
		o.step.Source = c.index("source")
		if int(o.step.Source) >= len(ps.p.Sources) {
			ps.fail(val.col, "source %d is not declared: there are %d", o.step.Source, len(ps.p.Sources))
		}
	case "launch":
		o.step.Launch = ps.joinLaunch(c)
	case "late":
		o.late = val
		return
	default:
		if !bare(key, chKey) {
			ps.fail(f.col, "key %q: want letters, digits, _ and .", key)
			return
		}
		o.attrs = append(o.attrs, ps.attr(key, val))
		return
	}
	c.end(key + "=")
}

// operands reads name[lo:hi]{col:col}<op|op>:dtype/layout,...
func (o *opReader) operands(e Effect, c *cursor) {
	for {
		op := o.operand(e, c)
		o.byEff[e] = append(o.byEff[e], op)
		if o.ps.err != nil || !c.eat(',') {
			break
		}
	}
	c.end("the operand")
}

func (o *opReader) operand(e Effect, c *cursor) parsedOperand {
	ps, at := o.ps, c.i
	p := parsedOperand{Operand: Operand{Effect: e, Hi: Whole}, name: c.name(chName, "buffer")}
	b, ok := ps.findBuf(p.name)
	if !ok && ps.err == nil {
		c.i = at
		c.fail("unknown buffer %q: declare it with a buf line above", p.name)
	}
	p.Buf = b
	if at := c.i; c.eat('[') {
		p.Lo = c.lin()
		c.want(':', "between the ends of the range")
		p.Hi = c.lin()
		c.want(']', "after the range")
		if p.Hi == Whole && ps.err == nil {
			c.i = at
			c.fail("a range cannot end at -1")
		}
	}
	if c.eat('{') {
		p.Col = uint32(c.uint("first column", 32))
		c.want(':', "between the columns")
		at := c.i
		end := c.uint("column after the last", 32)
		if ps.err == nil && end <= uint64(p.Col) {
			c.i = at
			c.fail("columns %d:%d are empty", p.Col, end)
		}
		p.Cols = uint32(end) - p.Col
		c.want('}', "after the columns")
	}
	if c.eat('<') {
		for {
			col := c.at + c.i
			p.expects = append(p.expects, ref{name: c.name(chLabel, "op"), line: ps.line, ln: ps.ln, col: col})
			if ps.err != nil || !c.eat('|') {
				break
			}
		}
		c.want('>', "after the expected op")
	}
	if c.eat(':') {
		p.DType = ps.b.Str(c.name(chDType, "dtype"))
	}
	if c.eat('/') {
		p.Layout = ps.b.Str(c.name(chDType, "layout"))
	}
	return p
}

// finish appends the step with its operands in the order of their effects.
func (o *opReader) finish(me int32) {
	ps := o.ps
	var all []Operand
	first := int32(len(ps.p.Operands))
	for _, group := range o.byEff {
		for _, op := range group {
			for _, r := range op.expects {
				r.owner = first + int32(len(all))
				ps.scope.expects = append(ps.scope.expects, r)
			}
			all = append(all, op.Operand)
		}
	}
	if o.late.s != "" {
		o.markLate(all)
	}
	if len(all) > 0 {
		o.step.Operands = ps.b.AddOperands(all)
	}
	o.step.Attrs = ps.sortAttrs(o.attrs)
	ps.p.Steps = append(ps.p.Steps, o.step)
	ps.p.Items = append(ps.p.Items, Item{Kind: DoStep, Index: me})
}

// markLate reads late=NAME,#INDEX: a name stands for all operands on that buffer, a number
// for one operand in canonical order.
func (o *opReader) markLate(all []Operand) {
	ps := o.ps
	c := ps.cursor(o.late)
	for {
		at := c.i
		if c.eat('#') {
			i := c.index("operand")
			if int(i) >= len(all) {
				c.i = at
				c.fail("operand #%d: the op has %d", i, len(all))
				return
			}
			all[i].Late = true
		} else {
			name := c.name(chName, "buffer")
			b, _ := ps.findBuf(name)
			found := false
			for i := range all {
				if all[i].Buf == b {
					all[i].Late, found = true, true
				}
			}
			if !found && ps.err == nil {
				c.i = at
				c.fail("late=%s: the op has no operand %s", name, name)
			}
		}
		if ps.err != nil || !c.eat(',') {
			break
		}
	}
	c.end("late=")
}
