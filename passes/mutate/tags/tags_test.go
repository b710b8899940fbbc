package tags

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dsac/runtime/plan"
)

const sound = `
plan ctx=64
region S state 65536
buf ctl S+0 64 role=control dtype=u8 shape=64 valid=64
buf kv S+1024 8192 layer=0 shape=64x32 dtype=f32 valid=128*pos
buf ids I+0 16 dtype=i32 shape=4
buf embd W+0 4096
buf other W+4096 4096
weight embd type=f32 dims=32x32 layout=gguf buf=embd
weight other type=f32 dims=32x32 layout=gguf buf=other
entry decode4 rows=4
buf x A+0 512 dtype=f32 shape=4x32
buf s A+1536 512 dtype=f32 shape=4x32
buf o A+512 512 dtype=f32 shape=4x32
buf p A+1024 512 dtype=f32 shape=4x32
buf spare A+2048 512
buf logits O+0 512 dtype=f32 shape=4x32
op embed kind=embed r=ids[0:4*n],embd w=x[0:128*n]
rec e1 @main
wait e1 @side
op app @side kind=append layer=0 r=x[0:128*n]<embed> w=kv[128*pos:128*len]
op gate kind=gate r=x[0:128*n]<embed> w=s[0:128*n]
rec e2 @side
wait e2 @main
op attn kind=attend layer=0 r=x[0:128*n]<embed>,kv[0:128*len]<app> w=o[0:128*n]
op mul kind=mul r=s[0:128*n]<gate> rw=o[0:128*n]<attn> ew
op head kind=head r=o[0:128*n]<mul> w=logits[0:128*n]
op advance kind=advance rw=ctl
`

func digest(t *testing.T, text string) Digest {
	t.Helper()
	p, err := plan.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return Entry(p, 0, Options{Seed: 1})
}

func replace(t *testing.T, pairs ...string) string {
	t.Helper()
	text := sound
	for i := 0; i < len(pairs); i += 2 {
		at := index(text, pairs[i])
		if at < 0 {
			t.Fatalf("the plan has no %q", pairs[i])
		}
		text = text[:at] + pairs[i+1] + text[at+len(pairs[i]):]
	}
	return text
}

func index(s, sub string) int {
	for i := 0; i+len(sub) <= len(s); i++ {
		if s[i:i+len(sub)] == sub {
			return i
		}
	}
	return -1
}

func TestJudgement(t *testing.T) {
	want := digest(t, sound)
	if len(want) == 0 || slices.Contains(want, 0) {
		t.Fatalf("the sound plan races or has no results: %v", want)
	}
	for _, c := range []struct {
		name  string
		edit  []string
		equal bool
	}{
		{"nothing", nil, true},
		{"a temporary moved to free bytes", []string{"buf s A+1536", "buf s A+4096"}, true},
		{"a layer number", []string{"attend layer=0", "attend layer=1"}, true},
		{"neighbours without dependence exchanged", []string{"op gate kind=gate r=x[0:128*n]<embed> w=s[0:128*n]\nrec e2 @side\nwait e2 @main\n", "rec e2 @side\nwait e2 @main\nop gate kind=gate r=x[0:128*n]<embed> w=s[0:128*n]\n"}, true},
		{"a write wider than the live rows", []string{"w=s[0:128*n]", "w=s"}, true},
		{"the wait for the append dropped", []string{"wait e2 @main\n", ""}, false},
		{"the wait for the embedding dropped", []string{"wait e1 @side\n", ""}, false},
		{"a temporary onto a live one", []string{"buf s A+1536", "buf s A+512"}, false},
		{"half an overlap", []string{"buf s A+1536", "buf s A+768"}, false},
		{"another input", []string{"r=s[0:128*n]<gate>", "r=x[0:128*n]<gate>"}, false},
		{"an undefined input", []string{"r=s[0:128*n]<gate>", "r=spare[0:128*n]<gate>"}, false},
		{"another op", []string{"kind=gate", "kind=rope"}, false},
		{"an attribute", []string{"kind=gate", "kind=gate eps=2"}, false},
		{"another element type", []string{"r=s[0:128*n]<gate>", "r=s[0:128*n]<gate>:bf16"}, false},
		{"another layout", []string{"r=s[0:128*n]<gate>", "r=s[0:128*n]<gate>/t"}, false},
		{"another tensor", []string{"weight embd", "weight x"}, false},
		{"another type of tensor", []string{"weight embd type=f32", "weight embd type=i32"}, false},
		{"another layout of a tensor", []string{"layout=gguf", "layout=rows"}, false},
		{"a weight without a tensor", []string{"weight embd type=f32 dims=32x32 layout=gguf buf=embd\n", ""}, false},
		{"another tensor where nobody reads", []string{"weight other", "weight x"}, true},
		{"an append one row late", []string{"w=kv[128*pos:128*len]", "w=kv[128+128*pos:128+128*len]"}, false},
		{"no advance", []string{"op advance kind=advance rw=ctl\n", ""}, false},
		{"a contract dropped from an op that needs none", []string{" ew\n", "\n"}, true},
		{"in place without a contract", []string{"r=s[0:128*n]<gate> rw=o[0:128*n]<attn> ew", "r=s[0:128*n]<gate>,o[0:128*n]<attn> w=o[0:128*n]"}, false},
		{"an early launch", []string{"op head kind=head r=o[0:128*n]<mul> w=logits[0:128*n]", "op head kind=head r=o[0:128*n]<mul> w=logits[0:128*n] pdl"}, false},
		{"an early launch that waits", []string{"op head kind=head r=o[0:128*n]<mul> w=logits[0:128*n]", "op head kind=head r=o[0:128*n]<mul> w=logits[0:128*n] pdl gw"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Equal(want, digest(t, replace(t, c.edit...))); got != c.equal {
				t.Errorf("got equal %v, want %v", got, c.equal)
			}
		})
	}
}

