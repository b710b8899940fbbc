package plan

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"
)

// rich is a plan with every construct of the text form, as Print writes it.
func rich(t testing.TB) (string, *Plan) {
	t.Helper()
	text, err := os.ReadFile("testdata/rich.plan.txt")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Parse("rich", text)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), p
}

// firstDiff shows the first line in which two texts differ.
func firstDiff(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "got  " + g[i] + "\nwant " + w[i]
		}
	}
	return "one text is a prefix of the other"
}

func TestPrintGivesTheTextBack(t *testing.T) {
	want, p := rich(t)
	var b bytes.Buffer
	if err := Print(&b, p); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != want {
		t.Error(firstDiff(got, want))
	}
	if !p.inOrder() {
		t.Error("Parse does not leave the pools in order")
	}
}

func TestCatalogueRoundTrips(t *testing.T) {
	for _, b := range catalogue(t) {
		p, err := Parse(b.id, []byte(b.text))
		if err != nil {
			t.Fatal(err)
		}
		checkRoundTrip(t, b.id, p)
	}
}

// checkRoundTrip demands that text and binary form give the plan and the same bytes back.
func checkRoundTrip(t *testing.T, name string, p *Plan) {
	t.Helper()
	text := p.Text()
	q, err := Parse(name, []byte(text))
	if err != nil {
		t.Fatalf("%s: printed text does not parse: %v", name, err)
	}
	if got := q.Text(); got != text {
		t.Errorf("%s: text changes on the way round:\n%s", name, firstDiff(got, text))
	}
	want := Canonical(p)
	if got := Canonical(q); !reflect.DeepEqual(got, want) {
		t.Errorf("%s: plan changes through text: %s", name, Diff(got, want))
	}
	data, err := Encode(p)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	r, err := Decode(data)
	if err != nil {
		t.Fatalf("%s: encoded plan does not decode: %v", name, err)
	}
	if got := Canonical(r); !reflect.DeepEqual(got, want) {
		t.Errorf("%s: plan changes through binary: %s", name, Diff(got, want))
	}
	again, err := Encode(q)
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("%s: plan and its text give different files (%v)", name, err)
	}
}

func TestRichRoundTrips(t *testing.T) {
	_, p := rich(t)
	checkRoundTrip(t, "rich", p)
}

func TestParseReadsTheFields(t *testing.T) {
	_, p := rich(t)
	e := p.Entries[1]
	s := p.Steps[e.Steps.Off+1]
	if got, want := p.Str(s.Name)+"@"+p.Str(s.Stream), "topk@s1"; got != want {
		t.Fatalf("got step %s, want %s", got, want)
	}
	o := p.Ops(&s)[0]
	if o.Lo != (Lin{C: 64, K: 4, Sym: SymN}) || o.Hi != Times(24576, SymN) || o.Col != 512 || o.Cols != 64 || !o.Late {
		t.Errorf("got operand %+v", o)
	}
	if p.Ops(&s)[2].Late || !p.Ops(&s)[1].Late {
		t.Error("late= marks the wrong operands")
	}
	if v, ok := p.FloatAttr(s.Attrs, "alpha"); !ok || v != -1e-06 {
		t.Errorf("got alpha %v", v)
	}
	if v, ok := p.TextAttr(s.Attrs, "note"); !ok || v != "1.0" {
		t.Errorf("got note %q", v)
	}
	a := p.Steps[e.Steps.Off+2]
	if got := p.Expected(&p.Ops(&a)[0]); !reflect.DeepEqual(got, []int32{2, 1}) {
		t.Errorf("got expected %v, want [2 1]", got)
	}
	if got, want := string(p.Bytes(p.Kernels[0].PTX)), ".version 8.7\nEND\n\tret;\n"; got != want {
		t.Errorf("got PTX %q, want %q", got, want)
	}
	if p.Bufs[0].Role != Control || p.Bufs[2].Valid != Times(1152, SymPos) || !p.Bufs[2].HasValid {
		t.Errorf("got buffers %+v", p.Bufs[:3])
	}
}

func TestOperandsAreSortedByEffect(t *testing.T) {
	p, err := Parse("t", []byte("buf a A+0 4\nbuf b A+4 4\nbuf c A+8 4\nop f w=a acc=b r=c,a\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.Text(), "op f r=c,a acc=b w=a\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want it to end in %q", got, want)
	}
}

func TestDefaultRegionsAppearWhenUsed(t *testing.T) {
	p, err := Parse("t", []byte("region A arena 1024 gen=2\nbuf a A+0 4\nbuf k S+0 4\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := "region A arena 1024 gen=2\nregion S state 65536\nbuf a A+0 4\nbuf k S+0 4\n"
	if got := p.Text(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFloatsStayFloats(t *testing.T) {
	tests := []struct{ in, out string }{
		{"1.0", "1.0"}, {"1e3", "1000.0"}, {"-0.0", "-0.0"}, {"1e21", "1e+21"}, {"0.1", "0.1"},
		{"inf", "inf"}, {"-inf", "-inf"}, {"nan", "nan"}, {"-nan", "-nan"}, {"5e-324", "5e-324"},
		{"7", "7"}, {"-0", "0"}, {`"7"`, `"7"`}, {`"1e3"`, `"1e3"`}, {"1.", "1."}, {"abc", "abc"},
		{`"a b"`, `"a b"`}, {`"abc"`, "abc"}, {`""`, `""`}, {"a:0+512", "a:0+512"}, {"-,576", "-,576"},
		{"-9223372036854775808", "-9223372036854775808"}, {`"x=1"`, `"x=1"`}, {"infinity", "infinity"},
	}
	for _, tt := range tests {
		p, err := Parse("t", []byte("op f k="+tt.in+"\n"))
		if err != nil {
			t.Errorf("k=%s: %v", tt.in, err)
			continue
		}
		if got, want := p.Text(), "op f k="+tt.out+"\n"; got != want {
			t.Errorf("k=%s: got %q, want %q", tt.in, got, want)
		}
	}
}
