package check

import (
	"context"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"dsac/runtime/plan"
)

// twoStreams computes y from x along two ways and keeps x in a cache.
const twoStreams = `plan ctx=16 target=sm_80 vocab=64
region A arena 4096
region I in 1024
region O out 1024
region S state 4096
kernel one params=ids,x,ctl
kernel two params=x,a,y,ctl
kernel last params=ctl,ids,ctl2
buf ctl S+0 64 dtype=u8 shape=64 role=control align=64
buf hist S+256 256 dtype=i32 shape=64
buf kv S+512 1024 dtype=f32 shape=16x16 layer=0 valid=64*pos
buf ids I+0 16 dtype=i32 shape=4

entry decode rows=4 outs=4 arena=1024
buf x A+0 256 dtype=f32 shape=4x16
buf a A+256 256 dtype=f32 shape=4x16
buf y O+0 256 dtype=f32 shape=4x16 role=result
launch 0 kernel=one grid=1x1x1 block=32x1x1
op x kind=embed r=ids[0:4*n] w=x[0:64*n] launch=0
launch 1 kernel=one grid=1x1x1 block=32x1x1
op a kind=scale r=x[0:64*n] w=a[0:64*n] launch=1
launch 2 kernel=one grid=1x1x1 block=32x1x1
op kv kind=append r=x[0:64*n] w=kv[64*pos:64*len] launch=2
launch 3 kernel=two grid=1x1x1 block=32x1x1
op y kind=add r=x[0:64*n],a[0:64*n] w=y[0:64*n] launch=3
launch 4 kernel=two grid=1x1x1 block=32x1x1
op sample kind=sample r=y[0:64*n] rw=hist w=ctl[32:44] launch=4
launch 5 kernel=last grid=1x1x1 block=32x1x1
op advance kind=advance rw=ctl w=ids[0:4] launch=5
`

// hasher is a Delayer whose steps write hashes of all that they read. A launch in missing has
// no edge to what follows it: delayed, it runs last.
type hasher struct {
	plan    *plan.Plan
	mem     [][]byte // by region
	ids     []int32
	pos     int
	token   int32
	missing int32
	runs    int
	erratic bool // no two runs are the same
}

func newHasher(t *testing.T, missing int32) *hasher {
	t.Helper()
	p, err := plan.Parse("two_streams.plan.txt", []byte(twoStreams))
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Verify(p); err != nil {
		t.Fatal(err)
	}
	h := &hasher{plan: p, ids: make([]int32, 4), missing: missing}
	for i := range p.Regions {
		h.mem = append(h.mem, make([]byte, p.Regions[i].Size))
	}
	return h
}

func (h *hasher) Name() string { return "hasher" }
func (h *hasher) IDs() []int32 { return h.ids }
func (h *hasher) Pos() int     { return h.pos }
func (h *hasher) Token() int32 { return h.token }
func (h *hasher) at(b int32) []byte {
	x := &h.plan.Bufs[b]
	return h.mem[x.Region][x.Off:][:x.Size]
}

func (h *hasher) Rewind(pos int) error {
	if pos > h.pos {
		return fmt.Errorf("rewind to %d from %d", pos, h.pos)
	}
	h.pos = pos
	return nil
}
func (h *hasher) ReadAt(b int32, off uint64, dst []byte) error {
	copy(dst, h.at(b)[off:])
	return nil
}
func (h *hasher) WriteAt(b int32, off uint64, src []byte) error {
	copy(h.at(b)[off:], src)
	return nil
}
func (h *hasher) FillRegion(i int32, word uint32) error {
	for m := h.mem[i]; len(m) >= 4; m = m[4:] {
		le.PutUint32(m, word)
	}
	return nil
}

func (h *hasher) RunContext(ctx context.Context, e, n int) error {
	return h.RunDelayed(ctx, e, n, plan.None)
}

