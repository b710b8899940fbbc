// Package ref holds the reference implementation of every op: obvious loops, float32 values,
// float64 sums, no shortcuts. Faster devices are judged against it. It must not import
// anything above runtime/plan and runtime/quant.
package ref

import "dsac/runtime/quant"

// Arg is one operand of a step, bound to its memory: Count rows of Cols elements. The rows
// are the product of all dimensions but the last. A column selection ({a:b} in plan text)
// shows as Cols < Width and Col > 0.
type Arg struct {
	Type  quant.Type // element type; F32 and I32 for activations, any type for weights
	Shape []int      // of the whole buffer, outermost first
	Width int        // elements of a stored row
	Col   int        // first element of the selection
	Cols  int        // elements of the selection
	Data  []byte     // the whole buffer
	F32   []float32  // Data as float32, when Type is F32
	I32   []int32    // Data as int32, when Type is I32

	rowBytes int
	decode   func(dst []float32, src []byte)
}

// Attrs are the attributes of a step, resolved once when a plan is bound. An attribute that
// the op table declares is always present.
type Attrs struct {
	Ints   map[string]int64
	Floats map[string]float64
	Texts  map[string]string
}

// Int returns an integer attribute.
func (a Attrs) Int(key string) int { return int(a.Ints[key]) }

// Float returns a float attribute; an integer one is converted.
func (a Attrs) Float(key string) float64 {
	if v, ok := a.Floats[key]; ok {
		return v
	}
	return float64(a.Ints[key])
}

// Call is one execution of an op.
type Call struct {
	N, Pos, Len int   // live rows, rows already cached, Pos+N
	Args        []Arg // in the operand order of the op table
	Attrs       Attrs
}

// Func executes an op on its first N rows. Rows at and past N are neither read nor written.
type Func func(c *Call)
