package lint

// site is one step looked at once, without symbols.
type site struct {
	*unit
	step int32
	rule *Rule
}

func (s *site) attr(key string) string { return s.m.attr(s.step, key) }
func (s *site) name() string           { return s.m.stepName(s.step) }

func (s *site) finding(operand int32) Finding {
	f := s.unit.finding(s.rule, s.step, operand)
	f.Ops = []Op{s.m.op(s.step)}
	return f
}

// finish runs the rules that look at steps once and those that need the marks of all walks.
func (u *unit) finish(walks [][]mark, out *collector) {
	u.out = out
	seen := map[int32]bool{}
	for _, x := range u.execs {
		if seen[x.step] {
			continue
		}
		seen[x.step] = true
		for _, r := range stepRules {
			r.step(&site{u, x.step, r})
		}
	}
	marks := joinMarks(walks)
	for _, r := range entryRules {
		r.entry(u, marks)
	}
}
