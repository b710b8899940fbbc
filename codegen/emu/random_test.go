package emu

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"dsac/codegen/ptx"
)

// scribe writes random kernels of (in, out, index): arithmetic on thread numbers, loop counters
// and loaded words, branches and loops, with loads and stores wherever that leads.
type scribe struct {
	rng    *rand.Rand
	b      strings.Builder
	reg    int // next free %r
	labels int
	depth  int
}

func (s *scribe) pick(pool []int) int { return pool[s.rng.Intn(len(pool))] }

func (s *scribe) line(format string, args ...any) { fmt.Fprintf(&s.b, format+"\n", args...) }

// value emits one computation and returns its register.
func (s *scribe) value(pool []int) int {
	d, x, y, n := s.reg, s.pick(pool), s.pick(pool), s.rng.Intn
	s.reg++
	switch n(22) {
	case 0, 1:
		s.line("add.s32 %%r%d, %%r%d, %d;", d, x, n(40)-10)
	case 2:
		s.line("add.s32 %%r%d, %%r%d, %%r%d;", d, x, y)
	case 3:
		s.line("sub.s32 %%r%d, %%r%d, %%r%d;", d, x, y)
	case 4, 5:
		s.line("mul.lo.s32 %%r%d, %%r%d, %d;", d, x, n(9)-1)
	case 6, 7:
		s.line("mad.lo.s32 %%r%d, %%r%d, %d, %%r%d;", d, x, 1+n(64), y)
	case 8:
		s.line("shl.b32 %%r%d, %%r%d, %d;", d, x, n(5))
	case 9:
		s.line("shr.%s32 %%r%d, %%r%d, %d;", string("us"[n(2)]), d, x, n(6))
	case 10:
		s.line("and.b32 %%r%d, %%r%d, %d;", d, x, []int{1, 3, 7, 15, 31, 12, 100, -4, -32}[n(9)])
	case 11:
		s.line("or.b32 %%r%d, %%r%d, %d;", d, x, n(4))
	case 12:
		s.line("xor.b32 %%r%d, %%r%d, %d;", d, x, n(16))
	case 13, 14:
		s.line("%s.%s32 %%r%d, %%r%d, %d;", []string{"min", "max"}[n(2)], string("us"[n(2)]), d, x, n(500))
	case 15:
		s.line("rem.%s32 %%r%d, %%r%d, %d;", string("us"[n(2)]), d, x, 1+n(12))
	case 16:
		s.line("div.%s32 %%r%d, %%r%d, %d;", string("us"[n(2)]), d, x, 1+n(12))
	case 17:
		s.line("bfe.u32 %%r%d, %%r%d, %d, %d;", d, x, n(6), 1+n(6))
	case 18:
		s.condition(pool, "%p5")
		s.line("selp.b32 %%r%d, %%r%d, %%r%d, %%p5;", d, x, y)
	case 19:
		s.line("and.b32 %%r%d, %%r%d, 1023; mul.wide.u32 %%rd10, %%r%d, 4; add.s64 %%rd11, %%rd3, %%rd10; ld.global.u32 %%r%d, [%%rd11];", d, x, d, d)
	case 20:
		s.line("neg.s32 %%r%d, %%r%d;", d, x)
	default:
		s.line("mul.lo.s32 %%r%d, %%r%d, %%r%d;", d, x, y)
	}
	return d
}

// condition sets a predicate to a random comparison.
func (s *scribe) condition(pool []int, p string) {
	cmp := []string{"eq", "ne", "lt", "le", "gt", "ge"}[s.rng.Intn(6)]
	t := string("us"[s.rng.Intn(2)])
	if s.rng.Intn(4) == 0 {
		s.line("setp.%s.%s32 %s, %%r%d, %%r%d;", cmp, t, p, s.pick(pool), s.pick(pool))
	} else {
		s.line("setp.%s.%s32 %s, %%r%d, %d;", cmp, t, p, s.pick(pool), s.rng.Intn(200)-3)
	}
	if s.rng.Intn(5) == 0 {
		s.line("setp.lt.u32 %%p6, %%r%d, %d; %s.pred %s, %s, %%p6;", s.pick(pool), s.rng.Intn(100), []string{"and", "or"}[s.rng.Intn(2)], p, p)
	}
}

