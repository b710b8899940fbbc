package lint

import "slices"

// Rule is one fault class. Title, definition, example and public cases are the section of that
// code in docs/spec/alias-faults.md (see Explain): this table says how it is decided and what
// to do about it. A rule has one of the hooks.
type Rule struct {
	Code     string
	Severity Severity
	Repair   string // what most likely puts it right

	plan  func(*model, *collector) // once per plan
	step  func(*site)              // once per step
	point func(*walk)              // per execution and point, ranges evaluated in walk.acc
	read  func(*use) bool          // per range read: the first that is true names the range
	race  func(*race) bool         // per unordered pair: the first that is true names the pair
	end   func(*walk)              // after the last execution, per point
	entry func(*unit, []mark)      // after all walks of an entry
}

// Rules lists the fault classes in the order in which they are asked. For read and race rules
// the order is the precedence: one code per offending range or pair.
var Rules []Rule

// Rules of one hook, in table order.
var stepRules, pointRules, readRules, raceRules, endRules, entryRules []*Rule

// The table is put together here and not in its declaration, because checks look rules up in it.
func init() {
	for _, family := range [][]Rule{dataRules, spaceRules, meaningRules, orderRules, stateRules, rankRules, kernelRules} {
		Rules = append(Rules, family...)
	}
	for i := range Rules {
		r := &Rules[i]
		if r.step != nil {
			stepRules = append(stepRules, r)
		}
		if r.point != nil {
			pointRules = append(pointRules, r)
		}
		if r.race != nil {
			raceRules = append(raceRules, r)
		}
		if r.end != nil {
			endRules = append(endRules, r)
		}
		if r.entry != nil {
			entryRules = append(entryRules, r)
		}
	}
	for _, a := range precedence {
		r := Rule{read: a.is}
		if a.code != "" {
			r.Code = a.code
			t := rule(a.code)
			r.Severity, r.Repair = t.Severity, t.Repair
		}
		readRules = append(readRules, &r)
	}
}

// rule returns the row of a code.
func rule(code string) *Rule {
	i := slices.IndexFunc(Rules, func(r Rule) bool { return r.Code == code })
	if i < 0 {
		panic("BUG: no rule " + code)
	}
	return &Rules[i]
}
