package product

import "dsac/codegen"

// sure is the number of groups of eight rows that are multiplied whether there are rows in them or
// not, where many rows of x are expected.
const sure = 4

// pipe multiplies the columns from chunk c0 on that the loop takes at once. Operands of a half of a
// chunk are made while the half before is multiplied, so that the tensor cores need not wait.
func (e *grouping) pipe(turn, c0 codegen.I32) {
	var now []opened
	read := func(j int) {
		c := j % e.chunks()
		if c == 0 {
			now = e.open()
		}
		e.read(turn, c0.Add(j).UDiv(e.chunks()), c, now)
	}
	e.x.begin(c0)
	read(0)
	a := make([][2][4]codegen.I32, len(now))
	for _, piece := range e.making(now, 0, a) {
		piece()
	}
	for i := range 2 * e.body() { // halves
		j, h := i/2, i%2
		if h == 0 && j > 0 && j%e.stride == 0 {
			e.x.begin(c0.Add(j))
		}
		var next []func()
		b := make([][2][4]codegen.I32, len(now))
		if i+1 < 2*e.body() {
			if h == 1 {
				read(j + 1)
			}
			next = e.making(now, (i+1)%(2*e.chunks()), b)
		}
		e.pipeHalf(j%e.stride, h, a, next)
		a = b
		if h == 1 && (j+1)%e.stride == 0 {
			e.x.end()
		}
	}
}

// making returns what makes the operands of a half of the unit that is open, piece by piece.
func (e *grouping) making(now []opened, half int, a [][2][4]codegen.I32) (pieces []func()) {
	for held, o := range now {
		for s := range 2 {
			pieces = append(pieces, func() { a[held][s] = o.step(2*half + s) })
		}
	}
	return pieces
}

// pipeHalf multiplies half h of chunk in of its stride. The groups that may be left out come first:
// behind their branches an assembler would make the next operands at the end, all in one go.
func (e *grouping) pipeHalf(in, h int, a [][2][4]codegen.I32, next []func()) {
	first := min(sure, e.groups())
	for from := first; from < e.groups(); from += together {
		e.k.If(e.x.there(from), func() { e.some(from, a, e.x.operands(in, h, from)) })
	}
	var b [][2][2]codegen.I32
	for from := 0; from < first; from += together {
		b = append(b, e.x.operands(in, h, from)...)
	}
	for s := range 2 {
		for group := range first {
			for held := range a {
				multiply(e.k, e.acc[held][4*group:][:4], a[held][s], b[group][s])
			}
			if len(next) > 0 {
				next[0]()
				next = next[1:]
			}
		}
	}
	for _, piece := range next {
		piece()
	}
}
