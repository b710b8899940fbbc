package plan

import (
	"strconv"
	"strings"
)

// field is one blank-separated word of a line; quotes protect blanks.
type field struct {
	s   string
	col int // 0-based byte offset in the line
}

// split returns the fields of a line up to a comment; bad is the offset of a quote that
// nobody closed, or -1.
func split(line string) (fs []field, bad int) {
	for i := 0; i < len(line); {
		switch line[i] {
		case ' ', '\t', '\r':
			i++
			continue
		case '#':
			return fs, -1
		}
		from := i
		for i < len(line) && line[i] != ' ' && line[i] != '\t' && line[i] != '\r' {
			if line[i] == '"' {
				end := closing(line, i)
				if end < 0 {
					return fs, i
				}
				i = end
			}
			i++
		}
		fs = append(fs, field{line[from:i], from})
	}
	return fs, -1
}

// closing returns the offset of the quote that closes the one at i, or -1.
func closing(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// cursor reads one field from left to right. Its first error sticks in the parser.
type cursor struct {
	ps *parser
	s  string
	i  int
	at int // 0-based offset of s in the line
}

func (ps *parser) cursor(f field) *cursor { return &cursor{ps: ps, s: f.s, at: f.col} }

func (c *cursor) done() bool { return c.i >= len(c.s) }

func (c *cursor) peek() byte {
	if c.done() {
		return 0
	}
	return c.s[c.i]
}

// eat skips b if it comes next.
func (c *cursor) eat(b byte) bool {
	if c.peek() != b || c.done() {
		return false
	}
	c.i++
	return true
}

// want skips b or reports that it is missing.
func (c *cursor) want(b byte, where string) {
	if !c.eat(b) {
		c.fail("%q wanted %s, found %s", string(b), where, c.found())
	}
}

// end reports anything that follows.
func (c *cursor) end(after string) {
	if !c.done() {
		c.fail("unexpected %s after %s", c.found(), after)
	}
}

func (c *cursor) found() string {
	if c.done() {
		return "the end of the word"
	}
	return strconv.Quote(c.s[c.i:])
}

func (c *cursor) fail(format string, args ...any) {
	c.ps.fail(c.at+c.i, format, args...)
	c.i = len(c.s)
}

// name reads a bare name of the class or a quoted one; what says what is wanted.
func (c *cursor) name(class uint8, what string) string {
	from := c.i
	if c.peek() == '"' {
		s := c.quoted()
		if s == "" {
			c.i = from
			c.fail("%s must not be empty", what)
		}
		return s
	}
	for !c.done() && classes[c.s[c.i]]&class != 0 {
		c.i++
	}
	if c.i == from {
		c.fail("%s wanted, found %s", what, c.found())
		return ""
	}
	return c.s[from:c.i]
}

func (c *cursor) quoted() string {
	end := closing(c.s, c.i)
	if end < 0 {
		c.fail("quote is not closed")
		return ""
	}
	s, err := strconv.Unquote(c.s[c.i : end+1])
	if err != nil {
		c.fail("%s is not a quoted text", c.s[c.i:end+1])
		return ""
	}
	c.i = end + 1
	return s
}

// uint reads a decimal number of at most bits bits.
func (c *cursor) uint(what string, bits int) uint64 {
	from := c.i
	for !c.done() && c.s[c.i] >= '0' && c.s[c.i] <= '9' {
		c.i++
	}
	digits := c.s[from:c.i]
	v, err := strconv.ParseUint(digits, 10, bits)
	if err != nil {
		c.i = from
		if digits == "" {
			c.fail("%s wanted (a decimal number), found %s", what, c.found())
		} else {
			c.fail("%s %s does not fit in %d bits", what, digits, bits)
		}
	}
	return v
}

// index reads an index that fits in an int32.
func (c *cursor) index(what string) int32 { return int32(c.uint(what, 31)) }

// dims reads AxBxC with at most len(dst) numbers.
func (c *cursor) dims(what string, bits int, dst []uint64) int {
	for n := 0; n < len(dst); n++ {
		dst[n] = c.uint(what, bits)
		if !c.eat('x') {
			return n + 1
		}
	}
	c.fail("%s has at most %d numbers", what, len(dst))
	return len(dst)
}

// grid reads AxBxC into dst.
func (c *cursor) grid(what string, dst *[3]uint32) {
	var d [3]uint64
	n := c.dims(what, 32, d[:])
	if n != 3 {
		c.fail("%s wants three numbers, as in 8x1x1", what)
	}
	for i, v := range d {
		dst[i] = uint32(v)
	}
}

// keyValue splits key=value; ok is false when there is no '=' before a quote.
func keyValue(f field) (key string, val field, ok bool) {
	i := strings.IndexAny(f.s, `="`)
	if i <= 0 || f.s[i] != '=' {
		return f.s, field{}, false
	}
	return f.s[:i], field{f.s[i+1:], f.col + i + 1}, true
}