// access loads from in or stores to out, at a register's words.
func (s *scribe) access(pool []int) {
	r, width, guard := s.pick(pool), 4<<s.rng.Intn(2), ""
	if s.rng.Intn(4) == 0 {
		s.condition(pool, "%p7")
		guard = []string{"@%p7 ", "@!%p7 "}[s.rng.Intn(2)]
	}
	base := 1 + s.rng.Intn(2)
	if s.rng.Intn(2) == 0 {
		s.line("mul.wide.%s32 %%rd12, %%r%d, %d; add.s64 %%rd13, %%rd%d, %%rd12;", string("us"[s.rng.Intn(2)]), r, width, base)
	} else {
		s.line("cvt.%s %%rd12, %%r%d; shl.b64 %%rd12, %%rd12, %d; add.s64 %%rd13, %%rd%d, %%rd12;", []string{"u64.u32", "s64.s32"}[s.rng.Intn(2)], r, 2+width/8, base)
	}
	off := 8 * s.rng.Intn(4)
	switch {
	case base == 1:
		s.line("%sld.global.u32 %%r9, [%%rd13+%d];", guard, off)
	case width == 8:
		s.line("%sst.global.v2.u32 [%%rd13+%d], {%%r%d, %%r%d};", guard, off, r, r)
	default:
		s.line("%sst.global.u32 [%%rd13+%d], %%r%d;", guard, off, r)
	}
}

// body emits a run of statements; registers made inside stay inside.
func (s *scribe) body(pool []int) {
	pool = append([]int(nil), pool...)
	s.depth++
	defer func() { s.depth-- }()
	for range 2 + s.rng.Intn(4) {
		switch k := s.rng.Intn(10); {
		case k < 5:
			pool = append(pool, s.value(pool))
		case k < 8 || s.depth > 2:
			s.access(pool)
		case k == 8:
			l := s.labels
			s.labels++
			s.condition(pool, "%p1")
			s.line("@%%p1 bra E%d;", l)
			s.body(pool)
			if s.rng.Intn(3) == 0 {
				s.line("bra J%d; E%d:", l, l)
				s.body(pool)
				s.line("J%d:", l)
			} else {
				s.line("E%d:", l)
			}
		default:
			s.loop(pool)
		}
	}
	s.access(pool)
}

func (s *scribe) loop(pool []int) {
	l, i, step, limit := s.labels, s.reg, 1+s.rng.Intn(3), 1+s.rng.Intn(6)
	s.labels++
	s.reg++
	start := "0"
	if s.rng.Intn(2) == 0 {
		start = fmt.Sprintf("%%r%d", s.pick(pool))
		s.line("and.b32 %%r8, %s, 7; mov.u32 %%r%d, %%r8;", start, i)
	} else {
		s.line("mov.u32 %%r%d, 0;", i)
	}
	inner := append(append([]int(nil), pool...), i)
	switch s.rng.Intn(3) {
	case 0: // bottom-tested
		s.line("L%d:", l)
		s.body(inner)
		s.line("add.s32 %%r%d, %%r%d, %d; setp.lt.%s32 %%p2, %%r%d, %d; @%%p2 bra L%d;", i, i, step, string("us"[s.rng.Intn(2)]), i, limit*step, l)
	case 1: // top-tested
		s.line("L%d: setp.ge.s32 %%p2, %%r%d, %d; @%%p2 bra X%d;", l, i, limit*step, l)
		s.body(inner)
		s.line("add.s32 %%r%d, %%r%d, %d; bra L%d; X%d:", i, i, step, l, l)
	default: // counts down to zero
		c := s.reg
		s.reg++
		s.line("mov.u32 %%r%d, %d; L%d:", c, limit, l)
		s.body(inner)
		s.line("add.s32 %%r%d, %%r%d, %d; add.s32 %%r%d, %%r%d, -1; setp.ne.s32 %%p2, %%r%d, 0; @%%p2 bra L%d;", i, i, step, c, c, c, l)
	}
}

