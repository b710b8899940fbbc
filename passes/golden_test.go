package passes

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"dsac/ir"
	"dsac/ir/ops"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// Each file under testdata/<pass>/ is a sentence about that pass: a comment whose first line
// may set the entry and options ("T=4 R=1 C=64 tp=2 target=sm_120"), the graph before it (-- in --), and what the pass
// leaves (a section named after the pass) or the error it gives (-- error --). The graph
// goes through all required passes before it and through the pass itself.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, f := range files {
		pass := filepath.Base(filepath.Dir(f))
		t.Run(pass+"/"+strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) { golden(t, f, pass) })
	}
}

func golden(t *testing.T, file, pass string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if find(pass) == nil {
		t.Fatalf("folder %s is not named after a pass", pass)
	}
	u := &Unit{Entry: Entry{"test", 4, 1}, Bind: ir.Bind{T: 4, R: 1, C: 64}, Opt: &Options{Target: "host", KV: "f32", Ctx: 64}}
	fmt.Sscanf(string(ar.Comment), "T=%d R=%d C=%d tp=%d target=%s", &u.Bind.T, &u.Bind.R, &u.Bind.C, &u.Opt.TP, &u.Opt.Target)
	in := section(ar, "in")
	if u.G, err = ir.Parse(in, ops.Find); err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(u.G); err != nil {
		t.Fatal(err)
	}
	got, name := "", pass
	for i := range Pipeline {
		p := &Pipeline[i]
		if p.Name != pass && !p.Required {
			continue
		}
		if err = runPass(p, u, u.G); err != nil || p.Name == pass {
			break
		}
	}
	if err != nil {
		name, got = "error", err.Error()+"\n"
	} else {
		if err := ir.Verify(u.G); err != nil {
			t.Fatal(err)
		}
		if err := verifySlots(u); err != nil {
			t.Fatal(err)
		}
		got = u.G.Text()
		if again, err := ir.Parse(got, ops.Find); err != nil || again.Text() != got {
			t.Errorf("the dump does not parse back: %v", err)
		}
		got += groupText(u)
		if u.Slots != nil {
			got = slotText(u)
		}
	}
	if *update {
		ar.Files = []txtar.File{{Name: "in", Data: []byte(in)}, {Name: name, Data: []byte(got)}}
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(section(ar, name), got); d != "" {
		t.Errorf("%s (want -, got +):\n%s", name, d)
	}
}

func section(ar *txtar.Archive, name string) string {
	for _, f := range ar.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}
