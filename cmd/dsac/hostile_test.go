package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dsac/passes"
	"dsac/runtime/gguf"
	"dsac/runtime/host"
)

// Hyper-parameters that no sane file has, one at a time: each ends in an error that is not a
// crash, or in a plan that runs without one, soon and in little memory.
func TestHostileKeysDoNotCrash(t *testing.T) {
	whole, err := os.ReadFile(goldenPath(t, "tiny", "q4_k_m.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := gguf.Open(goldenPath(t, "tiny", "q4_k_m.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	path := filepath.Join(t.TempDir(), "hostile.gguf")
	for i := range f.Keys {
		k := &f.Keys[i]
		if !strings.HasPrefix(k.Name, "glm-dsa.") {
			continue
		}
		for _, v := range hostile[k.Kind] {
			t.Run(fmt.Sprintf("%s=%v", k.Name, v), func(t *testing.T) {
				start := time.Now()
				// The header alone first: most values are refused there.
				var err error
				for _, data := range [][]byte{whole[:f.Shards[0].DataStart], whole} {
					if err := os.WriteFile(path, data, 0o644); err != nil {
						t.Fatal(err)
					}
					patchKey(t, path, k.Name, v)
					if err = tryModel(path); err != nil && !errors.Is(err, gguf.ErrNoData) {
						break
					}
				}
				if crashed := new(passes.Crash); errors.As(err, &crashed) {
					t.Errorf("the compiler crashed: %v", err)
				}
				if crashed := new(host.Crash); errors.As(err, &crashed) {
					t.Errorf("the host crashed: %v", err)
				}
				for _, late := range []string{"BUG", "logit ", "cannot allocate"} {
					if err != nil && strings.Contains(err.Error(), late) {
						t.Errorf("not refused where it was read: %v", err)
					}
				}
				if took := time.Since(start); took > 10*time.Second {
					t.Errorf("took %v", took)
				}
				t.Logf("%v", err)
			})
		}
	}
}

// hostile are values by the kind of the key.
var hostile = map[gguf.Kind][]any{
	gguf.Uint32:  {uint32(0), uint32(1), uint32(3), uint32(4097), uint32(1 << 20), uint32(1 << 31), uint32(math.MaxUint32)},
	gguf.Float32: {float32(0), float32(-1), float32(math.NaN()), float32(math.Inf(1)), float32(math.MaxFloat32), float32(math.SmallestNonzeroFloat32)},
}

// tryModel takes a model as far as it goes: header, plan, three tokens.
func tryModel(path string) error {
	m, err := openModel(path, "", 64)
	if err != nil {
		return err
	}
	defer m.Close()
	src, err := m.source()
	if err != nil {
		return err
	}
	p, err := passes.Compile(src, passes.Options{Target: "host", Ctx: 64, Chunk: 16, KV: "f32", Version: "test"})
	if err != nil {
		return err
	}
	if !m.file.HasData {
		return gguf.ErrNoData
	}
	d, err := host.Load(p, host.File(m.file), host.Options{Workers: 2})
	if err != nil {
		return err
	}
	defer d.Close()
	x := &session{plan: p, file: m.file, dev: d}
	return x.feed(context.Background(), []int32{1, 2, 3}, 16, nil, nil, func(int, int) error { return nil })
}
