package passes

import (
	"fmt"
	"strings"

	"dsac/ir/ops"
	"dsac/passes/lint"
	"dsac/passes/lint/report"
	"dsac/runtime/plan"
)

// check runs what no option can switch off on a finished plan: the plan form's own verifier,
// and the lint. A finding is a compile error that names the DSL line and the ops.
func check(p *plan.Plan) error {
	if err := plan.Verify(p); err != nil {
		return fmt.Errorf("BUG: the plan does not verify: %w", err)
	}
	opt, err := lintOptions(p, rejudge)
	if err != nil {
		return err
	}
	found := lint.Run(p, opt)
	if !lint.Fails(found, false) {
		return nil
	}
	var b strings.Builder
	if err := report.Text(&b, found, report.Options{Plan: "the compiled plan"}); err != nil {
		return err
	}
	return fmt.Errorf("the lint refuses the compiled plan:\n%s", b.String())
}

// LintOptions are the options of every lint: what the op table allows, and what the kernels
// of p really do.
func LintOptions(p *plan.Plan) (lint.Options, error) { return lintOptions(p, judge) }

func lintOptions(p *plan.Plan, judge func(*plan.Plan) (*Judge, error)) (lint.Options, error) {
	opt := lint.Options{Table: func(name string) (lint.Contract, bool) {
		op := ops.Find(name)
		if op == nil {
			return lint.Contract{}, false
		}
		late := func(i int) bool { return i >= len(op.Operands) || op.Late(i) } // no contract covers operands that the op has not
		return lint.Contract{Flags: Flags(op) & (plan.EW | plan.RF), Late: late}, true
	}}
	j, err := judge(p)
	if err == nil && j != nil {
		opt.Summary = j.Summary
	}
	return opt, err
}

// judge reaches a verdict on every step of a plan.
func judge(p *plan.Plan) (*Judge, error) {
	j, err := NewJudge(p)
	if err != nil || j == nil {
		return nil, err
	}
	return j, j.Limits(p)
}
