package host

import (
	"slices"
	"strings"
	"testing"

	"dsac/runtime/gguf"
	"dsac/runtime/plan"
)

// tinyPlan builds the plan of the tiny model: one entry of 8 rows.
func tinyPlan(t testing.TB) (*plan.Plan, Weights) {
	f, err := gguf.Open(tinyModel(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	g := newGLM(t, f, 32, "f32")
	g.shared(8)
	g.build("t8", 8, 8)
	return g.b.P, File(f)
}

// runPlan loads a plan and runs the first ids of a prompt.
func runPlan(t testing.TB, p *plan.Plan, w Weights, opt Options, n int) ([]float32, error) {
	t.Helper()
	d, err := Load(p, w, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	copy(d.IDs(), tinyIDs(t, "ids_1"))
	if err := d.Run(0, n); err != nil {
		return nil, err
	}
	copy(d.IDs(), []int32{5, 6})
	if err := d.Run(0, 2); err != nil {
		return nil, err
	}
	return slices.Clone(d.Logits(0, 1)), nil
}

func TestChecksLeaveAGoodPlanAlone(t *testing.T) {
	p, w := tinyPlan(t)
	want, err := runPlan(t, p, w, Options{}, 5)
	if err != nil {
		t.Fatal(err)
	}
	padded := *p
	padded.Pads = make([]uint64, len(p.Bufs))
	for i := range p.Bufs {
		padded.Pads[i] = 128 + 3*p.Bufs[i].Off
	}
	for _, c := range []struct {
		name string
		p    *plan.Plan
		opt  Options
	}{
		{"poison", p, Options{Poison: true}},
		{"canary", p, Options{Canary: true}},
		{"both", p, Options{Poison: true, Canary: true}},
		{"both in the plan's padded placement", &padded, Options{Poison: true, Canary: true}},
	} {
		got, err := runPlan(t, c.p, w, c.opt, 5)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v; logits equal: %v", c.name, err, slices.Equal(got, want))
		}
	}
}

// operandOf returns operand i of the k-th step with that op.
func operandOf(t testing.TB, p *plan.Plan, op string, k, i int) *plan.Operand {
	t.Helper()
	for s := range p.Steps {
		if p.Str(p.Steps[s].Op) != op {
			continue
		}
		if k == 0 {
			return &p.Ops(&p.Steps[s])[i]
		}
		k--
	}
	t.Fatalf("no step %s", op)
	return nil
}

func TestChecksFindFaults(t *testing.T) {
	both := Options{Poison: true, Canary: true}
	// spare adds a buffer that nobody writes, of the form of another.
	spare := func(p *plan.Plan, like int32) int32 {
		b := p.Bufs[like]
		b.Off = p.Regions[b.Region].Size
		p.Regions[b.Region].Size += (b.Size + 63) / 64 * 64
		p.Bufs = append(p.Bufs, b)
		return int32(len(p.Bufs) - 1)
	}
	for _, c := range []struct {
		name   string
		opt    Options
		damage func(p *plan.Plan)
		want   []string
	}{
		{"a store that is not declared", Options{Canary: true}, func(p *plan.Plan) {
			o := operandOf(t, p, "rmsnorm", 1, 2)
			o.Hi.C -= o.Hi.K // one row less than it writes
		}, []string{"rmsnorm", "it changed buffer norm at byte 4096", "does not declare"}},
		{"a read of a buffer that nobody wrote", both, func(p *plan.Plan) {
			o := operandOf(t, p, "append2", 0, 0)
			o.Buf = spare(p, o.Buf)
		}, []string{"append2", "it left buffer latent.0 without a value", "at byte 0"}},
		{"an index list that nobody wrote", both, func(p *plan.Plan) {
			o := operandOf(t, p, "mqa_attend", 1, 3)
			o.Buf = spare(p, o.Buf)
		}, []string{"mqa_attend", "buffer sel holds index 2147450879 at byte 0, want -1 to 4"}},
		{"a result that is not written to its end", both, func(p *plan.Plan) {
			o := operandOf(t, p, "gate_up", 0, 3)
			o.Hi = plan.Whole // all 8 rows, of which 5 are live
		}, []string{"gate_up", "it left buffer h without a value", "at byte 10240"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, w := tinyPlan(t)
			c.damage(p)
			_, err := runPlan(t, p, w, c.opt, 5)
			if err == nil {
				t.Fatal("the run found nothing")
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("got %q, want it to say %q", err, part)
				}
			}
		})
	}
}

// TestCanaryGuards writes one byte past the end of a buffer while a step runs.
func TestCanaryGuards(t *testing.T) {
	p, w := tinyPlan(t)
	var d *Device
	opt := Options{Canary: true, Before: func(step int32) error {
		if step == 3 {
			o := operandOf(t, p, "embed", 0, 2)
			r := &d.regions[p.Bufs[o.Buf].Region]
			r.bytes[d.offs[o.Buf]+p.Bufs[o.Buf].Size+5]++
		}
		return nil
	}}
	d, err := Load(p, w, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	err = d.Run(0, 3)
	if want := "the guard of buffer x0, 5 bytes past its end"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want it to say %q", err, want)
	}
}

// TestCanaryFarAway writes into memory of another entry.
func TestCanaryFarAway(t *testing.T) {
	b := newBuilder(t, 16)
	x := b.buf("x", inI, "f32", 4, 8)
	b.begin("one", 4, 1)
	b.step("copy", nil, x, b.tmp("a", 4, 8))
	b.end()
	b.begin("two", 4, 1)
	far := b.tmp("far", 4, 64)
	b.step("copy", nil, far, b.tmp("c", 4, 64))
	b.end()
	var d *Device
	d, err := Load(b.b.P, nil, Options{Canary: true, Before: func(int32) error {
		d.bufs[far][700]++
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	err = d.Run(0, 3)
	if want := "a step changed"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want it to say %q", err, want)
	}
}

// TestPoisonCoversReusedBytes: bytes that an earlier step of the same run left behind do not
// hide that a later one fails to write them.
func TestPoisonCoversReusedBytes(t *testing.T) {
	b := newBuilder(t, 16)
	src, src2 := b.buf("src", inI, "f32", 2, 24), b.buf("src2", inI, "f32", 4, 12)
	b.begin("go", 4, 1)
	first, second := b.tmp("first", 2, 24), b.tmp("second", 4, 12)
	b.step("copy", nil, src, first)
	b.step("copy", nil, src2, second)
	b.b.P.Bufs[second].Off = b.b.P.Bufs[first].Off
	b.b.P.Operands[3].Hi = plan.Whole // row 3 is not live
	b.end()
	d, err := Load(b.b.P, nil, Options{Poison: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	err = d.Run(0, 3)
	if want := "it left buffer second without a value (NaN or poison) at byte 144"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want it to say %q", err, want)
	}
}
