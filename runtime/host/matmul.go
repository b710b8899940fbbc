package host

import "dsac/runtime/ref"

// matmul: see ref/matmul.go.
func matmul(e *engine, c *ref.Call) {
	e.plain(c, &c.Args[1], nil, nil, &c.Args[2])
}

// plain multiplies the live rows of operand 0.
func (e *engine) plain(c *ref.Call, weight, second, res, out *ref.Arg) {
	p := &e.prod
	p.begin(&c.Args[0], weight, second, res, out)
	step := p.tileRows()
	for t0 := 0; t0 < c.N; t0 += step {
		p.reset()
		p.group(0)
		for t := t0; t < min(t0+step, c.N); t++ {
			p.add(t, t)
		}
		p.run(e, c)
	}
}
