package ptx

import "sync"

// Module is one parsed PTX file.
type Module struct {
	Version     string   // of the ISA, "7.1"
	Target      []string // "sm_80" and options
	AddressSize int      // 64; other sizes are refused
	Vars        []*Var   // module scope, in order
	Entries     []*Entry
}

// Entry returns the entry of that name, or nil.
func (m *Module) Entry(name string) *Entry {
	for _, e := range m.Entries {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// Var is a declared variable in .global, .const, .shared or .local space.
type Var struct {
	Name    string
	Space   Space
	Linkage string // "", "extern", "visible", "weak"
	Align   int    // bytes, 0: that of the type
	Type    Type
	Vec     int   // 2 or 4 for vector elements, else 0
	Dims    []int // of an array; a first dimension of -1 is "[]": sized at launch
	Init    []Operand
	Line    int
}

// Bytes is the size of v, 0 when it is sized at launch.
func (v *Var) Bytes() int {
	n := v.Type.Bytes() * max(v.Vec, 1)
	for _, d := range v.Dims {
		if d < 0 {
			return 0
		}
		n *= d
	}
	return n
}

// Alignment is the declared alignment in bytes, or the natural one.
func (v *Var) Alignment() int {
	if v.Align > 0 {
		return v.Align
	}
	return max(v.Type.Bytes()*max(v.Vec, 1), 1)
}

// Dynamic reports whether the launch decides the size (extern .shared x[]).
func (v *Var) Dynamic() bool { return len(v.Dims) > 0 && v.Dims[0] < 0 }

// Param is one parameter of an entry. llc drops source names, so its index is what binds it.
type Param struct {
	Name  string
	Type  Type
	Align int   // bytes, 0: that of the type
	Dims  []int // of an array parameter
	Off   int   // byte offset in the parameter block
}

// Bytes is the size of p in the parameter block.
func (p Param) Bytes() int {
	n := p.Type.Bytes()
	for _, d := range p.Dims {
		n *= d
	}
	return n
}

// Entry is one kernel.
type Entry struct {
	Name    string
	Visible bool
	Params  []Param
	Perf    []PerfDirective // .maxntid and its kin, in order
	Regs    []Register      // every register the body uses; operands hold indices into it
	Labels  []string        // label operands hold indices into it
	Vars    []*Var          // .shared, .local and others declared in the body
	Body    []Stmt
	Module  *Module
	Line    int

	flow struct { // when asked for
		once    sync.Once
		f       *Flow
		err     error
		windows sync.Map // *Flow by Window
	}
	symbols struct { // when asked for
		once  sync.Once
		names []string
	}
}

// PerfDirective is a performance-tuning directive: name without the dot, and its numbers.
type PerfDirective struct {
	Name string
	Args []int
}

// Register is a virtual register; Name is unique within its scope only.
type Register struct {
	Name string
	Type Type
}

// StmtKind tells the statements of a body apart.
type StmtKind uint8

// Kinds of statements.
const (
	StmtInstr StmtKind = iota
	StmtLabel
	StmtRegs
	StmtVar
	StmtOpen  // {
	StmtClose // }
	StmtPragma
)

// Stmt is one statement of a body.
type Stmt struct {
	Kind  StmtKind
	Instr *Instr
	Label int // index into Entry.Labels
	Regs  RegDecl
	Var   *Var
	Text  string // of a pragma
}

// RegDecl declares Names, or Count registers Names[0]+"0".. when Count > 0.
type RegDecl struct {
	Type  Type
	Names []string
	Count int
}

// Instr is one instruction.
type Instr struct {
	Guard    int // predicate register, -1: none
	GuardNot bool
	Op       string // the whole opcode: "ld.global.v4.f32"
	Args     []Operand
	Line     int
	Spec     *Spec // what the instruction table says of Op; nil when the table does not know it
}

// OperandKind tells operands apart.
type OperandKind uint8

// Kinds of operands.
const (
	OpReg     OperandKind = iota
	OpInt                 // Int
	OpF32                 // Bits, 32 of them
	OpF64                 // Bits
	OpSpecial             // Name, "%tid.x"
	OpSym                 // Name of a variable or parameter: its address
	OpLabel               // Int is the label's index
	OpAddr                // [Reg+Int], [Name+Int] or [Int]
	OpVec                 // Sub, "{a, b}"
	OpPair                // Sub, "p|q"
	OpSink                // "_"
)

// Operand is one operand of an instruction.
type Operand struct {
	Kind OperandKind
	Neg  bool // "!" before a predicate, "-" before a register
	Reg  int  // index into Entry.Regs for OpReg, and for OpAddr when >= 0
	Int  int64
	Bits uint64
	Name string
	Sub  []Operand
}
