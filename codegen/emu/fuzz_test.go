package emu

import (
	"testing"

	"dsac/codegen/ptx"
)

// FuzzLaunch: whatever parses either is refused with an error, or runs to findings; no panic.
func FuzzLaunch(f *testing.F) {
	for _, p := range plants {
		f.Add(kernelText(2, p.vars, setUp+p.bad))
	}
	for _, p := range clusterPlants {
		f.Add(clusterText(2, 2, p.vars, setUp+inCluster+p.bad))
		f.Add(kernelText(2, p.vars, setUp+inCluster+p.bad))
	}
	for _, c := range analysed {
		f.Add(kernelText(2, "", c.body))
	}
	f.Fuzz(func(t *testing.T, src string) {
		m, err := ptx.Parse(src)
		if err != nil || len(m.Entries) == 0 {
			return
		}
		k, err := Compile(m, m.Entries[0].Name)
		if err != nil || k.localSize > 1<<10 {
			return
		}
		var params []Param
		for _, p := range m.Entries[0].Params {
			if p.Bytes() == 8 {
				params = append(params, Param{Buf: BufferOf("b", make([]byte, 256))})
			} else {
				params = append(params, Param{Value: 3})
			}
		}
		_, _ = k.Launch(LaunchConfig{Launch: shape(2, 40), Params: params}, Options{MaxInstrs: 1 << 12})
	})
}
