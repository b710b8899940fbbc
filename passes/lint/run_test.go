package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dsac/runtime/plan"
)

const phantomText = "buf x I+0 512\nbuf %41 A+0 512\nbuf %17 A+512 512\nbuf y O+0 512\nop attn r=x w=%41\nop o_proj r=%17 w=y\n"

func parse(t testing.TB, text string) *plan.Plan {
	t.Helper()
	p, err := plan.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPhantomNamesThePair(t *testing.T) {
	want := "attn writes %41, o_proj reads %17 of the same shape, which nobody wrote: did you mean %41?"
	fs := Run(parse(t, phantomText), Options{})
	if got := codesOf(fs); !slices.Equal(got, []string{"D01", "D03"}) {
		t.Fatalf("got %v", got)
	}
	for _, f := range fs {
		if f.Repair != want {
			t.Errorf("%s: got repair %q, want %q", f.Code, f.Repair, want)
		}
	}
}

func TestPhantomInReusedBytes(t *testing.T) {
	fs := Run(parse(t, "buf x I+0 512\nbuf old A+512 512\nbuf %41 A+0 512\nbuf %17 A+512 512\nbuf y O+0 512\nbuf z O+512 512\n"+
		"op f r=x w=old\nop u r=old w=z\nop attn r=x w=%41\nop o_proj r=%17<attn> w=y\n"), Options{})
	if got := codesOf(fs); !slices.Equal(got, []string{"D01", "S02"}) {
		t.Fatalf("got %v, want D01 and S02: the bytes hold what f left", got)
	}
	if got := fs[1].Chain; !slices.Equal(got, []string{"f wrote old", "o_proj reads them as %17"}) {
		t.Errorf("got chain %q", got)
	}
}

func TestOnlyAndIgnore(t *testing.T) {
	p := parse(t, phantomText)
	if got := codesOf(Run(p, Options{Only: []string{"D03"}})); !slices.Equal(got, []string{"D03"}) {
		t.Errorf("only D03: got %v", got)
	}
	fs := Run(p, Options{Ignore: []Ignore{{"D01", "attn", "kept for debugging"}, {"D03", "attn", "other op"}}})
	if fs[0].Ignored != "kept for debugging" || fs[1].Ignored != "" {
		t.Errorf("got %q and %q", fs[0].Ignored, fs[1].Ignored)
	}
	if !Fails(fs, false) {
		t.Error("a D03 that nobody ignores must fail")
	}
	fs = Run(p, Options{Ignore: []Ignore{{"D01", "attn", "a"}, {"D03", "o_proj", "b"}}})
	if Fails(fs, true) {
		t.Error("all is ignored, yet it fails")
	}
}

func TestWarningsFailWhenStrict(t *testing.T) {
	fs := Run(parse(t, "buf x I+0 512\nbuf a A+0 512 life=0:3\nbuf b A+256 512 life=1:3\nbuf y O+0 512\nbuf z O+512 512\n"+
		"op f r=x w=a\nop u r=a<f> w=z\nop v r=x w=b\nop w r=b<v> w=y\n"), Options{Only: []string{"S01"}})
	if len(fs) != 1 || Fails(fs, false) || !Fails(fs, true) {
		t.Errorf("got %v: want one warning that counts only when strict", fs)
	}
}

func TestUnreadTailIsAWarning(t *testing.T) {
	fs := Run(parse(t, "buf x I+0 512\nbuf a A+0 512\nbuf y O+0 512\nop f r=x w=a\nop g r=a[0:480]<f> w=y\n"), Options{})
	if len(fs) != 1 || fs[0].Code != "D01" || fs[0].Severity != Warning {
		t.Errorf("got %v, want a D01 warning", fs)
	}
}

func TestGroupFoldsLayers(t *testing.T) {
	var b strings.Builder
	b.WriteString("buf x I+0 512\nbuf y O+0 512\n")
	for l := range 78 {
		fmt.Fprintf(&b, "buf blk.%d.o A+%d 512\nop blk.%d.attn r=x w=blk.%d.o\n", l, 512*l, l, l)
	}
	p := parse(t, b.String()+"op in r=x w=y\n")
	fs := Run(p, Options{})
	if len(fs) != 1 || fs[0].More != 77 {
		t.Fatalf("got %d findings, first with %d more; want 1 with 77 more", len(fs), fs[0].More)
	}
	if all := Run(p, Options{All: true}); len(all) != 78 {
		t.Errorf("got %d findings ungrouped, want 78", len(all))
	}
}

func TestRunIsDeterministic(t *testing.T) {
	text := phantomText + "op late @s1 r=y w=%41\nop later @s2 r=%41 w=%17\n"
	first := Run(parse(t, text), Options{})
	for range 20 {
		again := Run(parse(t, text), Options{})
		if len(again) != len(first) {
			t.Fatalf("got %d findings, then %d", len(first), len(again))
		}
		for i := range again {
			if again[i].Summary != first[i].Summary {
				t.Fatalf("finding %d: %q, then %q", i, first[i].Summary, again[i].Summary)
			}
		}
	}
}

func TestContractOfTheOpTable(t *testing.T) {
	p := parse(t, "buf x I+0 512\nbuf a A+0 512\nbuf y O+0 512\nop f kind=copy r=x w=a\nop g kind=gemm rw=a<f> ew\nop h kind=copy r=a<g> w=y\n")
	table := func(op string) (Contract, bool) { return Contract{}, op == "gemm" }
	if got := codesOf(Run(p, Options{})); got != nil {
		t.Errorf("without a table: got %v", got)
	}
	if got := codesOf(Run(p, Options{Table: table})); !slices.Equal(got, []string{"S04"}) {
		t.Errorf("gemm claims ew: got %v, want S04", got)
	}
}

// TestContractIsForOnePairOnly: an op that may overwrite one operand claims its flag, and lies on
// another one, which it still reads.
func TestContractIsForOnePairOnly(t *testing.T) {
	const text = "buf x I+0 512\nbuf a A+0 512 life=0:3\nbuf res A+512 512 life=1:3\nbuf y A+%d 512 life=2:4 inplace_of=%s\nbuf out O+0 512\n" +
		"op f r=x w=a\nop g r=x w=res\nop m kind=matmul_add r=a<f>,res<g> w=y ew\nop o r=y<m> w=out\n"
	table := func(op string) (Contract, bool) {
		return Contract{plan.EW, func(i int) bool { return i == 0 }}, op == "matmul_add"
	}
	for _, c := range []struct {
		over string
		at   int
		want string
	}{{"res", 512, ""}, {"a", 0, "S06"}} {
		got := strings.Join(codesOf(Run(parse(t, fmt.Sprintf(text, c.at, c.over)), Options{Table: table})), " ")
		if got != c.want {
			t.Errorf("in place of %s: got %q, want %q", c.over, got, c.want)
		}
	}
}

func TestSummaryFromOutside(t *testing.T) {
	p := parse(t, "buf x I+0 512\nbuf a A+0 512\nbuf y O+0 512\nop f r=x w=a\nop g r=a<f> w=y\n")
	sum := func(params ...Param) func(*plan.Plan, int32) (Summary, bool) {
		return func(_ *plan.Plan, step int32) (Summary, bool) {
			return Summary{Args: []int32{0, 1, -1}, Params: append(params, Param{Mode: Loads, End: -1, Cov: -1, Vec: -1})}, step == 0
		}
	}
	for _, c := range []struct {
		want string
		in   Param
		out  Param
	}{
		{"", Param{Loads, -1, -1, 16, ""}, Param{Stores, 512, 512, 16, ""}},
		{"P05", Param{Loads, -1, -1, 16, ""}, Param{Stores, 513, 512, 16, ""}},
		{"P06", Param{Loads, -1, -1, 16, ""}, Param{Stores, 512, 511, 16, ""}},
		{"P03", Param{LoadsStores, -1, -1, 16, ""}, Param{Stores, 512, 512, 16, ""}},
		{"P02", Param{Loads, -1, -1, 16, ""}, Param{Loads, -1, -1, 16, ""}},
		{"P01", Param{Stores, -1, -1, 16, ""}, Param{Loads, -1, -1, 16, ""}},
		{"P11", Param{Loads, -1, -1, 16, ""}, Param{Adds, 512, 512, 4, ""}},
	} {
		got := strings.Join(codesOf(Run(p, Options{Summary: sum(c.in, c.out)})), " ")
		if got != c.want {
			t.Errorf("%v %v: got %q, want %q", c.in, c.out, got, c.want)
		}
	}
}

func TestExplainKnowsEveryCode(t *testing.T) {
	if got, want := len(Codes()), 60; got != want {
		t.Errorf("got %d codes, want %d", got, want)
	}
	for _, code := range Codes() {
		text, err := Explain(code)
		if err != nil || !strings.HasPrefix(text, code+" ") || !strings.Contains(text, "# id: "+code) || !strings.Contains(text, "Likely repair: ") {
			t.Errorf("%s: got %q, error %v", code, text, err)
		}
		if strings.Contains(text, "\n### ") || strings.Contains(text, "\n## ") {
			t.Errorf("%s: the text runs into the next section", code)
		}
		if Title(code) == "" {
			t.Errorf("%s has no title", code)
		}
	}
	if text, _ := Explain("S04"); !strings.Contains(text, "openxla/xla") {
		t.Error("S04 does not name its public cases")
	}
	if _, err := Explain("Z99"); err == nil || !strings.Contains(err.Error(), "D01") {
		t.Errorf("got %v, want an error that lists the codes", err)
	}
}

func TestEveryRuleIsDecided(t *testing.T) {
	byRead := map[string]bool{"P02": true, "P03": true, "P04": true, "P05": true, "P06": true, "P07": true, "P08": true, "P09": true, "P10": true, "P11": true, "P12": true, "P13": true,
		"R01": true, "R02": true, "R03": true, "R04": true, "S05": true, "S06": true, "S04": true}
	for _, r := range precedence {
		byRead[r.code] = true
	}
	for _, r := range Rules {
		if r.plan == nil && r.step == nil && r.point == nil && r.race == nil && r.end == nil && r.entry == nil && !byRead[r.Code] {
			t.Errorf("%s has neither a hook nor a place in a classifier", r.Code)
		}
		if r.Repair == "" {
			t.Errorf("%s has no repair", r.Code)
		}
	}
}

func TestParseIgnore(t *testing.T) {
	for _, c := range []struct {
		in, reason string
		want       Ignore
	}{
		{"D01:l0.attn=kept = for debugging", "", Ignore{"D01", "l0.attn", "kept = for debugging"}},
		{"D01:l0.attn=kept", "other", Ignore{"D01", "l0.attn", "kept"}},
		{"D01:l0.attn", "other", Ignore{"D01", "l0.attn", "other"}},
	} {
		if got, err := ParseIgnore(c.in, c.reason); err != nil || got != c.want {
			t.Errorf("%s: got %+v, error %v; want %+v", c.in, got, err, c.want)
		}
	}
	for _, c := range []struct{ in, want string }{
		{"D01", "want CODE:OP"}, {"D01:=x", "want CODE:OP"}, {"D01:op", "gives no reason"}, {"D01:op= ", "gives no reason"}, {"X01:op=y", `unknown code "X01"`},
	} {
		if _, err := ParseIgnore(c.in, ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q in it", c.in, err, c.want)
		}
	}
}

func TestUnusedWaiver(t *testing.T) {
	used, stale := Ignore{"D01", "attn", "a"}, Ignore{"D01", "norm", "b"}
	fs := Run(parse(t, phantomText), Options{Ignore: []Ignore{used, stale}})
	if got := Stale([]Ignore{used, stale}, fs); !slices.Equal(got, []Ignore{stale}) {
		t.Errorf("got %v, want %v", got, stale)
	}
}

func TestAlternativesAreDecidedOneByOne(t *testing.T) {
	head := "buf x I+0 512\nbuf a A+0 512\nbuf b A+512 512\nbuf y O+0 512\n"
	for _, c := range []struct{ name, ops, want string }{
		{"both define it", "op dense r=x w=a alt=0\nop sparse r=x w=a alt=1\nop g r=a<dense|sparse> w=y\n", ""},
		{"one does not", "op dense r=x w=a alt=0\nop sparse r=x w=a[0:256] alt=1\nop g r=a w=y\n", "D07"},
		{"one defines another buffer", "op dense r=x w=a alt=0\nop sparse r=x w=b alt=1\nop g r=a w=y\n", "D01 D03"},
		{"read in one of them only", "op f r=x w=a\nop dense r=a w=y alt=0\nop sparse r=x w=y alt=1\n", ""},
		{"the other one is not expected", "op dense r=x w=a alt=0\nop sparse r=x w=a alt=1\nop g r=a<dense> w=y\n", "D04"},
	} {
		if got := strings.Join(codesOf(Run(parse(t, head+c.ops), Options{})), " "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestStateBuffersMayNotOverlap(t *testing.T) {
	fs := Run(parse(t, "buf x I+0 512\nbuf y O+0 512\nbuf kv1 S+0 1024 layer=1\nbuf kv2 S+512 1024 layer=2\nop f r=x w=y\n"), Options{})
	if len(fs) != 1 || fs[0].Code != "K01" || fs[0].Severity != Error {
		t.Errorf("got %v, want one K01 error", fs)
	}
}

// TestPhantomComesBeforeItsDeadChains: the misbound consumer leaves a chain of ops that work for
// nobody. They are a note of the phantom, not findings ahead of it.
func TestPhantomComesBeforeItsDeadChains(t *testing.T) {
	const chain = "buf x I+0 512\nbuf q A+0 512\nbuf k A+512 512\nbuf o A+1024 512\nbuf lost A+1536 512\nbuf y O+0 512\n" +
		"op q r=x w=q\nop k r=q<q> w=k\nop attn r=q<q>,k<k> w=o\n"
	for _, c := range []struct {
		name, text string
		opt        Options
		want       []string
		feeders    int
	}{
		{"phantom", chain + "op o_proj r=lost<attn> w=y\n", Options{}, []string{"D01", "D03"}, 2},
		{"every repetition", chain + "op o_proj r=lost<attn> w=y\n", Options{All: true}, []string{"D01", "D03", "D02"}, 0},
		{"chains only", chain + "op o_proj r=lost<attn> w=y\n", Options{Only: []string{"D02"}}, []string{"D02"}, 0},
		{"phantom waived", chain + "op o_proj r=lost<attn> w=y\n", Options{Ignore: []Ignore{{"D01", "attn", "known"}}}, []string{"D01", "D03", "D02"}, 0},
		{"no other half", chain + "op o_proj r=x w=y\n", Options{}, []string{"D02", "D01"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			feeders := 0
			for _, f := range Run(parse(t, c.text), c.opt) {
				got = append(got, f.Code)
				feeders += f.Feeders
			}
			if !slices.Equal(got, c.want) || feeders != c.feeders {
				t.Errorf("got %v with %d feeders, want %v with %d", got, feeders, c.want, c.feeders)
			}
		})
	}
}