func (h *hasher) RunDelayed(_ context.Context, e, n int, launch int32) error {
	h.runs++
	at := plan.Point{N: int64(n), Pos: int64(h.pos), Len: int64(h.pos + n)}
	for i, id := range h.ids[:n] {
		le.PutUint32(h.mem[1][4*i:], uint32(id))
	}
	steps := slices.Clone(h.plan.EntrySteps(&h.plan.Entries[e]))
	if i := int(launch); launch != plan.None && launch == h.missing {
		steps = append(slices.Delete(steps, i, i+1), steps[i])
	}
	for i := range steps {
		h.step(&steps[i], at)
	}
	h.pos += n
	h.token = int32(le.Uint32(h.mem[3][plan.CtlToken:]))
	return nil
}

func (h *hasher) step(st *plan.Step, at plan.Point) {
	sum := crc32.NewIEEE()
	if h.erratic {
		fmt.Fprint(sum, h.runs)
	}
	for _, o := range h.plan.Ops(st) {
		lo, hi := h.plan.Range(&o, at)
		if h.plan.Bufs[o.Buf].Role != plan.Control && (o.Effect == plan.R || o.Effect == plan.RW) {
			sum.Write(h.at(o.Buf)[lo:hi])
		}
	}
	for _, o := range h.plan.Ops(st) {
		if o.Effect == plan.R || h.plan.Str(st.Op) == "advance" {
			continue
		}
		lo, hi := h.plan.Range(&o, at)
		for b := h.at(o.Buf)[lo:hi]; len(b) >= 4; b = b[4:] {
			le.PutUint32(b, sum.Sum32())
		}
	}
}

// stress runs a prompt of three and one token.
func stress(t *testing.T, h *hasher, opt Options) *Report {
	t.Helper()
	s := NewStress(h.plan, h, opt)
	for _, ids := range [][]int32{{5, 6, 7}, {8}} {
		if err := s.Run(t.Context(), 0, ids); err != nil {
			t.Fatal(err)
		}
	}
	return s.Report()
}

func TestStress(t *testing.T) {
	h := newHasher(t, plan.None)
	r := stress(t, h, Options{})
	want := []RunReport{{Entry: "decode", Rows: 3, Compared: 6, Steps: 6}, {Entry: "decode", Rows: 1, Pos: 3, Compared: 6, Steps: 6}}
	if !r.Clean() || !slices.Equal(r.Runs, want) {
		t.Errorf("got %s", reportOf(t, r))
	}
	if h.runs != 2*8 || h.pos != 4 {
		t.Errorf("%d runs to position %d, want 16 to 4", h.runs, h.pos)
	}
	if text := reportOf(t, r); !strings.Contains(text, "launches delayed in turn\ndecode: 3 rows at position 0, 6 of 6 steps delayed\n") {
		t.Errorf("got %s", text)
	}
	if r := stress(t, newHasher(t, plan.None), Options{PerKernel: 1}); r.Runs[0].Compared != 3 {
		t.Errorf("one launch of each of 3 kernels: %d were delayed", r.Runs[0].Compared)
	}
}

// A launch that nothing waits for is named with the steps that read what it writes, though the
// run before left the right bytes where they read too early.
func TestStressFindsMissingEdges(t *testing.T) {
	plain := newHasher(t, plan.None)
	stress(t, plain, Options{})
	for _, c := range []struct {
		missing      int32
		step, detail string
	}{
		{0, "x", "with x delayed, these differ: token "},
		{0, "x", "; read by a, kv, y"},
		{1, "a", "; read by y"},
		{3, "y", "; read by sample"},
	} {
		h := newHasher(t, c.missing)
		r := stress(t, h, Options{})
		if r.Found != 2 || r.First.Kind != Order || r.First.Step != c.step || !strings.Contains(r.First.Detail, c.detail) {
			t.Errorf("%s: got %s", c.step, reportOf(t, r))
		}
		if h.token != plain.token || h.pos != plain.pos || !slices.Equal(h.at(2), plain.at(2)) {
			t.Errorf("%s: the device is not left as a plain run leaves it", c.step)
		}
	}
}

func TestStressFindsRunsThatDiffer(t *testing.T) {
	h := newHasher(t, plan.None)
	h.erratic = true
	r := stress(t, h, Options{})
	if r.First == nil || r.First.Step != "" || !strings.HasPrefix(r.First.Detail, "run again without a delay, these differ: token ") {
		t.Errorf("got %s", reportOf(t, r))
	}
}

func reportOf(t *testing.T, r *Report) string {
	t.Helper()
	var b strings.Builder
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
