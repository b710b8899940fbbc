package emu

import (
	"fmt"

	"dsac/codegen/ptx"
)

// placeVariables lays out .const, .global and .local variables.
func (k *Kernel) placeVariables(m *ptx.Module) error {
	for _, v := range m.Vars {
		switch v.Space {
		case ptx.Const:
			at := alignUp(len(k.constMem), v.Alignment())
			k.constAt[v.Name] = uint64(at)
			k.constMem = append(append(k.constMem, make([]byte, at-len(k.constMem))...), initial(v)...)
		case ptx.Global:
			b := BufferOf(v.Name, initial(v))
			k.globals = append(k.globals, v)
			k.globalMem = append(k.globalMem, b)
		}
	}
	for _, v := range k.entry.Vars {
		if v.Space == ptx.Local {
			at := alignUp(k.localSize, v.Alignment())
			k.localAt[v.Name] = uint64(at)
			k.localSize = at + v.Bytes()
		}
	}
	if k.localSize > 512<<10 {
		return fmt.Errorf("%d bytes of local memory per thread, at most 512 KiB allowed", k.localSize)
	}
	return nil
}

func alignUp(n, a int) int { return (n + a - 1) / a * a }

// initial is the initial value of a variable; what has no initialiser is zero.
func initial(v *ptx.Var) []byte {
	out := make([]byte, v.Bytes())
	n := v.Type.Bytes()
	for i, o := range v.Init {
		x := immediate(&o, v.Type)
		for j := 0; j < n; j++ {
			out[i*n+j] = byte(x >> (8 * j))
		}
	}
	return out
}