func (s *scribe) kernel() string {
	s.reg = 20
	s.line("mov.u32 %%r2, %%ctaid.x; mov.u32 %%r3, %%ntid.x; mad.lo.s32 %%r4, %%r2, %%r3, %%r1; mov.u32 %%r9, 0;")
	s.body([]int{1, 2, 4})
	s.body([]int{1, 2, 4})
	text := kernelText(3, "", s.b.String())
	return strings.Replace(text, ".reg .b32 %r<60>;", ".reg .b32 %r<2000>;", 1)
}

// TestRandomKernels: the analysis of random kernels never claims more than the emulator sees.
func TestRandomKernels(t *testing.T) {
	n := 400
	if testing.Short() {
		n = 100
	}
	bounded, decided, stores := 0, 0, 0
	for seed := range n {
		s := &scribe{rng: rand.New(rand.NewSource(int64(seed)))}
		src := s.kernel()
		m, err := ptx.Parse(src)
		if err != nil {
			t.Fatalf("seed %d: %v in\n%s", seed, err, src)
		}
		l := shape(uint32(1+seed%4), []uint32{32, 40, 64, 96}[seed/4%4])
		sum, err := ptx.Analyze(m.Entries[0], l)
		if err != nil {
			t.Fatal(err)
		}
		k, err := Compile(m, "k")
		if err != nil {
			t.Fatal(err)
		}
		index := make([]uint32, 1032)
		for i := range index {
			index[i] = uint32(i*i*2654435761) >> (i % 32)
		}
		const size = 1 << 17
		r, err := k.Launch(LaunchConfig{Launch: l, Params: []Param{{Name: "in", Buf: BufferOf("in", make([]byte, size))}, {Name: "out", Buf: NewBuffer("out", size), Multi: true}, {Name: "index", Buf: BufferOf("index", words(index...))}}},
			Options{Ignore: []FindingKind{GlobalRace, OutOfBounds}, MaxInstrs: 1 << 24})
		if err != nil {
			t.Fatalf("seed %d: %v in\n%s", seed, err, src)
		}
		fail := func(format string, args ...any) {
			t.Errorf("seed %d: "+format+"\ngrid %v block %v\n%s", append(append([]any{seed}, args...), l.Grid, l.Block, src)...)
		}
		for i, p := range sum.Params {
			got := r.Params[i]
			if got.Loaded.Hi > 0 && p.Loads.Known && (int64(got.Loaded.Lo) < p.Loads.Lo || int64(got.Loaded.Hi) > p.Loads.Hi) {
				fail("parameter %d: loaded %v, analysis says %+v", i, got.Loaded, p.Loads)
			}
			if got.Stored.Hi > 0 && p.Stores.Known && (int64(got.Stored.Lo) < p.Stores.Lo || int64(got.Stored.Hi) > p.Stores.Hi) {
				fail("parameter %d: stored %v, analysis says %+v", i, got.Stored, p.Stores)
			}
			if got.Loaded.Hi > 0 && (p.Mode == "w" || p.Mode == "-") || got.Stored.Hi > 0 && (p.Mode == "r" || p.Mode == "-") {
				fail("parameter %d: mode %s", i, p.Mode)
			}
			var covered []Range
			for _, sp := range p.Cover {
				lo, hi := max(sp.Lo, 0), min(sp.Hi, size)
				if lo >= hi {
					continue
				}
				covered = append(covered, Range{int(lo), int(hi)})
				if i == 1 && !inRanges(got.Written, int(lo), int(hi)) {
					fail("covered %v, written %v", sp, got.Written)
				}
			}
			if i != 1 {
				continue
			}
			if p.Exact && fmt.Sprint(covered) != fmt.Sprint(got.Written) {
				fail("decided coverage %v, written %v", covered, got.Written)
			}
			if got.Stored.Hi > 0 {
				stores++
				if p.Stores.Known && p.Stores.Hi < size {
					bounded++
				}
				if p.Exact {
					decided++
				}
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("of %d kernels that store: %d with bounds inside the buffer, %d with coverage decided", stores, bounded, decided)
	if bounded*10 < stores || decided*20 < stores {
		t.Errorf("of %d kernels only %d bounded and %d decided: the test shows little", stores, bounded, decided)
	}
}
