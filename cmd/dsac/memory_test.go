package main

import (
	"path/filepath"
	"testing"

	"dsac/models/synth"
	"dsac/passes"
	"dsac/runtime/host"
	"dsac/runtime/plan"
)

// The memory report is what a run allocates, to the byte.
func TestReportIsWhatARunAllocates(t *testing.T) {
	path := goldenPath(t, "tiny", "q4_k_m.gguf")
	for _, kv := range []string{"f32", "f16"} {
		t.Run(kv, func(t *testing.T) {
			p := compileGolden(t, path, func(o *passes.Options) { o.KV = kv })
			s := loadPlan(t, p, path, host.Options{})
			m := plan.Report(p)
			byKind := make(map[plan.RegionKind]uint64)
			var rest uint64
			for _, r := range m.Regions {
				byKind[r.Kind] += r.Bytes
				if r.Kind != plan.Const {
					rest += r.Bytes
				}
			}
			if got := s.dev.Bytes(); got != rest {
				t.Errorf("the device allocated %d bytes, the report says %d", got, rest)
			}
			if got := rest + byKind[plan.Const]; got != m.Total {
				t.Errorf("the regions hold %d bytes, the total is %d", got, m.Total)
			}
			var tensors uint64
			for i := range s.file.Tensors {
				tensors += s.file.Tensors[i].Size
			}
			if m.WeightTotal != tensors {
				t.Errorf("weights of %d bytes, the file's tensors have %d", m.WeightTotal, tensors)
			}
			var arena uint64
			for _, e := range m.Entries {
				arena = max(arena, e.Arena)
			}
			if arena != byKind[plan.Arena] {
				t.Errorf("the largest entry needs %d bytes of arena, the region has %d", arena, byKind[plan.Arena])
			}
			state := m.Latent.Bytes + m.Indexer.Bytes + m.Control + m.OtherState
			if pad := byKind[plan.State] - state; state > byKind[plan.State] || pad >= 256*uint64(m.Latent.Layers+m.Indexer.Layers+2) {
				t.Errorf("caches, control and other state of %d bytes in a region of %d", state, byKind[plan.State])
			}
		})
	}
}

// Bytes per token of the caches (docs/spec/glm-dsa.md section 3), and twice that in float32.
func TestCacheBytesPerToken(t *testing.T) {
	for _, tc := range []struct {
		geometry string
		kv       string
		want     uint64
	}{
		{"glm-5.2", "f16", 95232}, {"glm-5.2", "f32", 190464},
		{"glm-5", "f16", 109824}, {"glm-5", "f32", 219648},
	} {
		t.Run(tc.geometry+"/"+tc.kv, func(t *testing.T) {
			p := compileGolden(t, header(t, tc.geometry), func(o *passes.Options) { o.KV, o.Chunk = tc.kv, 1 })
			m := plan.Report(p)
			if got := m.Latent.PerToken + m.Indexer.PerToken; got != tc.want {
				t.Errorf("%d bytes per token, want %d", got, tc.want)
			}
			if m.Latent.Layers != 78 {
				t.Errorf("latent caches of %d layers, want 78", m.Latent.Layers)
			}
		})
	}
}

// header writes the header of a model of full size and returns its path.
func header(t testing.TB, geometry string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), geometry+".gguf")
	if _, err := synth.Write(path, synth.Options{Geometry: geometry, HeaderOnly: true, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	return path
}
