package passes

import (
	"slices"
	"testing"

	"dsac/ir"
	"dsac/ir/ops"
)

// besideText is a graph in which s and n run at the same time, each the last to read the same value,
// whose bytes either could take if it were alone.
const besideText = `graph step {
	arg %0 = input "x" : f32[Tx256]
	arg %1 = weight "n" : f32[256]
	%2 = rmsnorm %0, %1 {eps: 1e-05} : f32[Tx256] @ "a"
	%3 = sigmoid %2 : f32[Tx256] @ "s"
	%4 = rmsnorm %2, %1 {eps: 1e-05} : f32[Tx256] @ "n"
	%5 = mul %3, %4 : f32[Tx256] @ "m"
	%6 = sigmoid %5 : f32[Tx256] @ "y"
	return %6
}
`

func slotsOf(t *testing.T, skip ...string) (u *Unit, named map[string]*Slot) {
	t.Helper()
	u = &Unit{Entry: Entry{"test", 2, 2}, Bind: ir.Bind{T: 2, R: 2, C: 64}, Opt: &Options{Target: "sm_120", KV: "f16", Ctx: 64, Skip: map[string]bool{}}}
	for _, s := range skip {
		u.Opt.Skip[s] = true
	}
	var err error
	if u.G, err = ir.Parse(besideText, ops.Find); err != nil {
		t.Fatal(err)
	}
	if err := run(u); err != nil {
		t.Fatal(err)
	}
	named = map[string]*Slot{}
	for i := range u.Slots {
		named[u.Slots[i].Name] = &u.Slots[i]
	}
	return u, named
}

// Nodes of one launch neither take bytes that another still reads nor share any.
func TestPartsHaveBytesOfTheirOwn(t *testing.T) {
	u, s := slotsOf(t)
	if !slices.ContainsFunc(u.Groups, func(g Group) bool { return len(g) == 2 }) {
		t.Fatalf("no two nodes share a launch:\n%s", groupText(u))
	}
	for _, pair := range [][2]string{{"a", "s"}, {"a", "n"}, {"s", "n"}} {
		x, y := s[pair[0]], s[pair[1]]
		if x.Offset < y.Offset+y.Bytes && y.Offset < x.Offset+x.Bytes {
			t.Errorf("%s (at %d) and %s (at %d) share bytes while one launch uses both", x.Name, x.Offset, y.Name, y.Offset)
		}
		if x.LifeHi <= y.LifeLo || y.LifeHi <= x.LifeLo {
			t.Errorf("%s lives %d:%d, %s %d:%d: not at the same time", x.Name, x.LifeLo, x.LifeHi, y.Name, y.LifeLo, y.LifeHi)
		}
	}
	if _, s := slotsOf(t, "batch"); s["s"].Inplace < 0 && s["n"].Inplace < 0 {
		t.Error("neither takes the bytes of its operand in launches of their own either: the test shows nothing")
	}
}
