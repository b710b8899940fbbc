package host

import (
	"math"
	"testing"

	"dsac/internal/fixture"
	"dsac/runtime/gguf"
)

func openGLM(t testing.TB, path, kv string, ctx int, opt Options, entries ...[2]int) *Device {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	g := newGLM(t, f, ctx, kv)
	rows := 0
	for _, e := range entries {
		rows = max(rows, e[0])
	}
	g.shared(rows)
	for _, e := range entries {
		g.build("t"+itoa(e[0]), e[0], e[1])
	}
	d, err := Load(g.b.P, File(f), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// TestGoldenLogits compares hand-built plans of real files with their reference logits.
func TestGoldenLogits(t *testing.T) {
	for _, name := range [][2]string{{"tiny", "mxfp4_moe"}, {"shared", "q4_k_m"}} {
		t.Run(name[0]+"/"+name[1], func(t *testing.T) {
			golden := fixture.Safetensors(t, fixture.Golden(t, name[0], name[1]+".golden.safetensors"))
			d := openGLM(t, fixture.Golden(t, name[0], name[1]+".gguf"), "f32", 512, Options{}, [2]int{64, 64})
			for _, k := range []string{"0", "1", "2", "3"} {
				ids, want := golden["ids_"+k].I32, golden["logits_"+k].F32
				d.Reset()
				copy(d.IDs(), ids)
				if err := d.Run(0, len(ids)); err != nil {
					t.Fatal(err)
				}
				worst := 0.0
				vocab := len(want) / len(ids)
				for row := range ids {
					for i, v := range d.Logits(0, row) {
						worst = max(worst, math.Abs(float64(v)-float64(want[row*vocab+i])))
					}
				}
				if !(worst <= 5e-5) {
					t.Errorf("prompt %s (%d ids): largest error %.3g, want at most 5e-5", k, len(ids), worst)
				}
				t.Logf("prompt %s: %.3g", k, worst)
			}
		})
	}
}
