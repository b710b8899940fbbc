package lint

import (
	"fmt"
	"slices"
	"strings"
)

// ParseIgnore reads CODE:OP or CODE:OP=REASON; reason stands in where none is given. One is
// required: it is printed beside the finding.
func ParseIgnore(s, reason string) (Ignore, error) {
	what, own, given := strings.Cut(s, "=")
	if given {
		reason = own
	}
	code, op, ok := strings.Cut(what, ":")
	if !ok || op == "" {
		return Ignore{}, fmt.Errorf("%q: want CODE:OP, such as D01:l0.attn", s)
	}
	if err := CheckCodes([]string{code}); err != nil {
		return Ignore{}, err
	}
	if strings.TrimSpace(reason) == "" {
		return Ignore{}, fmt.Errorf("%q gives no reason: want CODE:OP=REASON", s)
	}
	return Ignore{code, op, reason}, nil
}

// Stale returns the waivers that cover none of the findings: the fault is gone, or the name
// of the op is wrong.
func Stale(ignores []Ignore, fs []Finding) []Ignore {
	return slices.DeleteFunc(slices.Clone(ignores), func(g Ignore) bool {
		return slices.ContainsFunc(fs, func(f Finding) bool { return g.covers(&f) })
	})
}

func (g Ignore) covers(f *Finding) bool {
	return g.Code == f.Code && slices.ContainsFunc(f.Ops, func(o Op) bool { return o.Name == g.Op })
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
