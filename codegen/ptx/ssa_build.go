package ptx

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
