package lint

import (
	"slices"
	"strings"
	"testing"

	"dsac/runtime/plan"
)

// decode is a sound entry with symbolic ranges; the tests below break one line of it.
const decode = `
plan ctx=64
region S state 65536
buf ctl S+0 64 role=control dtype=u8 shape=64 valid=64
buf kv S+1024 8192 layer=0 shape=64x32 dtype=f32 valid=128*pos
buf ids I+0 16 dtype=i32 shape=4
buf embd W+0 4096
entry decode4 rows=4
buf x A+0 512 dtype=f32 shape=4x32 life=0:3
buf o A+512 512 dtype=f32 shape=4x32 life=2:4
buf logits O+0 512 dtype=f32 shape=4x32
op embed kind=embed r=ids[0:4*n],embd w=x[0:128*n]
op app kind=append layer=0 r=x[0:128*n]<embed> w=kv[128*pos:128*len]
op attn kind=attend layer=0 r=x[0:128*n]<embed>,kv[0:128*len]<app> w=o[0:128*n]
op head kind=head r=o[0:128*n]<attn> w=logits[0:128*n]
op sample kind=sample r=logits[0:128*n]<head> w=ctl[32:44]
op advance kind=advance rw=ctl<sample>
`

func codesAt(t *testing.T, text string) []string {
	t.Helper()
	p, err := plan.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return codesOf(Run(p, Options{}))
}

func TestSymbolicRanges(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"as it stands", "", "", ""},
		{"attention reads all rows of x, live or not", "r=x[0:128*n]<embed>,kv", "r=x<embed>,kv", "D07"},
		{"append writes one row too few", "w=kv[128*pos:128*len]", "w=kv[128*pos:-128+128*len]", "K02 T02"},
		{"append starts a row early", "w=kv[128*pos:128*len]", "w=kv[-128+128*pos:-128+128*len]", "K02 S10 S14 T02"},
		{"append overwrites what earlier steps left", "w=kv[128*pos:128*len]", "w=kv[0:128*len]", "S14 T02"},
		{"attention reads one row past len", "kv[0:128*len]", "kv[0:128+128*len]", "K02 S10 T02"},
		{"attention misses this step's rows", "kv[0:128*len]<app>", "kv[0:128*pos]<app>", "T02"},
		{"no append", "op app kind=append layer=0 r=x[0:128*n]<embed> w=kv[128*pos:128*len]\n", "op app kind=diag layer=0 r=x[0:128*n]<embed> w=ctl[60:64]\n", "D04 K02"},
		{"no advance", "op advance kind=advance rw=ctl<sample>\n", "", "K02"},
		{"the position advances, and nothing is appended", "op app kind=append layer=0 r=x[0:128*n]<embed> w=kv[128*pos:128*len]\nop attn kind=attend layer=0 r=x[0:128*n]<embed>,kv[0:128*len]<app> w", "op attn kind=attend layer=0 r=x[0:128*n]<embed>,kv[0:128*pos] w", "K02 S02 T02"},
		{"no sampler", "op sample kind=sample r=logits[0:128*n]<head> w=ctl[32:44]\nop advance kind=advance rw=ctl<sample>", "op advance kind=advance rw=ctl", "K02"},
		{"half a result", "w=logits[0:128*n]", "w=logits[0:64*n]", "D07 T02"},
		{"valid rows beyond the buffer", "valid=128*pos", "valid=256*pos", "K02 S14"},
		{"control overwritten before the end", "op sample", "op early kind=early w=ctl[0:8]\nop sample", "D04 S03"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(decode, c.old) {
				t.Fatalf("the plan has no %q", c.old)
			}
			got := strings.Join(codesAt(t, strings.Replace(decode, c.old, c.new, 1)), " ")
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestCorners(t *testing.T) {
	for _, c := range []struct {
		rows, ctx     int64
		usesN, usesPo bool
		want          int
	}{
		{1, 64, false, false, 1}, {8, 64, false, false, 1}, {8, 64, true, false, 2}, {8, 64, true, true, 6}, {1, 64, false, true, 3},
		{64, 64, true, true, 4}, {1, 1, false, true, 1}, {0, 0, true, true, 1},
	} {
		pts := corners(c.rows, c.ctx, c.usesN, c.usesPo)
		if len(pts) != c.want {
			t.Errorf("rows %d ctx %d: got %v, want %d points", c.rows, c.ctx, pts, c.want)
		}
		for i, p := range pts {
			if p.N < 1 || p.Pos < 0 || p.Len != p.Pos+p.N || c.ctx > 0 && p.Len > c.ctx || slices.Contains(pts[:i], p) {
				t.Errorf("rows %d ctx %d: point %+v", c.rows, c.ctx, p)
			}
		}
	}
}

// TestEveryOrderedPairOfEntries: what one entry leaves is what any other starts from.
func TestEveryOrderedPairOfEntries(t *testing.T) {
	second := strings.NewReplacer("decode4 rows=4", "verify rows=4").Replace(decode[strings.Index(decode, "entry"):])
	if got := codesAt(t, decode+second); got != nil {
		t.Errorf("two sound entries: got %v", got)
	}
	broken := strings.Replace(second, "w=kv[128*pos:128*len]", "w=kv[128*pos:128*pos]", 1)
	p, err := plan.Parse("test", []byte(decode+broken))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Run(p, Options{Only: []string{"K02"}}) {
		if f.Entry != "verify" {
			t.Errorf("got a K02 in entry %q, want verify only", f.Entry)
		}
	}
	if got := codesOf(Run(p, Options{})); !slices.Contains(got, "K02") {
		t.Errorf("second entry appends nothing: got %v, want K02", got)
	}
	dirty := "buf sem S+32768 64 inv=zero\n" + decode + strings.Replace(second, "op sample", "op split kind=split acc=sem\nop sample", 1)
	dirty = "region S state 65536\n" + strings.Replace(dirty, "region S state 65536\n", "", 1)
	if got := codesAt(t, dirty); !slices.Equal(got, []string{"K05"}) {
		t.Errorf("second entry leaves a semaphore: got %v, want K05", got)
	}
}
