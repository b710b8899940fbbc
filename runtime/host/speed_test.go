package host

import (
	"syscall"
	"testing"

	"dsac/internal/fixture"
)

// cpuSeconds is the processor time of this process, which other processes do not distort.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// BenchmarkDecode runs one-token steps at positions from 24 on.
func BenchmarkDecode(b *testing.B) {
	for _, name := range [][2]string{{"tiny", "q8_0"}, {"realdims", "q4_k_m"}, {"calm", "q4_k_m"}} {
		b.Run(name[0]+"/"+name[1], func(b *testing.B) {
			d := openGLM(b, fixture.Golden(b, name[0], name[1]+".gguf"), "f32", 4096, Options{}, [2]int{1, 1})
			if err := d.RandomState(1, 24); err != nil {
				b.Fatal(err)
			}
			cpu := cpuSeconds()
			for b.Loop() {
				if d.Pos() > 512 {
					if err := d.Rewind(24); err != nil {
						b.Fatal(err)
					}
				}
				if err := d.Run(0, 1); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tok/s")
			b.ReportMetric(float64(b.N)/(cpuSeconds()-cpu), "tok/cpu-s")
		})
	}
}

// BenchmarkPrefill runs the 1,000-token prompt of calm in chunks.
func BenchmarkPrefill(b *testing.B) {
	for _, quant := range []string{"q4_k_m", "q8_0"} {
		b.Run("calm/"+quant, func(b *testing.B) {
			d := openGLM(b, fixture.Golden(b, "calm", quant+".gguf"), "f32", 1024, Options{}, [2]int{512, 1})
			ids := fixture.Safetensors(b, fixture.Golden(b, "calm", quant+".golden.safetensors"))["ids_5"].I32
			cpu := cpuSeconds()
			for b.Loop() {
				d.Reset()
				for at := 0; at < len(ids); at += 512 {
					n := copy(d.IDs(), ids[at:min(at+512, len(ids))])
					if err := d.Run(0, n); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.N*len(ids))/b.Elapsed().Seconds(), "tok/s")
			b.ReportMetric(float64(b.N*len(ids))/(cpuSeconds()-cpu), "tok/cpu-s")
		})
	}
}
