package ir

// Effect is what an op does to an operand, in the order in which operands are declared. It
// mirrors plan.Effect; a test in ir/ops compares the two.
type Effect uint8

// Effects.
const (
	Read Effect = iota
	ReadWrite
	Accumulate
	Write
	Scratch
)

// Operand declares one operand of an op. Operands are declared in effect order: reads first,
// scratch last; a plan lists them in the same order.
type Operand struct {
	Name   string
	Effect Effect
	// State marks an operand that is a cache. A written one is an input of the node as well:
	// the node takes the state before and gives the state after, both the same bytes.
	State bool
	// Columns says that a column selection of the operand's rows may be folded into the read.
	Columns bool
	// Flat says that the operand is seen as [T, rest]: all dimensions but the first are one.
	Flat bool
	// Halves says that the operand may be rows of half_rows instead of f32: kernels that multiply
	// on tensor cores want them (pass halve). An op with such a result makes them where its
	// attribute half is 1.
	Halves bool
	// Packed marks a weight matrix: a target may keep it in a layout of its own, and does when
	// it has kernels (pass layout).
	Packed bool
	// Group marks a list that several layers share (K04).
	Group bool
	// Partial says that the op is linear in this operand, so that it may be a partial sum.
	Partial bool
}

// Contract says why an output may lie on the bytes of an input.
type Contract uint8

// Contracts, see docs/spec/alias-faults.md section 1.
const (
	NoAlias     Contract = iota
	ElementWise          // ew: the thread that writes a byte is the only reader of it and reads first
	ReadsFirst           // rf: all of the range is read before any write of it
)

// Alias allows output Out to take the bytes of input In.
type Alias struct {
	Out, In string
	By      Contract
}

// AttrKind is the type of an attribute.
type AttrKind uint8

// Attribute kinds.
const (
	IntAttr AttrKind = iota
	FloatAttr
	TextAttr
)

// AttrSpec declares an attribute. Default nil means that it must be given.
type AttrSpec struct {
	Name    string
	Kind    AttrKind
	Default any // int64, float64 or string
	Doc     string
}

// Tol is the error that a device may make against the reference in one application of an op:
// |got-want| <= Abs + Rel*max|want| of the row.
type Tol struct {
	Abs, Rel float64
	Why      string
}

// Op is a row of the op table. The table itself is in ir/ops.
type Op struct {
	Name     string
	Doc      string // a formula
	Operands []Operand
	Attrs    []AttrSpec
	Alias    []Alias
	// Type gives the types of the written operands that are not states, in declared order,
	// or says what is wrong. in holds the node's inputs (reads, then states to be written).
	Type func(in []Type, a Attrs) ([]Type, error)
	// Scratch gives the types of the scratch operands at concrete extents; nil when none.
	Scratch func(in []Type, a Attrs, b Bind) []Type
	Tol     Tol
	Kernel  string // kernel family
	// Flops counts the multiply-adds of one application, twice each; nil when they do not
	// matter beside the bytes. The bytes are those of the operands.
	Flops func(in, out []Type, a Attrs, b Bind) float64
	// Shard says how ranks may share the work: nil when the op needs all of every operand.
	Shard func(n *Node, in []Split) ([]Split, error)
	// Collective names what the op does over the ranks: "ar" adds up partial sums.
	Collective string
	// CrossRow: mixes rows of a step, so that an undefined row spoils defined ones (D09).
	CrossRow bool
}

// Inputs returns how many values a node of this op takes: reads, then states to be written.
func (o *Op) Inputs() int {
	n := 0
	for _, p := range o.Operands {
		if p.Effect == Read || p.Effect == ReadWrite || p.Effect == Write && p.State {
			n++
		}
	}
	return n
}

// InputOperands returns the operand index of each input of a node.
func (o *Op) InputOperands() []int {
	var reads, states []int
	for i, p := range o.Operands {
		switch {
		case p.Effect == Read || p.Effect == ReadWrite:
			reads = append(reads, i)
		case p.Effect == Write && p.State:
			states = append(states, i)
		}
	}
	return append(reads, states...)
}

// OutputOperands returns the operand index of each result of a node.
func (o *Op) OutputOperands() []int {
	var out []int
	for i, p := range o.Operands {
		if p.Effect == Write {
			out = append(out, i)
		}
	}
	return out
}

// Late says whether operand i is read after the op's first write: the op allows some input
// to be overwritten by an output, but not this one.
func (o *Op) Late(i int) bool {
	for _, a := range o.Alias {
		if a.In == o.Operands[i].Name {
			return false
		}
	}
	return len(o.Alias) > 0
}

// Operand returns the index of the operand with that name, or -1.
func (o *Op) Operand(name string) int {
	for i, p := range o.Operands {
		if p.Name == name {
			return i
		}
	}
	return -1
}
