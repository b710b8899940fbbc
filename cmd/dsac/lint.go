package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dsac/passes"
	"dsac/passes/lint"
	"dsac/passes/lint/report"
)

func newLint() *cobra.Command {
	var format, explain, reason string
	var only, ignore []string
	var strict, all bool
	cmd := &cobra.Command{
		Use:   "lint PLAN|PLAN.txt",
		Short: "Find every buffer fault in a plan",
		Long: `Lint reads a plan, binary or text, and reports writes that nobody reads, reads that no
write reaches, bytes with two owners, missing order, stale state, partial sums that are used
as whole ones, and kernels that do not do what the plan says (docs/spec/alias-faults.md).

Exit code 0: clean. 1: findings. 2: the plan could not be read.`,
		Example: `  dsac lint model.plan
  dsac lint model.plan --format sarif > lint.sarif
  dsac lint model.plan --ignore D01:l3.lse="kept for the profiler"
  dsac lint --explain D03`,
		Args: func(cmd *cobra.Command, args []string) error {
			if explain != "" {
				return cobra.NoArgs(cmd, args)
			}
			return oneArg(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if explain != "" {
				text, err := lint.Explain(strings.ToUpper(explain))
				if err != nil {
					return err
				}
				_, err = fmt.Fprint(cmd.OutOrStdout(), text)
				return err
			}
			if err := lint.CheckCodes(only); err != nil {
				return fmt.Errorf("--only: %w", err)
			}
			waived, err := waivers(ignore, reason)
			if err != nil {
				return err
			}
			if report.Formats[format] == nil {
				return fmt.Errorf("--format %q: want text, json or sarif", format)
			}
			thrifty()
			p, done, err := openPlan(args[0])
			if err != nil {
				return err
			}
			defer done()
			opt, err := passes.LintOptions(p)
			if err != nil {
				return err
			}
			opt.Only, opt.Ignore, opt.All = only, waived, all
			found := lint.Run(p, opt)
			show := report.Options{Color: terminal(os.Stdout), Plan: args[0], Strict: strict}
			if err := report.Write(cmd.OutOrStdout(), format, found, show); err != nil {
				return err
			}
			for _, g := range lint.Stale(waived, found) {
				if len(only) > 0 && !slices.Contains(only, g.Code) {
					continue
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "--ignore %s:%s covers no finding\n", g.Code, g.Op)
			}
			if lint.Fails(found, strict) {
				return exitCode(exitFindings)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&format, "format", "text", "text, json or sarif")
	f.StringVar(&explain, "explain", "", "print definition, example and public cases of a `CODE`")
	f.StringSliceVar(&only, "only", nil, "look for these codes only")
	f.StringArrayVar(&ignore, "ignore", nil, "waive `CODE:op` with a reason: CODE:op=REASON, or --reason")
	f.StringVar(&reason, "reason", "", "why the findings waived without a reason of their own are no fault; printed with them")
	f.BoolVar(&strict, "strict", false, "warnings count as findings")
	f.BoolVar(&all, "all", false, "show every repetition, not one per kind")
	return cmd
}

func waivers(list []string, reason string) ([]lint.Ignore, error) {
	var out []lint.Ignore
	for _, w := range list {
		g, err := lint.ParseIgnore(w, reason)
		if err != nil {
			return nil, fmt.Errorf("--ignore %w", err)
		}
		out = append(out, g)
	}
	return out, nil
}
