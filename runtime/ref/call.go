// Package ref holds the reference implementation of every op: obvious loops, float32 values,
// float64 sums in index order, no shortcuts. Faster devices are judged against it. It must
// not import anything above runtime/plan, runtime/quant and runtime/sample.
//
// An op touches memory through Call.read and Call.write only, which decode and round once
// per row, so every op works for f32, f16, bf16 and quantised operands alike.
package ref

// Attrs are the attributes of a step, resolved once when a plan is bound. Every attribute
// that the op's row in Table names is present.
type Attrs struct {
	Ints   map[string]int64
	Floats map[string]float64
	Texts  map[string]string
}

// Int returns an integer attribute.
func (a Attrs) Int(key string) int { return int(a.Ints[key]) }

// Float returns a numeric attribute.
func (a Attrs) Float(key string) float64 {
	if v, ok := a.Floats[key]; ok {
		return v
	}
	return float64(a.Ints[key])
}

// Text returns a text attribute.
func (a Attrs) Text(key string) string { return a.Texts[key] }

// Has reports whether the attribute is there.
func (a Attrs) Has(key string) bool {
	_, i := a.Ints[key]
	_, f := a.Floats[key]
	_, t := a.Texts[key]
	return i || f || t
}

// Call is one execution of an op on rows [Lo, Hi) of its N live rows. A device that splits
// the rows of an op over workers gives each worker a Call with a Work of its own; Lo is 0 and
// Hi is N otherwise.
type Call struct {
	N, Pos, Len int   // live rows, rows already cached, Pos+N
	Lo, Hi      int   // rows to compute
	Args        []Arg // in the operand order of the op table
	Attrs       Attrs
	Work        *Work
}

// Func executes an op. Rows at and past N are neither read nor written.
type Func func(c *Call)

// read returns row i of operand k as float32. It is valid until the next read of operand k,
// and may be the stored row itself: do not write to it.
func (c *Call) read(k, i int) []float32 {
	a := &c.Args[k]
	return a.Row(i, c.Work.F32(k, a.Cols))
}

// fresh returns a row to fill before a write to operand k.
func (c *Call) fresh(k int) []float32 { return c.Work.F32(k, c.Args[k].Cols) }

// write stores v as row i of operand k, rounded once to its type.
func (c *Call) write(k, i int, v []float32) { c.Args[k].SetRow(i, v) }

// span returns the stored rows of operand k that belong to rows [Lo, Hi) of the call.
func (c *Call) span(k int) (lo, hi int) {
	inner := c.Args[k].Inner()
	return c.Lo * inner, c.Hi * inner
}
