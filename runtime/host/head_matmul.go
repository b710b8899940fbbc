package host

import "dsac/runtime/ref"

// headMatmul: see ref/head_matmul.go.
func headMatmul(e *engine, c *ref.Call) {
	e.heads(c, &c.Args[0], &c.Args[1], &c.Args[2])
}

// heads multiplies x[t][h] with the weight of head h, for the live rows.
func (e *engine) heads(c *ref.Call, x, weight, out *ref.Arg) {
	p := &e.prod
	p.begin(x, weight, nil, nil, out)
	heads := out.Inner()
	step := max(1, p.tileRows()/heads)
	for t0 := 0; t0 < c.N; t0 += step {
		p.reset()
		for h := range heads {
			p.group(h)
			for t := t0; t < min(t0+step, c.N); t++ {
				p.add(t*heads+h, t*heads+h)
			}
		}
		p.run(e, c)
	}
}
