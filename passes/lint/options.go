package lint

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ParseIgnore reads CODE:OP=REASON. A reason is required: it is printed beside the finding.
func ParseIgnore(s string) (Ignore, error) {
	what, reason, _ := strings.Cut(s, "=")
	code, op, ok := strings.Cut(what, ":")
	if !ok || op == "" {
		return Ignore{}, fmt.Errorf("ignore %q: want CODE:OP=REASON, such as D01:l0.attn=kept for debugging", s)
	}
	if err := CheckCodes([]string{code}); err != nil {
		return Ignore{}, fmt.Errorf("ignore %q: %w", s, err)
	}
	if strings.TrimSpace(reason) == "" {
		return Ignore{}, fmt.Errorf("ignore %q: give a reason: %s=REASON", s, what)
	}
	return Ignore{code, op, reason}, nil
}

// CheckCodes returns an error that lists the known codes if one is unknown.
func CheckCodes(codes []string) error {
	for _, c := range codes {
		if !slices.Contains(Codes(), c) {
			return fmt.Errorf("unknown code %q: want one of %s", c, strings.Join(Codes(), " "))
		}
	}
	return nil
}

// Fault returns the findings that count as one error, or nil: the place in the DSL, the code,
// what is wrong and what to do, a few of them in full. It is how a compile fails.
func Fault(fs []Finding) error {
	const most = 5
	var lines []string
	n := 0
	for i := range fs {
		f := &fs[i]
		if f.Ignored != "" || f.Severity != Error {
			continue
		}
		if n++; n > most {
			continue
		}
		at := ""
		if f.Source != nil {
			at = f.Source.String() + ": "
		}
		line := fmt.Sprintf("%s%s: %s", at, f.Code, f.Summary)
		if f.Repair != "" {
			line += "\n\trepair: " + f.Repair
		}
		if f.More > 0 {
			line += fmt.Sprintf("\n\tand %d more like it", f.More)
		}
		lines = append(lines, line)
	}
	switch {
	case n == 0:
		return nil
	case n > most:
		lines = append(lines, fmt.Sprintf("and %d more faults", n-most))
	}
	return errors.New(strings.Join(lines, "\n"))
}
