package plan

// entryLine: entry [NAME] [rows=T] [outs=R] [arena=N]. What follows belongs to it.
func (ps *parser) entryLine(fs []field) {
	ps.closeScope()
	e, n := Entry{Rows: 1}, 1
	name := ""
	if len(fs) > 1 {
		if _, _, kv := keyValue(fs[1]); !kv {
			name, n = ps.entryName(fs[1]), 2
		}
	}
	if ps.err == nil && ps.entries[name] {
		ps.fail(fs[min(1, len(fs)-1)].col, "entry %q is already there", name)
	}
	e.Name = ps.b.Str(name)
	ps.pairs(fs, n, func(key string, _ int, c *cursor) bool {
		switch key {
		case "rows":
			e.Rows = uint32(c.uint("rows", 32))
		case "outs":
			e.Outs = uint32(c.uint("outs", 32))
		case "arena":
			e.Arena = c.uint("arena", 64)
		default:
			return false
		}
		return true
	})
	ps.addEntry(name, e)
	ps.entry = int32(len(ps.p.Entries) - 1)
}

func (ps *parser) entryName(f field) string {
	if f.s == `""` {
		return ""
	}
	c := ps.cursor(f)
	s := c.name(chLabel, "name of the entry")
	c.end("the name")
	return s
}

func (ps *parser) addEntry(name string, e Entry) {
	ps.entries[name] = true
	e.Steps.Off, e.Items.Off = uint32(len(ps.p.Steps)), uint32(len(ps.p.Items))
	ps.p.Entries = append(ps.p.Entries, e)
	ps.scope = &scope{bufs: map[string]int32{}, labels: map[string]int32{}}
}

// openScope makes the nameless entry of a text without entry lines; its buffers are shared.
func (ps *parser) openScope() {
	if ps.scope == nil {
		ps.addEntry("", Entry{Rows: 1})
	}
}

// closeScope resolves the names of the open entry.
func (ps *parser) closeScope() {
	ps.resolveParents()
	if ps.scope == nil || ps.err != nil {
		return
	}
	e := &ps.p.Entries[len(ps.p.Entries)-1]
	e.Steps.Len = uint32(len(ps.p.Steps)) - e.Steps.Off
	e.Items.Len = uint32(len(ps.p.Items)) - e.Items.Off
	ps.resolveExpects()
	ps.closeLaunch()
	ps.scope = nil
}

func (ps *parser) resolveExpects() {
	for _, r := range ps.scope.expects {
		i, ok := ps.scope.labels[r.name]
		if !ok {
			ps.failAt(r.line, r.ln, r.col, "unknown op %q in this entry", r.name)
			return
		}
		o := &ps.p.Operands[r.owner]
		if o.Expect.Len == 0 {
			o.Expect.Off = uint32(len(ps.p.Expects))
		}
		o.Expect.Len++
		ps.p.Expects = append(ps.p.Expects, i)
	}
}

// eventLine: rec EVENT @stream, wait EVENT @stream
func (ps *parser) eventLine(fs []field) {
	ps.openScope()
	name := ps.nameField(fs, chLabel, "event")
	if ps.err == nil && len(fs) != 3 {
		ps.fail(len(ps.line), "%s wants EVENT @STREAM", fs[0].s)
	}
	if ps.err != nil {
		return
	}
	it := Item{Kind: Record, Name: ps.b.Str(name), Stream: ps.stream(fs[2])}
	if fs[0].s == "wait" {
		it.Kind = Wait
	}
	ps.p.Items = append(ps.p.Items, it)
}

// stepLine: step. What follows belongs to the next step.
func (ps *parser) stepLine(fs []field) {
	ps.openScope()
	if len(fs) > 1 {
		ps.fail(fs[1].col, "nothing may follow step")
	}
	ps.p.Items = append(ps.p.Items, Item{Kind: NextStep})
}

// stream reads @NAME; the main stream is the empty string.
func (ps *parser) stream(f field) Str {
	c := ps.cursor(f)
	c.want('@', "before a stream")
	s := c.name(chLabel, "stream")
	c.end("the stream")
	if s == mainStream {
		s = ""
	}
	return ps.b.Str(s)
}

// launchLine: launch INDEX [kernel=NAME] grid=AxBxC block=AxBxC [shared=N]. The ops that
// follow with launch=INDEX belong to it.
func (ps *parser) launchLine(fs []field) {
	ps.openScope()
	if len(fs) < 2 {
		ps.fail(len(ps.line), "launch needs its index")
		return
	}
	c := ps.cursor(fs[1])
	if i := c.index("index of the launch"); ps.err == nil && int(i) != len(ps.p.Launches) {
		ps.fail(fs[1].col, "launch %d: launches are numbered in order, want %d", i, len(ps.p.Launches))
	}
	c.end("the index")
	ps.closeLaunch()
	l := Launch{Entry: int32(len(ps.p.Entries) - 1), First: int32(len(ps.p.Steps)), Kernel: None}
	ps.pairs(fs, 2, func(key string, _ int, c *cursor) bool {
		switch key {
		case "kernel":
			name := c.name(chLabel, "kernel")
			k, ok := ps.kernels[name]
			if !ok && ps.err == nil {
				c.i = 0
				c.fail("unknown kernel %q: declare it with a kernel line above", name)
			}
			l.Kernel = k
		case "grid":
			c.grid("grid", &l.Grid)
		case "block":
			c.grid("block", &l.Block)
		case "shared":
			l.Shared = uint32(c.uint("shared", 32))
		default:
			return false
		}
		return true
	})
	ps.p.Launches = append(ps.p.Launches, l)
}

// closeLaunch reports a launch without an op.
func (ps *parser) closeLaunch() {
	if n := len(ps.p.Launches); n > 0 && ps.p.Launches[n-1].Count == 0 {
		ps.fail(0, "launch %d has no op: follow it with ops that say launch=%d", n-1, n-1)
	}
}

// joinLaunch reads the launch of the op at hand, which must follow the launch's last one.
func (ps *parser) joinLaunch(c *cursor) int32 {
	i := c.index("launch")
	if ps.err != nil {
		return None
	}
	if int(i) != len(ps.p.Launches)-1 {
		c.i = 0
		c.fail("launch %d is not the one declared last", i)
		return None
	}
	l := &ps.p.Launches[i]
	if l.Entry != int32(len(ps.p.Entries)-1) || int(l.First+l.Count) != len(ps.p.Steps) {
		c.i = 0
		c.fail("the ops of launch %d are not consecutive", i)
		return None
	}
	l.Count++
	return i
}
