package ptx

// valueKind tells static single assignment values apart.
type valueKind uint8

const (
	valUndef  valueKind = iota
	valInt              // a constant
	valSym              // the address of a variable
	valReg              // a special register
	valInstr            // what an instruction writes
	valPhi              // by predecessor of its block
	valSelect           // args 0 if predicate pred (negated by not), else args 1
)

// value is one definition of one register.
type value struct {
	kind valueKind
	in   *Instr
	dst  int   // which of the destinations of in
	args []int // of an instruction: its source operands in order, addresses and vectors flattened
	pred int
	not  bool
	num  int64
	name string
	typ  Type
	at   int // block
}

// ssa is an entry with every register definition a value. Guarded definitions are selects
// between the new and the old value.
type ssa struct {
	e       *Entry
	f       *Flow
	vals    []value
	same    []int         // phi found equal to another value, by value; itself otherwise
	lastDef []map[int]int // by block: register to value at its end
	atStart []map[int]int // by block: register to value at its start, where asked for
	args    [][]int       // by instruction of Flow.Code: its source values
	guards  []int         // by instruction: value of its guard, -1
	consts  map[int64]int
	names   map[string]int
}

// buildSSA returns the values of an entry, which all launches and threads share: they do not
// change.
func buildSSA(e *Entry, f *Flow) *ssa {
	f.values.once.Do(func() { f.values.s = newSSA(e, f) })
	return f.values.s
}

func newSSA(e *Entry, f *Flow) *ssa {
	s := &ssa{e: e, f: f, vals: make([]value, 0, 2*len(f.Code)), same: make([]int, 0, 2*len(f.Code)), consts: map[int64]int{}, names: map[string]int{}, args: make([][]int, len(f.Code)), guards: make([]int, len(f.Code)),
		lastDef: make([]map[int]int, len(f.Blocks)), atStart: make([]map[int]int, len(f.Blocks))}
	first := make([]int, len(f.Code)) // value of the first destination of each instruction
	s.add(value{kind: valUndef})
	for _, b := range f.Order {
		s.lastDef[b], s.atStart[b] = map[int]int{}, map[int]int{}
		for i := f.Blocks[b].First; i < f.Blocks[b].End; i++ {
			first[i] = len(s.vals)
			for j, r := range destinations(f.Code[i]) {
				v := s.add(value{kind: valInstr, in: f.Code[i], dst: j, at: b, typ: e.Regs[r].Type})
				if f.Code[i].Guard >= 0 {
					v = s.add(value{kind: valSelect, in: f.Code[i], not: f.Code[i].GuardNot, args: []int{v, 0}, at: b, typ: e.Regs[r].Type})
				}
				s.lastDef[b][r] = v
			}
		}
	}
	for _, b := range f.Order {
		s.connect(b, first)
	}
	s.dropTrivialPhis()
	s.lastDef, s.atStart = nil, nil
	return s
}

func (s *ssa) add(v value) int {
	s.vals = append(s.vals, v)
	s.same = append(s.same, len(s.vals)-1)
	return len(s.vals) - 1
}

// notInstr stands for the "!" of an operand.
var notInstr = &Instr{Op: "not.pred", Guard: -1, Spec: Lookup("not.pred")}

func (s *ssa) constant(n int64) int {
	if v, ok := s.consts[n]; ok {
		return v
	}
	v := s.add(value{kind: valInt, num: n})
	s.consts[n] = v
	return v
}

func (s *ssa) named(k valueKind, name string) int {
	if v, ok := s.names[name]; ok {
		return v
	}
	v := s.add(value{kind: k, name: name})
	s.names[name] = v
	return v
}
