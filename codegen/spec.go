package codegen

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"dsac/ir"
	"dsac/ir/ops"
)

// Spec is an op at concrete shapes: all that the text of its kernel depends on. Equal specs
// share a kernel.
type Spec struct {
	Op       string // name in the op table
	Operands []OperandSpec
	Attrs    ir.Attrs
	Rows     int // T: the largest number of live rows
	Context  int // C: rows of the caches, for ops that read positions
	Target   *Target

	// Part says that the kernel runs inside a larger one, and Beside how many blocks of other
	// kernels are in the same launch.
	Part   bool
	Beside int
}

// OperandSpec is an operand of a Spec.
type OperandSpec struct {
	DType  string // as in plan.Buf
	Shape  []int  // of the whole buffer, outermost first
	Col    int    // column selection, see plan.Operand
	Cols   int    // 0: all columns
	Layout string // "" = row-major
}

// Width returns the elements of a stored row.
func (o *OperandSpec) Width() int {
	if len(o.Shape) == 0 {
		return 1
	}
	return o.Shape[len(o.Shape)-1]
}

// Selected returns the columns that the op sees.
func (o *OperandSpec) Selected() int {
	if o.Cols > 0 {
		return o.Cols
	}
	return o.Width()
}

// Inner returns the rows per element of the outermost dimension: H of [T,H,d].
func (o *OperandSpec) Inner() int {
	n := 1
	for i := 1; i < len(o.Shape)-1; i++ {
		n *= o.Shape[i]
	}
	return n
}

// Key says all of s in words: specs with equal keys have equal kernels, in any process that runs
// this program.
func (s *Spec) Key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s T%d C%d %s", s.Op, s.Rows, s.Context, s.Target.Name)
	for _, o := range s.Operands {
		fmt.Fprintf(&b, " %s%v", o.DType, o.Shape)
		if o.Cols > 0 || o.Col > 0 {
			fmt.Fprintf(&b, "{%d:%d}", o.Col, o.Col+o.Cols)
		}
		if o.Layout != "" {
			fmt.Fprintf(&b, "/%s", o.Layout)
		}
	}
	for _, a := range s.Attrs {
		fmt.Fprintf(&b, " %s=%v", a.Name, a.Val)
	}
	if s.Part {
		b.WriteString(" part")
	}
	if s.Beside > 0 {
		fmt.Fprintf(&b, " beside %d", s.Beside)
	}
	return b.String()
}

// Name returns the kernel's name: the op and a hash of the key.
func (s *Spec) Name() string {
	sum := sha256.Sum256([]byte(s.Key()))
	return s.Op + "_" + hex.EncodeToString(sum[:4])
}

// Launch is the shape of a launch; see plan.Launch.
type Launch struct {
	Grid, Block [3]uint32
	Shared      uint32 // dynamic shared memory, bytes
	Cluster     int    // blocks of a cluster, as the kernel says (K.Cluster); 0: there are none
}

// Line returns a launch of blocks in a row.
func Line(blocks, threads int) Launch {
	return Launch{Grid: [3]uint32{uint32(blocks), 1, 1}, Block: [3]uint32{uint32(threads), 1, 1}}
}

// Blocks returns the blocks of the grid.
func (l Launch) Blocks() int { return int(l.Grid[0]) * int(l.Grid[1]) * int(l.Grid[2]) }

// Threads returns the threads of a block.
func (l Launch) Threads() int { return int(l.Block[0] * l.Block[1] * l.Block[2]) }

// attr returns an attribute, or the op's default for it.
func (s *Spec) attr(name string) any {
	if v := s.Attrs.Find(name); v != nil {
		return v
	}
	if op := ops.Find(s.Op); op != nil {
		for _, a := range op.Attrs {
			if a.Name == name && a.Default != nil {
				return a.Default
			}
		}
	}
	return nil
}

// Check says what is wrong with s: an unknown op, operands or attributes that are missing.
func (s *Spec) Check() error {
	op := ops.Find(s.Op)
	switch {
	case op == nil:
		return fmt.Errorf("no op is named %q", s.Op)
	case s.Target == nil:
		return fmt.Errorf("%s: no target", s.Op)
	case s.Rows < 1:
		return fmt.Errorf("%s: %d rows, want at least one", s.Op, s.Rows)
	case len(s.Operands) != len(op.Operands):
		return fmt.Errorf("%s: %d operands, want %d", s.Op, len(s.Operands), len(op.Operands))
	}
	for i, o := range s.Operands {
		if o.Col < 0 || o.Cols < 0 || o.Col+o.Cols > o.Width() {
			return fmt.Errorf("%s: operand %s: columns [%d, %d) of %d", s.Op, op.Operands[i].Name, o.Col, o.Col+o.Cols, o.Width())
		}
		for _, d := range o.Shape {
			if d < 1 {
				return fmt.Errorf("%s: operand %s has shape %v", s.Op, op.Operands[i].Name, o.Shape)
			}
		}
	}
	for _, a := range op.Attrs {
		if s.attr(a.Name) == nil {
			return fmt.Errorf("%s: attribute %s is missing", s.Op, a.Name)
		}
	}
	return nil
}

// Int returns an integer attribute of a spec that Check accepted.
func (s *Spec) Int(name string) int {
	if v, ok := s.attr(name).(int64); ok {
		return int(v)
	}
	panic(fmt.Sprintf("BUG: op %s has no integer attribute %s", s.Op, name))
}

// Float returns a float attribute of a spec that Check accepted.
func (s *Spec) Float(name string) float64 {
	switch v := s.attr(name).(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	}
	panic(fmt.Sprintf("BUG: op %s has no float attribute %s", s.Op, name))
}

// Text returns a text attribute of a spec that Check accepted.
func (s *Spec) Text(name string) string {
	v, _ := s.attr(name).(string)
	return v
}
