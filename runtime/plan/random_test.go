package plan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// randomizer makes sound plans that use every field, with names that need quoting.
type randomizer struct {
	*rand.Rand
	b *Builder
}

func (r *randomizer) chance(percent int) bool { return r.IntN(100) < percent }

var oddNames = []string{"a b", "q\"uote", "x/y", "päd", "tab\t", "#c", "k=v", "-", "%7", "\xff", "new\nline", "main", "7", "<a|b>", "@s"}

// name returns a name that is unique for its number.
func (r *randomizer) name(prefix string, i int) Str {
	s := prefix + strconv.Itoa(i)
	if r.chance(30) {
		s += oddNames[r.IntN(len(oddNames))]
	}
	return r.b.Str(s)
}

// maybe returns "" or a text.
func (r *randomizer) maybe(words ...string) Str {
	if r.chance(50) {
		return 0
	}
	return r.b.Str(words[r.IntN(len(words))])
}

func (r *randomizer) lin() Lin {
	l := Lin{C: r.Int64N(1000) - 500}
	if r.chance(20) {
		l.C = int64(r.Uint64())
	}
	if r.chance(60) {
		l.K, l.Sym = []int64{1, -1, 2304, -7, math.MinInt64, math.MaxInt64}[r.IntN(6)], SymID(1+r.IntN(3))
	}
	return l
}

func (r *randomizer) attrs() Span {
	var as []Attr
	for i, key := range []string{"K", "alpha", "coll", "dist", "n.x"} {
		switch r.IntN(6) {
		case 0:
			as = append(as, r.b.IntAttr(key, int64(r.Uint64())))
		case 1:
			f := math.Float64frombits(r.Uint64())
			if f != f {
				f = math.NaN()
			}
			as = append(as, r.b.FloatAttr(key, f))
		case 2:
			as = append(as, r.b.TextAttr(key, oddNames[r.IntN(len(oddNames))]))
		case 3:
			as = append(as, r.b.FloatAttr(key, float64(i)))
		}
	}
	if len(as) == 0 {
		return Span{}
	}
	return r.b.AddAttrs(as)
}

func (r *randomizer) buf(i int, entry int32, all []Buf) Buf {
	lowest := slices.IndexFunc(all, func(b Buf) bool { return b.Entry == entry })
	pick := func() int32 { // a shared buffer, or one of the entry
		if c := int32(r.IntN(i + 1)); int(c) < i && (all[c].Entry == None || all[c].Entry == entry) && r.chance(50) {
			return c
		}
		return None
	}
	b := Buf{Name: r.name("b", i), Region: int32(r.IntN(3)), Entry: entry, Parent: pick(), InplaceOf: pick(), Layer: int32(r.IntN(3) - 1),
		LifeLo: None, LifeHi: None, Off: r.Uint64(), Size: r.Uint64(), Align: r.Uint64N(4), DType: r.maybe("f32", "a|b", "odd type"),
		Layout: r.maybe("tiled", "x,y"), Role: Role(r.IntN(5)), Flags: BufFlags(r.IntN(8)), Attrs: r.attrs()}
	if lowest >= 0 && r.chance(20) {
		b.LifeLo, b.LifeHi = int32(r.IntN(9)), int32(r.IntN(9))
	}
	for d := range r.IntN(5) {
		b.Shape[d] = r.Uint32()
		b.Dims++
	}
	if r.chance(30) {
		b.HasValid, b.Valid = true, r.lin()
	}
	return b
}

func (r *randomizer) operands(e *Entry, steps int, bufs []int32) Span {
	var os []Operand
	for range r.IntN(5) {
		o := Operand{Buf: bufs[r.IntN(len(bufs))], Effect: Effect(r.IntN(5)), Late: r.chance(20),
			DType: r.maybe("f32", "odd:type"), Layout: r.maybe("l"), Hi: Whole}
		if r.chance(50) {
			if o.Lo, o.Hi = r.lin(), r.lin(); o.Hi == Whole {
				o.Hi.C = 0
			}
		}
		if r.chance(20) {
			o.Col, o.Cols = r.Uint32N(99), 1+r.Uint32N(99)
		}
		var expect []int32
		for range r.IntN(3) {
			expect = append(expect, int32(e.Steps.Off)+int32(r.IntN(steps)))
		}
		if len(expect) > 0 {
			o.Expect = r.b.AddExpects(expect)
		}
		os = append(os, o)
	}
	slices.SortStableFunc(os, func(a, b Operand) int { return int(a.Effect) - int(b.Effect) })
	if len(os) == 0 {
		return Span{}
	}
	return r.b.AddOperands(os)
}

