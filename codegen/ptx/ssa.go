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

func buildSSA(e *Entry, f *Flow) *ssa {
	s := &ssa{e: e, f: f, consts: map[int64]int{}, names: map[string]int{}, args: make([][]int, len(f.Code)), guards: make([]int, len(f.Code)),
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
	return s
}

// connect fills in what the instructions of block b read.
func (s *ssa) connect(b int, first []int) {
	cur := map[int]int{}
	read := func(r int) int {
		if v, ok := cur[r]; ok {
			return v
		}
		return s.start(b, r)
	}
	for i := s.f.Blocks[b].First; i < s.f.Blocks[b].End; i++ {
		in := s.f.Code[i]
		s.guards[i] = -1
		if in.Guard >= 0 {
			s.guards[i] = read(in.Guard)
		}
		for j := range in.Args {
			if !in.Spec.IsDst(j) {
				s.args[i] = s.sources(s.args[i], &in.Args[j], read)
			}
		}
		v := first[i]
		for _, r := range destinations(in) {
			s.vals[v].args = s.args[i]
			if in.Guard >= 0 {
				v++
				s.vals[v].pred, s.vals[v].args[1] = s.guards[i], read(r)
			}
			cur[r] = v
			v++
		}
	}
}

func (s *ssa) add(v value) int {
	s.vals = append(s.vals, v)
	s.same = append(s.same, len(s.vals)-1)
	return len(s.vals) - 1
}

// destinations lists the registers that in writes.
func destinations(in *Instr) []int {
	var out []int
	for i := range in.Args {
		if !in.Spec.IsDst(i) {
			continue
		}
		a := &in.Args[i]
		if a.Kind == OpReg {
			out = append(out, a.Reg)
		}
		for _, q := range a.Sub {
			if q.Kind == OpReg {
				out = append(out, q.Reg)
			}
		}
	}
	return out
}

// sources appends the values that an operand reads. An address gives its base.
func (s *ssa) sources(out []int, o *Operand, read func(int) int) []int {
	switch o.Kind {
	case OpReg:
		v := read(o.Reg)
		if o.Neg { // !p
			v = s.add(value{kind: valInstr, in: notInstr, args: []int{v}, typ: Pred})
		}
		return append(out, v)
	case OpInt:
		return append(out, s.constant(o.Int))
	case OpSpecial:
		return append(out, s.named(valReg, o.Name))
	case OpSym:
		return append(out, s.named(valSym, o.Name))
	case OpAddr:
		switch {
		case o.Reg >= 0:
			return append(out, read(o.Reg))
		case o.Name != "":
			return append(out, s.named(valSym, o.Name))
		}
		return append(out, s.constant(0))
	case OpVec, OpPair:
		for i := range o.Sub {
			out = s.sources(out, &o.Sub[i], read)
		}
		return out
	}
	return append(out, 0) // floats, labels: nothing that counts
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

// start is the value of register r at the start of block b.
func (s *ssa) start(b, r int) int {
	if v, ok := s.atStart[b][r]; ok {
		return v
	}
	preds := s.f.Blocks[b].Pred
	if b != 0 && len(preds) == 1 {
		v := s.end(preds[0], r)
		s.atStart[b][r] = v
		return v
	}
	if len(preds) == 0 {
		return 0
	}
	phi := s.add(value{kind: valPhi, at: b, typ: s.e.Regs[r].Type})
	s.atStart[b][r] = phi
	args := make([]int, 0, len(preds)+1)
	for _, p := range preds {
		args = append(args, s.end(p, r))
	}
	if b == 0 {
		args = append(args, 0) // the launch itself
	}
	s.vals[phi].args = args
	return phi
}

// end is the value of register r at the end of block b.
func (s *ssa) end(b, r int) int {
	if s.lastDef[b] == nil {
		return 0 // unreachable
	}
	if v, ok := s.lastDef[b][r]; ok {
		return v
	}
	return s.start(b, r)
}

// dropTrivialPhis finds phis that merge one value with themselves.
func (s *ssa) dropTrivialPhis() {
	for changed := true; changed; {
		changed = false
		for i := range s.vals {
			if s.vals[i].kind != valPhi || s.same[i] != i {
				continue
			}
			only, trivial := -1, true
			for _, a := range s.vals[i].args {
				if a = s.find(a); a == i || a == only {
					continue
				}
				trivial = trivial && only < 0
				only = a
			}
			if trivial && only >= 0 {
				s.same[i], changed = only, true
			}
		}
	}
}

// find follows dropped phis.
func (s *ssa) find(v int) int {
	for s.same[v] != v {
		v = s.same[v]
	}
	return v
}
