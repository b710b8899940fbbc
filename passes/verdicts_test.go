package passes

import (
	"reflect"
	"testing"

	"dsac/codegen/llc"
	"dsac/runtime/plan"
)

// Verdicts from the cache are those that reading the kernels again gives, and are not taken for
// other kernels or launches.
func TestVerdictsAreKept(t *testing.T) {
	if _, err := llc.Find(); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	t.Setenv("DSAC_CACHE", dir)
	p, err := plan.Decode(compileTwo(t, 1, 4))
	if err != nil {
		t.Fatal(err)
	}
	read, err := rejudge(p)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := rejudge(p)
	if err != nil {
		t.Fatal(err)
	}
	if read.entries == nil || kept.entries != nil {
		t.Fatalf("kernels read: %v the first time, %v the second, want the first alone", read.entries != nil, kept.entries != nil)
	}
	stores := false
	for i := range p.Steps {
		want, ok := read.Summary(p, int32(i))
		got, ok2 := kept.Summary(p, int32(i))
		if !ok || !ok2 || !reflect.DeepEqual(got, want) {
			t.Errorf("step %d: got %+v, want %+v", i, got, want)
		}
		for _, q := range got.Params {
			stores = stores || q.Mode == "w" && q.End > 0 && q.Cov > 0
		}
	}
	if !stores {
		t.Error("no step stores anything")
	}
	for what, change := range map[string]func(p *plan.Plan){
		"another text":   func(p *plan.Plan) { p.Blob[p.Kernels[0].PTX.Off+p.Kernels[0].PTX.Len-1] = ' ' },
		"another launch": func(p *plan.Plan) { p.Launches[1].Grid[0]++ },
		"other rows":     func(p *plan.Plan) { p.Entries[1].Rows++ },
		"other kernels":  func(p *plan.Plan) { p.Kernels[0].Name, p.Kernels[1].Name = p.Kernels[1].Name, p.Kernels[0].Name },
	} {
		q := p.Clone()
		change(q)
		if verdictKey(q, keysOf(q)) == verdictKey(p, keysOf(p)) {
			t.Errorf("%s has the same key", what)
		}
	}
	overwrite(t, cached(t, dir, verdictKind)[0])
	if again, err := rejudge(p); err != nil || again.entries == nil {
		t.Errorf("damaged verdicts were taken: %v", err)
	}
}
