package report

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"dsac/passes/lint"
	"dsac/runtime/plan"
)

const phantom = `
source 0 "glm_dsa.dsl":146:9 "        o = proj(attn)"
buf x I+0 512
buf %41 A+0 512 dtype=f32
buf %17 A+512 512 dtype=f32
buf y O+0 512
op attn r=x w=%41
op o_proj r=%17<attn> w=y src=0
`

func findings(t *testing.T, text string, opt lint.Options) []lint.Finding {
	t.Helper()
	p, err := plan.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return lint.Run(p, opt)
}

func TestTextTellsThePhantom(t *testing.T) {
	var b bytes.Buffer
	if err := Text(&b, findings(t, phantom, lint.Options{}), Options{Plan: "phantom.txt"}); err != nil {
		t.Fatal(err)
	}
	want := `error D01: attn writes %41, which nobody reads
  in op attn, op o_proj
    %41[0:512] (A+0..512)
  repair: attn writes %41, o_proj reads %17 of the same shape, which nobody wrote: did you mean %41?

error D03: o_proj reads %17[0:512] (A+512..1024), which nobody has written; it wants the output of attn
  in op o_proj
    %17[0:512] (A+512..1024)
    first o_proj reads them as %17
  at glm_dsa.dsl:146:9
            o = proj(attn)
            ^
  repair: attn writes %41, o_proj reads %17 of the same shape, which nobody wrote: did you mean %41?

phantom.txt: 2 errors, 0 warnings
`
	if got := b.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestTextOfACleanPlan(t *testing.T) {
	var b bytes.Buffer
	if err := Text(&b, nil, Options{Plan: "a.plan"}); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "a.plan: clean\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestColorOnlyWhenAsked(t *testing.T) {
	fs := findings(t, phantom, lint.Options{})
	for _, color := range []bool{false, true} {
		var b bytes.Buffer
		if err := Text(&b, fs, Options{Color: color}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "\x1b["); got != color {
			t.Errorf("color %v: escape sequences %v", color, got)
		}
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	fs := findings(t, phantom, lint.Options{Ignore: []lint.Ignore{{Code: "D01", Op: "attn", Reason: "known"}}})
	if err := JSON(&b, fs, Options{Plan: "p"}); err != nil {
		t.Fatal(err)
	}
	var d struct {
		Schema, Errors, Ignored int
		Fails                   bool
		Findings                []struct {
			Code, Title, Ignored string
			Bytes                []struct{ Off, Lo, Hi int64 }
			Source               *struct{ Line int }
		}
	}
	if err := json.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if d.Schema != Schema || d.Errors != 1 || d.Ignored != 1 || !d.Fails || len(d.Findings) != 2 {
		t.Fatalf("got %+v", d)
	}
	if f := d.Findings[0]; f.Code != "D01" || f.Title != "Phantom output" || f.Ignored != "known" {
		t.Errorf("got %+v", f)
	}
	if f := d.Findings[1]; f.Source == nil || f.Source.Line != 146 || f.Bytes[0].Off != 512 || f.Bytes[0].Hi != 512 {
		t.Errorf("got %+v", f)
	}
}

// TestSARIF validates logs of every kind of finding against the schema of the standard.
func TestSARIF(t *testing.T) {
	schema, err := os.ReadFile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	every := make([]lint.Finding, 0, len(lint.Rules))
	for _, r := range lint.Rules {
		every = append(every, lint.Finding{Code: r.Code, Severity: r.Severity, Summary: "s", Repair: r.Repair})
	}
	logs := map[string][]lint.Finding{
		"clean":   nil,
		"phantom": findings(t, phantom, lint.Options{}),
		"ignored": findings(t, phantom, lint.Options{Ignore: []lint.Ignore{{Code: "D01", Op: "attn", Reason: "known"}}}),
		"every":   every,
	}
	for name, fs := range logs {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := SARIF(&b, fs, Options{Plan: "dir of plans/a b.plan"}); err != nil {
				t.Fatal(err)
			}
			bad, err := validate(schema, b.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range bad {
				t.Error(m)
			}
		})
	}
}

// TestSchemaCheckerSeesFaults: the validator itself must be able to fail.
func TestSchemaCheckerSeesFaults(t *testing.T) {
	schema, err := os.ReadFile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, doc := range map[string]string{
		"no runs":        `{"version":"2.1.0"}`,
		"wrong version":  `{"version":"2.0.0","runs":[]}`,
		"unknown field":  `{"version":"2.1.0","runs":[],"colour":1}`,
		"tool missing":   `{"version":"2.1.0","runs":[{"results":[]}]}`,
		"bad level":      `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[{"level":"fatal","message":{"text":"t"}}]}]}`,
		"line zero":      `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[{"message":{"text":"t"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a"},"region":{"startLine":0}}}]}]}]}`,
		"empty message":  `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[{"message":{}}]}]}`,
		"not an integer": `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[{"ruleIndex":0.5,"message":{"text":"t"}}]}]}`,
	} {
		if bad, err := validate(schema, []byte(doc)); err != nil || len(bad) == 0 {
			t.Errorf("%s: got no violation (error %v)", name, err)
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	err := Write(&bytes.Buffer{}, "xml", nil, Options{})
	if err == nil || !strings.Contains(err.Error(), "json, sarif, text") {
		t.Errorf("got %v, want an error that lists the formats", err)
	}
}
