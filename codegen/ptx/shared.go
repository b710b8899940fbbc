package ptx

// Launch is the shape of one launch.
type Launch struct {
	Grid, Block [3]uint32
	DynShared   int // bytes
}

// Threads is the number of threads of one block.
func (l Launch) Threads() int { return int(l.Block[0]) * int(l.Block[1]) * int(l.Block[2]) }

// Blocks is the number of blocks of the grid.
func (l Launch) Blocks() int { return int(l.Grid[0]) * int(l.Grid[1]) * int(l.Grid[2]) }

// SharedLayout places the shared variables of an entry: static ones first, in the order of
// their first mention, the dynamic array after them.
type SharedLayout struct {
	Off    map[string]int // byte offset of each variable
	Static int            // bytes
	Total  int            // bytes
}

// SharedLayout places the entry's shared variables, with dyn bytes of dynamic shared memory.
// A module-scope variable counts only when the entry names it.
func (e *Entry) SharedLayout(dyn int) SharedLayout {
	l := SharedLayout{Off: map[string]int{}}
	var dynamic []*Var
	for _, name := range e.named() {
		v := e.Var(name)
		if v == nil || v.Space != Shared {
			continue
		}
		if v.Dynamic() {
			dynamic = append(dynamic, v)
			continue
		}
		a := v.Alignment()
		l.Static = (l.Static + a - 1) / a * a
		l.Off[name] = l.Static
		l.Static += v.Bytes()
	}
	start := l.Static
	for _, v := range dynamic {
		a := v.Alignment()
		start = (start + a - 1) / a * a
	}
	for _, v := range dynamic {
		l.Off[v.Name] = start
	}
	l.Total = l.Static
	if dyn > 0 {
		l.Total = start + dyn
	}
	return l
}

// named lists the variables that the body names, once each, in order.
func (e *Entry) named() []string {
	e.symbols.once.Do(func() { e.symbols.names = e.listNamed() })
	return e.symbols.names
}

func (e *Entry) listNamed() []string {
	var out []string
	seen := map[string]bool{}
	add := func(name string) {
		if name != "" && !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	for _, v := range e.Vars {
		add(v.Name)
	}
	for _, s := range e.Body {
		if s.Kind != StmtInstr {
			continue
		}
		for _, a := range s.Instr.Args {
			if a.Kind == OpSym || a.Kind == OpAddr {
				add(a.Name)
			}
			for _, q := range a.Sub {
				if q.Kind == OpSym {
					add(q.Name)
				}
			}
		}
	}
	return out
}
