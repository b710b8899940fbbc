package mutate

import (
	"slices"
	"testing"

	"dsac/passes/lint"
	"dsac/runtime/plan"
)

// tail is the end of a compiled entry: the sampler keeps a history, advance feeds the token back.
const tail = `
plan ctx=64
buf ctl S+0 64 role=control dtype=u8 shape=64 valid=64
buf hist S+256 4096 dtype=i32 shape=1024 valid=4096
buf ids I+0 512 dtype=i32 shape=128 valid=4*n
entry decode rows=1
buf logits O+0 512 dtype=f32 shape=1x128
op head kind=head r=ids[0:4*n] w=logits[0:512*n]
op sample kind=sample r=logits[0:512*n]<head> rw=hist w=ctl[32:44]
op advance kind=advance rw=ctl<sample> w=ids[0:4]
`

// TestSurvivors holds every mutant that once got away, by what was wrong; those of the weight
// table are in TestWeightTable of passes/lint.
func TestSurvivors(t *testing.T) {
	for _, c := range []struct {
		name, want string
		edit       func(m *mutant)
	}{
		{"as it stands", "", func(*mutant) {}},
		{"the sampler runs twice and counts its token twice", "D04", func(m *mutant) {
			items := m.ownItems()
			m.setItems(slices.Insert(items, 1, items[1]))
		}},
		{"the token is fed back to another row", "T02", func(m *mutant) {
			for _, s := range m.sites(func(o *plan.Operand, _ *plan.Buf, k plan.RegionKind) bool { return o.Effect == plan.W && k == plan.In }) {
				m.at(s).Lo, m.at(s).Hi = plan.Fixed(64), plan.Fixed(68)
			}
		}},
		{"dead rows of the input are read", "D07", func(m *mutant) {
			m.at(m.sites(func(_ *plan.Operand, _ *plan.Buf, k plan.RegionKind) bool { return k == plan.In })[0]).Hi = plan.Whole
		}},
		{"nobody draws a token", "K02", func(m *mutant) {
			m.setItems(slices.Delete(m.ownItems(), 1, 2))
			for i := range m.Operands {
				m.Operands[i].Expect = plan.Span{}
			}
		}},
	} {
		p, err := plan.Parse("tail", []byte(tail))
		if err != nil {
			t.Fatal(err)
		}
		m := newMutant(p, 0, nil)
		c.edit(m)
		got := lint.Run(m.Plan, lint.Options{})
		has := slices.ContainsFunc(got, func(f lint.Finding) bool { return f.Code == c.want })
		if c.want == "" && len(got) > 0 || c.want != "" && !has {
			t.Errorf("%s: got %v, want %q", c.name, got, c.want)
		}
	}
}
