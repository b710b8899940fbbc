package report

import (
	"encoding/json"
	"io"

	"dsac/passes/lint"
)

// Schema is the version of the JSON form. Fields may be added; none changes its meaning
// without a new number.
const Schema = 1

type document struct {
	Schema   int       `json:"schema"`
	Plan     string    `json:"plan"`
	Fails    bool      `json:"fails"`
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Ignored  int       `json:"ignored"`
	Findings []finding `json:"findings"`
}

type finding struct {
	Code     string      `json:"code"`
	Severity string      `json:"severity"`
	Title    string      `json:"title"`
	Summary  string      `json:"summary"`
	Entry    string      `json:"entry,omitempty"`
	Point    string      `json:"point,omitempty"`
	Ops      []op        `json:"ops"`
	Bytes    []byteRange `json:"bytes"`
	Chain    []string    `json:"chain,omitempty"`
	Repair   string      `json:"repair,omitempty"`
	Source   *source     `json:"source,omitempty"`
	More     int         `json:"more"`
	Feeders  int         `json:"feeders"`
	Ignored  string      `json:"ignored,omitempty"`
}

type op struct {
	Name   string `json:"name"`
	Kind   string `json:"kind,omitempty"`
	Stream string `json:"stream,omitempty"`
	Step   int32  `json:"step"`
}

// byteRange counts lo and hi from the buffer's start and off from the region's.
type byteRange struct {
	Buf    string `json:"buf"`
	Region string `json:"region"`
	Off    int64  `json:"off"`
	Lo     int64  `json:"lo"`
	Hi     int64  `json:"hi"`
}

type source struct {
	File string `json:"file"`
	Line uint32 `json:"line"`
	Col  uint32 `json:"col"`
	Text string `json:"text,omitempty"`
}

// JSON renders findings for programs.
func JSON(w io.Writer, fs []lint.Finding, o Options) error {
	t := tally(fs)
	d := document{Schema: Schema, Plan: o.Plan, Fails: lint.Fails(fs, o.Strict), Errors: t.Errors, Warnings: t.Warnings, Ignored: t.Ignored, Findings: []finding{}}
	for _, f := range fs {
		j := finding{Code: f.Code, Severity: f.Severity.String(), Title: lint.Title(f.Code), Summary: f.Summary, Entry: f.Entry, Point: f.Point,
			Ops: []op{}, Bytes: []byteRange{}, Chain: f.Chain, Repair: f.Repair, More: f.More, Feeders: f.Feeders, Ignored: f.Ignored}
		for _, x := range f.Ops {
			j.Ops = append(j.Ops, op(x))
		}
		for _, b := range f.Bytes {
			j.Bytes = append(j.Bytes, byteRange(b))
		}
		if s := f.Source; s != nil {
			j.Source = &source{s.File, s.Line, s.Col, s.Text}
		}
		d.Findings = append(d.Findings, j)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(d)
}
