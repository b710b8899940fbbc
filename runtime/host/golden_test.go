package host

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"testing"

	"dsac/internal/fixture"
	"dsac/runtime/gguf"
)

// tensors reads a safetensors file: an 8-byte length, a JSON header, the data.
type tensors struct {
	data []byte
	info map[string]struct {
		DType string `json:"dtype"`
		Shape []int  `json:"shape"`
		Off   [2]int `json:"data_offsets"`
	}
}

func readTensors(t testing.TB, path string) *tensors {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := binary.LittleEndian.Uint64(raw)
	var header map[string]json.RawMessage
	if err := json.Unmarshal(raw[8:8+n], &header); err != nil {
		t.Fatal(err)
	}
	delete(header, "__metadata__")
	b, _ := json.Marshal(header)
	s := &tensors{data: raw[8+n:]}
	if err := json.Unmarshal(b, &s.info); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *tensors) words(name string) []uint32 {
	in := s.info[name]
	b := s.data[in.Off[0]:in.Off[1]]
	out := make([]uint32, len(b)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out
}

func (s *tensors) ids(name string) []int32 {
	w := s.words(name)
	out := make([]int32, len(w))
	for i, v := range w {
		out[i] = int32(v)
	}
	return out
}

func (s *tensors) floats(name string) []float32 {
	w := s.words(name)
	out := make([]float32, len(w))
	for i, v := range w {
		out[i] = math.Float32frombits(v)
	}
	return out
}

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
	for _, name := range [][2]string{{"tiny", "q4_k_m"}, {"tiny", "mxfp4_moe"}, {"realdims", "q8_0"}, {"shared", "q4_k_m"}, {"calm", "q4_k_m"}} {
		t.Run(name[0]+"/"+name[1], func(t *testing.T) {
			golden := readTensors(t, fixture.Golden(t, name[0], name[1]+".golden.safetensors"))
			d := openGLM(t, fixture.Golden(t, name[0], name[1]+".gguf"), "f32", 512, Options{}, [2]int{64, 64})
			for _, k := range []string{"0", "1", "2", "3"} {
				ids, want := golden.ids("ids_"+k), golden.floats("logits_"+k)
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
