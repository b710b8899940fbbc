package lint

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"dsac/runtime/plan"
)

// slowCodes decides a plan of one entry, one stream and no symbols byte by byte, in the words
// of the catalogue. It knows the codes of data flow: D01 D03 D04 D06 D07 D08 D09 S02 S03 S08.
func slowCodes(p *plan.Plan) []string {
	const size = 96 // bytes of the arena in these tests
	type cell struct {
		step, operand, root int32
		effect              plan.Effect
		ok                  bool
	}
	var mem [size]cell
	everDefined := map[int32]bool{}
	type defKey struct{ step, operand int32 }
	read, lost := map[defKey]bool{}, map[defKey]bool{}
	var readBytes [size]bool
	found := map[string]bool{}
	note := func(code string, step, operand int32) { found[fmt.Sprintf("%s %d %d", code, step, operand)] = true }
	for _, it := range p.Items {
		s := &p.Steps[it.Index]
		for i, o := range p.Ops(s) {
			b := &p.Bufs[o.Buf]
			root := p.Root(o.Buf)
			if p.Regions[b.Region].Kind != plan.Arena || !reads(o.Effect) {
				continue
			}
			operand := int32(s.Operands.Off) + int32(i)
			lo, hi := p.Range(&o, plan.Point{N: 1, Len: 1})
			for x := int64(b.Off) + lo; x < int64(b.Off)+hi; x++ {
				c := mem[x]
				defined := c.ok && !(c.effect == plan.Scr && c.root == root)
				ex := p.Expected(&o)
				switch {
				case c.ok && c.root != root && o.Buf != root:
					note("S08", it.Index, operand)
				case c.ok && c.root != root:
					note("S02", it.Index, operand)
				case defined && (len(ex) == 0 || slices.Contains(ex, c.step)):
				case defined && c.effect == plan.RW:
					note("S03", it.Index, operand)
				case defined:
					note("D04", it.Index, operand)
				case o.Effect == plan.Acc:
					note("D08", it.Index, operand)
				case s.Flags&plan.MayRead != 0 && s.Flags&plan.XRow == 0 && o.Effect == plan.R:
				case everDefined[root] && s.Flags&plan.XRow != 0:
					note("D09", it.Index, operand)
				case everDefined[root]:
					note("D07", it.Index, operand)
				default:
					note("D03", it.Index, operand)
				}
				if c.ok {
					read[defKey{c.step, c.operand}] = true
				}
				readBytes[x] = true
			}
		}
		for i, o := range p.Ops(s) {
			b := &p.Bufs[o.Buf]
			root := p.Root(o.Buf)
			if p.Regions[b.Region].Kind != plan.Arena || o.Effect == plan.R {
				continue
			}
			operand := int32(s.Operands.Off) + int32(i)
			lo, hi := p.Range(&o, plan.Point{N: 1, Len: 1})
			for x := int64(b.Off) + lo; x < int64(b.Off)+hi; x++ {
				if c := mem[x]; c.ok && !readBytes[x] && c.root == root && c.step != it.Index && o.Effect != plan.Scr {
					lost[defKey{c.step, c.operand}] = true
				}
				mem[x] = cell{it.Index, operand, root, o.Effect, true}
				readBytes[x] = false
			}
			if o.Effect != plan.Scr && lo < hi {
				everDefined[root] = true
			}
		}
	}
	for si := range p.Steps {
		s := &p.Steps[si]
		for i, o := range p.Ops(s) {
			k := defKey{int32(si), int32(s.Operands.Off) + int32(i)}
			if p.Regions[p.Bufs[o.Buf].Region].Kind != plan.Arena || o.Effect == plan.R || o.Effect == plan.Scr || read[k] {
				continue
			}
			if lo, hi := p.Range(&o, plan.Point{N: 1, Len: 1}); lo >= hi {
				continue
			}
			if lost[k] {
				if s.Flags&plan.Init == 0 {
					note("D06", k.step, k.operand)
				}
			} else {
				note("D01", k.step, k.operand)
			}
		}
	}
	return sortedKeys(found)
}

