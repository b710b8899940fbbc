package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"dsac/models/synth"
	"dsac/passes"
	"dsac/runtime/host"
)

// keyVariants are values that no public file of DeepSeek-V3.2 has but that its keys allow.
var keyVariants = []struct {
	name, geometry string
	seed           uint64
	keys           map[string]any // by name without architecture; the types that synth writes
}{
	{"four groups of two", "deepseek-tiny", 11, map[string]any{"expert_group_count": uint32(4), "expert_group_used_count": uint32(2)}},
	{"one group", "deepseek-tiny", 13, map[string]any{"expert_group_count": uint32(1)}},
	{"weights of experts as they are", "deepseek-tiny", 14, map[string]any{"expert_weights_norm": false}},
	{"no scale of experts", "deepseek-tiny", 15, map[string]any{"expert_weights_scale": float32(0)}},
	{"one position chosen", "deepseek-tiny", 16, map[string]any{"attention.indexer.top_k": uint32(1)}},
	{"every position chosen", "deepseek-tiny", 17, map[string]any{"attention.indexer.top_k": uint32(64)}},
	{"the public stretch", "deepseek-tiny-yarn", 18, map[string]any{"rope.scaling.factor": float32(40), "rope.scaling.original_context_length": uint32(4096)}},
	{"a stretch without mscale_all_dim", "deepseek-tiny-yarn", 19, map[string]any{"rope.scaling.yarn_log_multiplier": float32(0)}},
	{"mscale_all_dim 0.707", "deepseek-tiny-yarn", 20, map[string]any{"rope.scaling.yarn_log_multiplier": float32(0.0707)}},
	{"equal limits", "deepseek-tiny-yarn", 21, map[string]any{"rope.scaling.yarn_beta_fast": float32(1)}},
	{"positions past the original context", "deepseek-tiny-yarn", 23, map[string]any{"rope.scaling.original_context_length": uint32(16)}},
	{"limits that cross", "deepseek-tiny-yarn", 22, map[string]any{"rope.scaling.original_context_length": uint32(3)}},
}

// badKeys are values that no computation fits.
var badKeys = []struct {
	key   string
	value any
	want  string
}{
	{"expert_group_used_count", uint32(0), "expert_group_used_count is 0, want 1 to expert_group_count 2"},
	{"expert_group_used_count", uint32(3), "expert_group_used_count is 3, want 1 to expert_group_count 2"},
	{"expert_group_count", uint32(0), "expert_group_used_count is 1, want 1 to expert_group_count 0"},
	{"expert_group_count", uint32(8), "expert_used_count is 2: 1 of 8 groups hold only 1 of 8 experts"},
	{"expert_group_count", uint32(3), "8 experts cannot be cut into 3 groups"},
	{"rope.scaling.factor", float32(0.5), "rope.scaling.factor is 0.5, want at least 1"},
	{"rope.scaling.original_context_length", uint32(0), "rope.scaling.original_context_length is 0, want at least 1"},
	{"rope.scaling.yarn_beta_slow", float32(0), "rope.scaling.yarn_beta_fast 32 and yarn_beta_slow 0 must be above 0"},
	{"rope.freq_base", float32(1), "rope.freq_base is 1, want more than 1"},
	{"expert_gating_func", uint32(1), "expert_gating_func is 1, want 2 (sigmoid)"},
}

func TestBadKeysOfDeepSeek(t *testing.T) {
	for _, c := range badKeys {
		t.Run(fmt.Sprintf("%s=%v", c.key, c.value), func(t *testing.T) {
			path := writeSynth(t, synth.Options{Geometry: "deepseek-tiny-yarn", Layers: 2, HeaderOnly: true})
			patchKey(t, path, "deepseek32."+c.key, c.value)
			m, err := openModel(path, "", 64)
			if err == nil {
				defer m.Close()
				_, err = m.compile(t.Context(), passes.Options{Target: "host", Ctx: 64, Chunk: 64, KV: "f32", Version: "test"})
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}

func TestBruteForceOfOtherKeys(t *testing.T) {
	for _, c := range keyVariants {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			path := writeSynth(t, synth.Options{Geometry: c.geometry, Quant: "q8_0", Seed: c.seed, Layers: 2})
			for key, v := range c.keys {
				patchKey(t, path, "deepseek32."+key, v)
			}
			m := openBrute(t, path)
			ids := prompt(c.seed, 23, m.Vocab())
			want := truth(t, m, ids)
			b := &bench{session: loadPlan(t, compileSmall(t, path, "", nil), path, host.Options{})}
			d := distance(b.logits(t, ids, smallCtx, len(ids)), want.Logits)
			t.Logf("logits within %.2g, narrowest choice %.2g", d, want.Gap)
			if !(d <= goldenTol) {
				t.Errorf("logits differ by %.3g, want at most %.0e", d, goldenTol)
			}
		})
	}
}

// patchKey overwrites the value of a key of fixed size in a GGUF file: the name, its type, the
// value (docs/spec/glm-dsa.md section 4.1).
func patchKey(t *testing.T, path, key string, value any) {
	t.Helper()
	var head, val []byte
	head = binary.LittleEndian.AppendUint64(head, uint64(len(key)))
	head = append(head, key...)
	switch v := value.(type) {
	case uint32:
		head, val = binary.LittleEndian.AppendUint32(head, 4), binary.LittleEndian.AppendUint32(nil, v)
	case float32:
		head, val = binary.LittleEndian.AppendUint32(head, 6), binary.LittleEndian.AppendUint32(nil, math.Float32bits(v))
	case bool:
		head, val = binary.LittleEndian.AppendUint32(head, 7), []byte{0}
		if v {
			val[0] = 1
		}
	default:
		t.Fatalf("a value of type %T cannot be patched", value)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(raw, head)
	if at < 0 {
		t.Fatalf("%s has no key %s of type %T", path, key, value)
	}
	copy(raw[at+len(head):], val)
	if err := os.WriteFile(path, raw, 0o644); err != nil {
		t.Fatal(err)
	}
}