func TestAdditionsCommute(t *testing.T) {
	head := "buf x I+0 512\nbuf a A+0 512\nbuf y O+0 512\nop zero w=a init\n"
	tail := "op cvt r=a w=y\n"
	ab := digest(t, head+"op k0 r=x acc=a\nop k1 r=x acc=a\n"+tail)
	ba := digest(t, head+"op k1 r=x acc=a\nop k0 r=x acc=a\n"+tail)
	once := digest(t, head+"op k0 r=x acc=a\n"+tail)
	if !Equal(ab, ba) || Equal(ab, once) {
		t.Errorf("got %v, %v and %v: sums must not depend on order, and on every addend", ab, ba, once)
	}
}

// TestMemoryAgainstBytes compares pieces with one value per byte.
func TestMemoryAgainstBytes(t *testing.T) {
	const size = 40
	rng := rand.New(rand.NewPCG(4, 2))
	m := newMemory(size)
	type value struct {
		tag  uint64
		base int64
	}
	var slow [size]value
	for step := range 4000 {
		lo := rng.Int64N(size+10) - 5
		hi := lo + rng.Int64N(15)
		v := value{uint64(rng.IntN(4)), rng.Int64N(3)}
		m.set(lo, hi, v.tag, v.base)
		for x := max(lo, 0); x < min(hi, size); x++ {
			slow[x] = v
		}
		var got [size]value
		at := int64(3)
		m.each(3, size+7, func(p piece) {
			if p.lo != at || p.lo >= p.hi {
				t.Fatalf("step %d: piece %+v starts at %d, want %d", step, p, p.lo, at)
			}
			for x := p.lo; x < p.hi; x++ {
				got[x] = value{p.tag, p.base}
			}
			at = p.hi
		})
		if at != size || !slices.Equal(got[3:], slow[3:]) {
			t.Fatalf("step %d: got %v, want %v", step, got, slow)
		}
	}
}

// TestOrdersKeepEdges: random orders run every node once and respect streams and events.
func TestOrdersKeepEdges(t *testing.T) {
	p, err := plan.Parse("test", []byte(sound))
	if err != nil {
		t.Fatal(err)
	}
	g := newGraph(p, &p.Entries[0])
	rng := rand.New(rand.NewPCG(1, 1))
	distinct := map[string]bool{}
	for i := range 60 {
		o := g.random(rng, i%2 == 0)
		at := make([]int, len(g.nodes))
		text := ""
		for k, n := range o {
			at[n] = k
			text += string(rune('a' + n))
		}
		distinct[text] = true
		if len(o) != len(g.nodes) {
			t.Fatalf("order %v has %d of %d nodes", o, len(o), len(g.nodes))
		}
		for n := range g.nodes {
			for _, to := range g.nodes[n].next {
				if at[n] > at[to] {
					t.Fatalf("order %v breaks the edge %d -> %d", o, n, to)
				}
			}
		}
	}
	if len(distinct) < 2 {
		t.Errorf("got %d orders, want several", len(distinct))
	}
}