func sortedKeys(m map[string]bool) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// randomPlan makes a small plan that is mostly wrong.
func randomPlan(rng *rand.Rand) *plan.Plan {
	b := plan.NewBuilder()
	p := b.P
	p.Regions = []plan.Region{{Name: b.Str("A"), Kind: plan.Arena, Size: 96}, {Name: b.Str("I"), Kind: plan.In, Size: 96}}
	blank := plan.Buf{Entry: plan.None, Parent: plan.None, InplaceOf: plan.None, Layer: plan.None, LifeLo: plan.None, LifeHi: plan.None}
	bufs := 2 + rng.IntN(5)
	for i := range bufs {
		f := blank
		f.Name, f.Off, f.Size = b.Str(fmt.Sprintf("b%d", i)), uint64(rng.IntN(5)*16), uint64(16*(1+rng.IntN(2)))
		p.Bufs = append(p.Bufs, f)
	}
	for i := range rng.IntN(3) {
		up := int32(rng.IntN(bufs))
		f := blank
		f.Name, f.Parent, f.Off, f.Size = b.Str(fmt.Sprintf("v%d", i)), up, p.Bufs[up].Off+8, p.Bufs[up].Size-8
		p.Bufs = append(p.Bufs, f)
	}
	f := blank
	f.Name, f.Region, f.Size = b.Str("in"), 1, 96
	p.Bufs = append(p.Bufs, f)
	for i := range 2 + rng.IntN(9) {
		s := plan.Step{Name: b.Str(fmt.Sprintf("s%d", i)), Source: plan.None, Launch: plan.None}
		for _, flag := range []plan.StepFlags{plan.XRow, plan.Init, plan.MayRead} {
			if rng.IntN(6) == 0 {
				s.Flags |= flag
			}
		}
		var os []plan.Operand
		for e := plan.R; e <= plan.Scr; e++ {
			for range rng.IntN(2) + rng.IntN(2) {
				if e == plan.Acc && rng.IntN(2) == 0 || e == plan.Scr && rng.IntN(3) > 0 {
					continue
				}
				o := plan.Operand{Buf: int32(rng.IntN(len(p.Bufs))), Effect: e, Hi: plan.Whole}
				if size := int64(p.Bufs[o.Buf].Size); rng.IntN(3) == 0 {
					o.Lo = plan.Fixed(rng.Int64N(size))
					o.Hi = plan.Fixed(o.Lo.C + rng.Int64N(size-o.Lo.C+1))
				}
				if p.Bufs[o.Buf].Region == 1 && e != plan.R {
					continue
				}
				if p.Bufs[o.Buf].Region == 0 && e < plan.W && i > 0 && rng.IntN(2) == 0 {
					o.Expect = b.AddExpects([]int32{int32(rng.IntN(i))})
				}
				os = append(os, o)
			}
		}
		s.Operands = b.AddOperands(os)
		p.Items = append(p.Items, plan.Item{Index: int32(len(p.Steps))})
		p.Steps = append(p.Steps, s)
	}
	p.Entries = []plan.Entry{{Rows: 1, Items: plan.Span{Len: uint32(len(p.Items))}, Steps: plan.Span{Len: uint32(len(p.Steps))}}}
	return p
}

// TestAgainstBytes compares the data-flow codes with a byte by byte decision. MayRead over
// foreign bytes is left out: the slow checker does not know that mask.
func TestAgainstBytes(t *testing.T) {
	codes := []string{"D01", "D03", "D04", "D06", "D07", "D08", "D09", "S02", "S03", "S08"}
	found := map[string]int{}
	for seed := range uint64(3000) {
		p := randomPlan(rand.New(rand.NewPCG(seed, 2)))
		want := slowCodes(p)
		got := map[string]bool{}
		for _, f := range Run(p, Options{Only: codes, All: true}) {
			if f.Severity == Error {
				got[fmt.Sprintf("%s %d %d", f.Code, f.step, f.operand)] = true
				found[f.Code]++
			}
		}
		for i := range p.Steps { // masked foreign reads
			if p.Steps[i].Flags&plan.MayRead == 0 {
				continue
			}
			sp := p.Steps[i].Operands
			for o := sp.Off; o < sp.Off+sp.Len; o++ {
				for _, c := range []string{"S02", "S08"} {
					k := fmt.Sprintf("%s %d %d", c, i, o)
					delete(got, k)
					want = slices.DeleteFunc(want, func(s string) bool { return s == k })
				}
			}
		}
		if g := sortedKeys(got); !slices.Equal(g, want) {
			t.Fatalf("seed %d: got %v, want %v\n%s", seed, g, want, p.Text())
		}
	}
	for _, c := range codes {
		if found[c] < 20 {
			t.Errorf("code %s came up %d times: the plans do not exercise it", c, found[c])
		}
	}
}
