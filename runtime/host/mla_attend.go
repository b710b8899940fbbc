package host

import "dsac/runtime/ref"

// mlaAttend: see ref/mla_attend.go. Instead of expanding a key and a value per head and
// position it moves k_b to the query and v_b behind the sum, which is equal up to rounding
// (docs/spec/glm-dsa.md section 2.2) and reads each chosen latent row once for all heads.
func mlaAttend(e *engine, c *ref.Call) {
	q, latent, keyB, valueB, sel, out := &c.Args[0], &c.Args[1], &c.Args[2], &c.Args[3], &c.Args[4], &c.Args[5]
	heads, rank, nope := q.Inner(), valueB.Cols, c.Attrs.Int("nope")
	qn, qp := &e.arg[0], &e.arg[1]
	*qn, *qp = *q, *q
	qn.Cols = nope
	qp.Col, qp.Cols = q.Col+nope, q.Cols-nope
	qa, u := e.scratch(0, q.Shape[0], heads, rank), e.scratch(1, q.Shape[0], heads, rank)
	e.heads(c, qn, keyB, qa)
	e.attend(c, qa, qp, latent, sel, u, 0)
	e.heads(c, u, valueB, out)
}
