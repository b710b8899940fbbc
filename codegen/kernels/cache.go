package kernels

import (
	"fmt"

	"dsac/codegen"
)

// cacheType is an element type of the caches, as the tensor cores get it: f16.
type cacheType struct {
	size int // of an element, in bytes
	// load8 reads 8 neighbours as four words of f16, rounded to nearest even.
	load8 func(k *codegen.K, p codegen.Ptr) [4]codegen.I32
	async bool // stored as f16: may be copied as it is
}

// cacheKinds lists the types that caches may have.
const cacheKinds = "f32 f16 bf16"

var cacheTypes = map[string]cacheType{
	"f16":  {2, func(_ *codegen.K, p codegen.Ptr) [4]codegen.I32 { return [4]codegen.I32(p.LdI32s(4)) }, true},
	"bf16": {2, loadBF16, false},
	"f32":  {4, loadF32, false},
}

func loadBF16(k *codegen.K, p codegen.Ptr) (out [4]codegen.I32) {
	for i, w := range p.LdI32s(4) {
		out[i] = k.PackH2(w.FromBF16(), w.And(0xffff0000).AsF32()).Bits()
	}
	return out
}

func loadF32(k *codegen.K, p codegen.Ptr) [4]codegen.I32 {
	return packEight(k, append(p.LdF32s(4), p.At(16).LdF32s(4)...))
}

// packEight rounds eight numbers to f16.
func packEight(k *codegen.K, x []codegen.F32) (out [4]codegen.I32) {
	for i := range out {
		out[i] = k.PackH2(x[2*i], x[2*i+1]).Bits()
	}
	return out
}

// cacheOf returns the type of a cache whose rows are read 8 elements at a time.
func cacheOf(o codegen.OperandSpec) (cacheType, error) {
	c, ok := cacheTypes[o.DType]
	if !ok {
		return c, fmt.Errorf("caches of %s: want one of %s", o.DType, cacheKinds)
	}
	if o.Width()%8 != 0 {
		return c, fmt.Errorf("cache rows of %d elements: want a multiple of 8", o.Width())
	}
	return c, nil
}

// fits says whether a block of the target has the shared memory.
func fits(s *codegen.Spec, shared int) error {
	if shared > s.Target.SharedBlock {
		return fmt.Errorf("%d bytes of shared memory, a block on %s has %d", shared, s.Target.Name, s.Target.SharedBlock)
	}
	return nil
}
