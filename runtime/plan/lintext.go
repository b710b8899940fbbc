package plan

import "strconv"

// String returns the text form: 512, 2304*pos, 64+4*n.
func (l Lin) String() string { return string(l.appendTo(nil)) }

func (l Lin) appendTo(b []byte) []byte {
	if l.Sym == NoSym {
		return strconv.AppendInt(b, l.C, 10)
	}
	if l.C != 0 {
		b = strconv.AppendInt(b, l.C, 10)
		if l.K > 0 {
			b = append(b, '+')
		}
	}
	if l.K != 1 {
		b = strconv.AppendInt(b, l.K, 10)
		b = append(b, '*')
	}
	return append(b, word(SymNames[:], int(l.Sym))...)
}

// lin reads a sum of numbers and at most one multiple of a symbol.
func (c *cursor) lin() Lin {
	var l Lin
	for first := true; ; first = false {
		neg := c.eat('-')
		if !neg && !first && !c.eat('+') {
			break
		}
		c.term(&l, neg)
		if c.ps.err != nil || c.peek() != '+' && c.peek() != '-' {
			break
		}
	}
	if l.Sym != NoSym && l.K == 0 {
		c.fail("the multiple of %s is zero: leave it out", SymNames[l.Sym])
	}
	return l
}

// term adds 512, pos or 2304*pos to l.
func (c *cursor) term(l *Lin, neg bool) {
	start := c.i
	k, number := int64(1), false
	if d := c.peek(); d >= '0' && d <= '9' {
		k, number = c.magnitude(neg), true
	} else if neg {
		k = -1
	}
	if number && !c.eat('*') {
		sum := l.C + k
		if (sum > l.C) != (k > 0) && k != 0 {
			c.i = start
			c.fail("the sum does not fit in 64 bits")
		}
		l.C = sum
		return
	}
	at := c.i
	sym := SymID(max(index(SymNames[1:], c.name(chKey, "a number, n, pos or len"))+1, 0))
	switch {
	case c.ps.err != nil:
	case sym == NoSym:
		c.i = at
		c.fail("unknown symbol %s: the symbols are n, pos and len", c.found())
	case l.Sym != NoSym:
		c.i = at
		c.fail("a range bound has at most one symbol")
	default:
		l.Sym, l.K = sym, k
	}
}

// magnitude reads the digits of a possibly negative int64.
func (c *cursor) magnitude(neg bool) int64 {
	start := c.i
	v := c.uint("number", 64)
	if neg && v <= 1<<63 {
		return -int64(v)
	}
	if !neg && v < 1<<63 {
		return int64(v)
	}
	c.i = start
	c.fail("number does not fit in 64 bits")
	return 0
}
