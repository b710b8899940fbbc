package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"dsac/passes/lint"
)

// The parts of SARIF 2.1.0 that findings need; names are those of the standard.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Short   sarifText    `json:"shortDescription"`
		Help    sarifText    `json:"help"`
		Default sarifDefault `json:"defaultConfiguration"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Occurrences  int                `json:"occurrenceCount"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifSuppression struct {
		Kind   string `json:"kind"`
		Reason string `json:"justification"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		Line    uint32     `json:"startLine"`
		Column  uint32     `json:"startColumn,omitempty"`
		Snippet *sarifText `json:"snippet,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"name"`
		Full string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
)

const sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"

// SARIF renders findings as a SARIF 2.1.0 log, which code review tools read. A finding lies at
// its DSL line if the plan has one, else at the plan; its ops are logical locations.
func SARIF(w io.Writer, fs []lint.Finding, o Options) error {
	d := sarifDriver{Name: "dsac lint", Rules: []sarifRule{}}
	index := map[string]int{}
	run := sarifRun{Results: []sarifResult{}}
	for i := range fs {
		f := &fs[i]
		if _, ok := index[f.Code]; !ok {
			index[f.Code] = len(d.Rules)
			d.Rules = append(d.Rules, describe(f.Code))
		}
		r := sarifResult{RuleID: f.Code, RuleIndex: index[f.Code], Level: f.Severity.String(), Message: sarifText{message(f)},
			Locations: []sarifLocation{location(f, o)}, Occurrences: 1 + f.More}
		if f.Ignored != "" {
			r.Suppressions = []sarifSuppression{{"external", f.Ignored}}
		}
		run.Results = append(run.Results, r)
	}
	run.Tool.Driver = d
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

func describe(code string) sarifRule {
	help, err := lint.Explain(code)
	if err != nil {
		help = code
	}
	r := sarifRule{ID: code, Short: sarifText{lint.Title(code)}, Help: sarifText{help}, Default: sarifDefault{lint.Error.String()}}
	for _, rule := range lint.Rules {
		if rule.Code == code {
			r.Default.Level = rule.Severity.String()
		}
	}
	return r
}

func message(f *lint.Finding) string {
	s := f.Summary
	for _, b := range f.Bytes {
		if t := b.String(); !strings.Contains(s, t) {
			s += "\n" + t
		}
	}
	if f.Repair != "" {
		s += "\nrepair: " + f.Repair
	}
	if f.Feeders > 0 {
		s += "\nand " + feeders(f)
	}
	return s
}

func location(f *lint.Finding, o Options) (l sarifLocation) {
	switch s := f.Source; {
	case s != nil:
		l.Physical = &sarifPhysical{Artifact: sarifArtifact{uri(s.File)}, Region: &sarifRegion{Line: max(s.Line, 1), Column: s.Col}}
		if s.Text != "" {
			l.Physical.Region.Snippet = &sarifText{s.Text}
		}
	case o.Plan != "":
		l.Physical = &sarifPhysical{Artifact: sarifArtifact{uri(o.Plan)}}
	}
	for _, op := range f.Ops {
		full := op.Name
		if f.Entry != "" {
			full = f.Entry + "/" + op.Name
		}
		l.Logical = append(l.Logical, sarifLogical{op.Name, full, "function"})
	}
	return l
}

// uri escapes a path for a URI reference.
func uri(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