func (r *randomizer) entry(i int32) {
	p := r.b.P
	var bufs []int32
	for j := range p.Bufs {
		if p.Bufs[j].Entry == None || p.Bufs[j].Entry == i {
			bufs = append(bufs, int32(j))
		}
	}
	e := Entry{Name: r.name("e", int(i)), Rows: r.Uint32N(9), Outs: r.Uint32N(2), Arena: r.Uint64N(2)}
	if i == 0 && r.chance(50) {
		e.Name = 0
	}
	e.Steps.Off, e.Items.Off = uint32(len(p.Steps)), uint32(len(p.Items))
	steps := 1 + r.IntN(4)
	open := false // is the launch of the step before still open?
	for j := range steps {
		for range r.IntN(2) {
			p.Items = append(p.Items, Item{Kind: ItemKind(1 + r.IntN(2)), Stream: r.maybe("s1", "s 2"), Name: r.name("ev", j)})
		}
		me := int32(len(p.Steps))
		s := Step{Name: r.name("o", j), Op: r.maybe("matmul", "odd op"), Stream: r.maybe("s1", "s 2"), Flags: StepFlags(r.Uint32()) & allStepFlags,
			Attrs: r.attrs(), Source: int32(r.IntN(len(p.Sources)+1)) - 1, Launch: None}
		s.Operands = r.operands(&e, steps, bufs)
		if open = open && r.chance(50); !open && r.chance(50) {
			p.Launches = append(p.Launches, Launch{Entry: i, First: me, Kernel: int32(r.IntN(len(p.Kernels)+1)) - 1, Grid: [3]uint32{r.Uint32(), 1, 2}, Shared: r.Uint32N(2)})
			open = true
		}
		if open {
			s.Launch = int32(len(p.Launches)) - 1
			p.Launches[s.Launch].Count++
		}
		p.Steps = append(p.Steps, s)
		p.Items = append(p.Items, Item{Index: me})
		if r.chance(10) {
			p.Items = append(p.Items, Item{Kind: NextStep})
		}
	}
	e.Steps.Len, e.Items.Len = uint32(len(p.Steps))-e.Steps.Off, uint32(len(p.Items))-e.Items.Off
	p.Entries = append(p.Entries, e)
}

func (r *randomizer) plan() *Plan {
	p := r.b.P
	p.Meta = []KV{{r.b.Str("arch"), r.b.Str(oddNames[r.IntN(len(oddNames))])}, {r.b.Str("ctx"), r.maybe("99", "")}}
	p.Buckets = []Bucket{{Name: r.name("bucket", 0), Need: r.Uint64(), Max: 1}}
	p.Dyns = []Str{r.name("dyn", 0)}
	for i := range 3 {
		p.Regions = append(p.Regions, Region{Name: r.name("R", i), Kind: RegionKind(r.IntN(7)), Size: r.Uint64(), Gen: r.Uint64N(2)})
	}
	for i := range r.IntN(3) {
		p.Sources = append(p.Sources, Source{File: r.maybe("a.dsl", "b c"), Text: r.b.Str(oddNames[i]), Line: r.Uint32(), Col: 3})
	}
	for i := range r.IntN(3) {
		k := Kernel{Name: r.name("k", i), Regs: r.Uint32N(2), Shared: r.Uint32N(2)}
		if r.chance(50) {
			k.Params = r.b.AddParams([]string{"a", "b c"})
		}
		texts := []string{"", "ret;\n", "ret;", "END\nEND2\n", "\n", "\r\n", "\x00\xff", strings.Repeat("x", 200)}
		k.PTX = r.b.AddBlob([]byte(texts[r.IntN(len(texts))]))
		k.Cubin = r.b.AddBlob([]byte(texts[r.IntN(len(texts))]))
		p.Kernels = append(p.Kernels, k)
	}
	entries := int32(1 + r.IntN(3))
	for e := None; e < entries; e++ {
		for range r.IntN(4) + boolInt(e == None) {
			i := len(p.Bufs)
			p.Bufs = append(p.Bufs, r.buf(i, e, p.Bufs))
		}
	}
	for i := range r.IntN(3) {
		p.Weights = append(p.Weights, Weight{Name: r.name("w", i), Type: r.maybe("q4_k"), Layout: r.maybe("gguf"), Buf: int32(r.IntN(2)) - 1,
			Dims: [4]uint64{r.Uint64N(3), r.Uint64N(3), 1, 1 + r.Uint64N(2)}, Axis: int32(r.IntN(3)) - 1, Hi: r.Uint64N(3)})
	}
	for e := range entries {
		r.entry(e)
	}
	if r.chance(30) {
		for range p.Bufs {
			p.Pads = append(p.Pads, r.Uint64())
		}
	}
	return p
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestRandomPlansRoundTrip(t *testing.T) {
	for seed := range uint64(400) {
		r := &randomizer{rand.New(rand.NewPCG(seed, 5)), NewBuilder()}
		p := r.plan()
		if err := Sound(p); err != nil {
			t.Fatalf("seed %d: the generator is wrong: %v", seed, err)
		}
		checkRoundTrip(t, fmt.Sprintf("seed %d", seed), p)
		use(t, p)
		if t.Failed() {
			t.Fatalf("seed %d fails:\n%s", seed, p.Text())
		}
	}
}

// TestCornersDecide compares the range check at the corners with one at every point.
func TestCornersDecide(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	const ctx, rows, size = 12, 4, 40
	bad := 0
	for range 3000 {
		bound := func() Lin {
			l := Fixed(r.Int64N(50) - 5)
			if r.IntN(2) == 0 {
				l.K, l.Sym = 1+r.Int64N(4), SymID(1+r.IntN(3))
			}
			return l
		}
		lo, hi := bound(), bound()
		if hi == Whole {
			continue
		}
		text := fmt.Sprintf("plan ctx=%d\nbuf a A+0 %d\nentry e rows=%d\nop f w=a[%s:%s]\n", ctx, size, rows, lo, hi)
		p, err := Parse("t", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		want := true
		for n := int64(1); n <= rows; n++ {
			for pos := int64(0); pos <= ctx-n; pos++ {
				at := Point{n, pos, pos + n}
				l, h := lo.At(at), hi.At(at)
				want = want && 0 <= l && l <= h && h <= size
			}
		}
		if got := Verify(p) == nil; got != want {
			t.Errorf("%s: accepted %v, want %v", strings.TrimSpace(text), got, want)
		}
		if !want {
			bad++
		}
	}
	if bad == 0 || bad > 2990 {
		t.Errorf("%d bad ranges test nothing", bad)
	}
}
