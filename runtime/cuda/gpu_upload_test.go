//go:build cuda

package cuda

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"dsac/internal/fixture"
	"dsac/runtime/gguf"
)

// testdataPath finds a fixture in the folder that DSAC_TESTDATA names, or in the repository.
func testdataPath(t testing.TB, elem ...string) string {
	if dir := os.Getenv("DSAC_TESTDATA"); dir != "" {
		return filepath.Join(append([]string{dir}, elem...)...)
	}
	return fixture.Path(t, elem...)
}

func TestGPUWeightsOfAFile(t *testing.T) {
	needGPU(t)
	f, err := gguf.Open(testdataPath(t, "golden", "tiny", "q4_k_m.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var tensors []tensor
	for i := range f.Tensors {
		x := &f.Tensors[i]
		tensors = append(tensors, tensor{x.Name, x.Type, nil, x.Dims})
	}
	d, err := Load(weightsPlan(t, tensors...), File(f), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Tensors {
		got, err := d.Buffer(f.Tensors[i].Name)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := f.Data(&f.Tensors[i]); err != nil || !bytes.Equal(got, want) {
			t.Errorf("tensor %s arrived with other bytes (%v)", f.Tensors[i].Name, err)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// Every layout as the host packs it.
func TestGPURepack(t *testing.T) {
	needGPU(t)
	p, w, want := repackPlan(t)
	d, err := Load(p, w, Options{})
	if err != nil {
		t.Fatal(err)
	}
	arrived(t, d, want)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
