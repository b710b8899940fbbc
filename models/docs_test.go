package models

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dsac/internal/fixture"
	"dsac/ir"
	"dsac/ir/ops"
)

var update = flag.Bool("update", false, "rewrite the table of ops in docs/dsl.md")

const opsHead = "| op | operands | attributes (default) | result |\n|---|---|---|---|\n"

// The table of ops in docs/dsl.md is that of ir/ops.
func TestDocsListTheOps(t *testing.T) {
	path := filepath.Join(fixture.Root(), "docs", "dsl.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, after, ok := strings.Cut(string(text), opsHead)
	if !ok {
		t.Fatalf("%s has no table of ops", path)
	}
	got, rest, _ := strings.Cut(after, "\n\n")
	want := strings.TrimSuffix(opRows(), "\n")
	if *update {
		if rest != "" {
			rest = "\n" + rest
		}
		if err := os.WriteFile(path, []byte(before+opsHead+want+"\n"+rest), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if strings.TrimSuffix(got, "\n") != want {
		t.Errorf("docs/dsl.md is behind ir/ops; run go test ./models -update. Want\n%s", want)
	}
}

// opRows lists the ops that a description can call.
func opRows() string {
	var b strings.Builder
	for _, op := range ops.Table {
		var reads []string
		callable, states := true, 0
		for _, p := range op.Operands {
			switch {
			case p.Effect == ir.ReadWrite || p.Effect == ir.Accumulate:
				callable = false
			case p.Effect == ir.Write && p.State:
				states++
			case p.Effect == ir.Read:
				reads = append(reads, p.Name)
			}
		}
		if !callable {
			continue
		}
		name := op.Name
		if states > 0 {
			name = "state <- " + name
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, strings.Join(reads, ", "), attrCells(op), cell(op.Doc))
	}
	return b.String()
}

func attrCells(op *ir.Op) string {
	var cells []string
	for _, a := range op.Attrs {
		if a.Default == nil {
			cells = append(cells, a.Name)
		} else {
			cells = append(cells, a.Name+" ("+show(a.Default)+")")
		}
	}
	return strings.Join(cells, ", ")
}

// cell protects the bars of a text.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// The functions and reserved words of docs/dsl.md are those of the language.
func TestDocsListTheFunctions(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(fixture.Root(), "docs", "dsl.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range functions {
		if !strings.Contains(string(text), "`"+f.name+"(") {
			t.Errorf("docs/dsl.md does not explain the function %s", f.name)
		}
	}
}

// The complete description in docs/dsl.md is one.
func TestDocsExampleParses(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(fixture.Root(), "docs", "dsl.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "## A complete description\n")
	example, _, _ = strings.Cut(example, "\n## ")
	if _, err := Parse("example.dsl", example); err != nil {
		t.Error(err)
	}
}
