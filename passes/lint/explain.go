package lint

import (
	"fmt"
	"slices"
	"strings"

	"dsac/docs/spec"
)

// Explain returns the catalogue's section on a code: definition, rule, public cases and an
// example plan, with the likely repair.
func Explain(code string) (string, error) {
	i := slices.IndexFunc(Rules, func(r Rule) bool { return r.Code == code })
	_, section, ok := strings.Cut(spec.AliasFaults, "\n### "+code+" ")
	if i < 0 || !ok {
		return "", fmt.Errorf("unknown code %q: want one of %s", code, strings.Join(Codes(), " "))
	}
	if j := strings.Index(section, "\n#"); j >= 0 {
		section = section[:nextHeading(section)]
	}
	return code + " " + strings.TrimSpace(section) + "\n\nLikely repair: " + Rules[i].Repair + ".\n", nil
}

// nextHeading returns where the next heading starts; a plan block's "# id:" line is none.
func nextHeading(s string) int {
	for at := 0; ; {
		i := strings.Index(s[at:], "\n#")
		if i < 0 {
			return len(s)
		}
		at += i + 1
		if !strings.HasPrefix(s[at:], "# id:") {
			return at
		}
	}
}

// Title returns the heading of a code's section.
func Title(code string) string {
	_, section, ok := strings.Cut(spec.AliasFaults, "\n### "+code+" ")
	if !ok {
		return ""
	}
	line, _, _ := strings.Cut(section, "\n")
	return strings.TrimLeft(line, "●○ ")
}

// Codes lists the codes in order.
func Codes() []string {
	var out []string
	for _, r := range Rules {
		out = append(out, r.Code)
	}
	slices.Sort(out)
	return out
}
