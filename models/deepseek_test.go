package models

import (
	"math"
	"testing"

	"dsac/ir"
)

var smallDeepSeek = geometry{
	arch: "deepseek32", layers: 3, mtp: 1, dense: 1, d: 64, v: 96, ff: 128, heads: 2,
	qr: 32, kvr: 32, hd: 24, vd: 16, rope: 8, ih: 2, id: 16, topk: 4,
	experts: 8, used: 2, fe: 32, groups: 4, m: 1, ctx: 4096, base: 1e4,
}

// The sizes of the public model.
var deepSeekV32 = geometry{
	arch: "deepseek32", layers: 61, mtp: 1, dense: 3, d: 7168, v: 129280, ff: 18432, heads: 128,
	qr: 1536, kvr: 512, hd: 192, vd: 128, rope: 64, ih: 64, id: 128, topk: 2048,
	experts: 256, used: 8, fe: 2048, groups: 8, m: 1, ctx: 163840, base: 1e4,
}

func (f *fake) yarn() *fake {
	for k, v := range map[string]any{
		"type": "yarn", "factor": 40.0, "original_context_length": int64(4096), "yarn_log_multiplier": 0.1,
	} {
		f.keys["deepseek32.rope.scaling."+k] = v
	}
	return f
}

func byLabel(t *testing.T, g *ir.Graph, label string) *ir.Node {
	t.Helper()
	for _, n := range g.Nodes {
		if n.Label == label {
			return n
		}
	}
	t.Fatalf("the graph has no step %s", label)
	return nil
}

func TestDeepSeekV32(t *testing.T) {
	b := mustBind(t, deepSeekV32.header().yarn(), BindOptions{})
	g, err := b.Graph("step")
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(g); err != nil {
		t.Fatal(err)
	}
	if got, want := len(b.States), 2*61; got != want {
		t.Errorf("states: got %d, want %d: every layer is full", got, want)
	}
	for _, c := range []struct {
		label, attr string
		want        any
	}{
		{"l3.q", "style", "interleaved"}, {"l3.q", "off", int64(128)}, {"l3.q", "factor", 40.0}, {"l3.q", "mscale", 1.0},
		{"l3.q", "beta_fast", 32.0}, {"l3.q", "beta_slow", 1.0}, {"l3.q", "orig_ctx", int64(4096)},
		{"l3.kpe", "style", "interleaved"}, {"l3.iq", "style", "half"}, {"l3.iq", "off", int64(0)}, {"l3.ikey.rope", "style", "half"},
		{"l3.s.2", "groups", int64(8)}, {"l3.s.2", "used", int64(4)}, {"l3.ik", "eps", 1e-6},
		{"l3.g", "scale", 2.5}, {"l3.g", "norm", int64(1)},
	} {
		if got := byLabel(t, g, c.label).Attrs.Find(c.attr); got != c.want {
			t.Errorf("%s: %s is %v, want %v", c.label, c.attr, got, c.want)
		}
	}
	// (1 + 0.1 ln 40)^2 / sqrt(192): the softmax scale of the public model's own code.
	m := 0.1*math.Log(40) + 1
	if got, want := byLabel(t, g, "l3.o").Attrs.Find("scale").(float64), m*m/math.Sqrt(192); math.Abs(got-want) > 1e-15 {
		t.Errorf("scale of attention: got %v, want %v", got, want)
	}
}

func TestDeepSeekWithoutYarn(t *testing.T) {
	b := mustBind(t, smallDeepSeek.header(), BindOptions{})
	g, _ := b.Graph("step")
	q := byLabel(t, g, "l1.q")
	if f, m := q.Attrs.Find("factor"), q.Attrs.Find("mscale"); f != 1.0 || m != 1.0 {
		t.Errorf("factor %v, mscale %v, want 1 and 1", f, m)
	}
	if got, want := byLabel(t, g, "l1.o").Attrs.Find("scale"), 1/math.Sqrt(24); got != want {
		t.Errorf("scale of attention: got %v, want %v", got, want)
	}
}

// Without mscale_all_dim the rotation carries the whole factor and the scores none.
func TestYarnWithoutLogMultiplier(t *testing.T) {
	f := smallDeepSeek.header().yarn()
	delete(f.keys, "deepseek32.rope.scaling.yarn_log_multiplier")
	g, _ := mustBind(t, f, BindOptions{}).Graph("step")
	if got, want := byLabel(t, g, "l1.q").Attrs.Find("mscale"), 1+0.1*math.Log(40); got != want {
		t.Errorf("mscale: got %v, want %v", got, want)
	}
	if got, want := byLabel(t, g, "l1.o").Attrs.Find("scale"), 1/math.Sqrt(24); got != want {
		t.Errorf("scale of attention: got %v, want %v", got, want)
	}
}

func TestDeepSeekRouterBiasIsOptional(t *testing.T) {
	f := smallDeepSeek.header()
	f.drop("blk.1.exp_probs_b.bias")
	f.drop("blk.2.exp_probs_b.bias")
	g, _ := mustBind(t, f, BindOptions{}).Graph("step")
	for _, n := range g.Nodes {
		if n.Op.Name == "add_row" {
			t.Errorf("%s adds a bias that the file does not have", n.Label)
		}
	}
}

func TestDeepSeekBadScaling(t *testing.T) {
	m, err := Builtin("deepseek32")
	if err != nil {
		t.Fatal(err)
	}
	f := smallDeepSeek.header()
	f.keys["deepseek32.rope.scaling.type"] = "linear"
	_, err = m.Bind(f, BindOptions{})
	if got, want := messages(err), `rope.scaling.type is linear, want yarn or none`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	f.keys["deepseek32.rope.scaling.type"] = "yarn"
	_, err = m.Bind(f, BindOptions{})
	if got, want := messages(err), `the file has no key "deepseek32.rope.scaling.factor", which the model needs
the file has no key "deepseek32.rope.scaling.original_context_length", which the model needs`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
