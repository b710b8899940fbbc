package bruteforce

import (
	"fmt"

	"dsac/runtime/gguf"
)

// weights decodes tensors when they are first asked for, and keeps them.
type weights struct {
	file    *gguf.File
	decoded map[string][]float64
}

// tensor returns the values of a tensor that must have the given shape, outermost first.
func (w *weights) tensor(name string, shape ...int) ([]float64, error) {
	t := w.file.Tensor(name)
	if t == nil {
		return nil, fmt.Errorf("%s: no tensor %q", w.file.Path, name)
	}
	same := len(t.Dims) == len(shape)
	for i := 0; same && i < len(shape); i++ {
		same = t.Dims[len(shape)-1-i] == uint64(shape[i])
	}
	if !same {
		return nil, fmt.Errorf("%s: tensor %q is %v, want the reverse of %v", w.file.Path, name, t.Dims, shape)
	}
	if v, ok := w.decoded[name]; ok {
		return v, nil
	}
	raw, err := w.file.Data(t)
	if err != nil {
		return nil, err
	}
	v := make([]float64, t.Elems())
	if err := t.Type.Decode64(v, raw); err != nil {
		return nil, fmt.Errorf("%s: tensor %q: %w", w.file.Path, name, err)
	}
	w.decoded[name] = v
	return v, nil
}

// block reads the tensors of one block and keeps the first error.
type block struct {
	*weights
	layer int
	err   error
}

// get returns blk.N.<name>; after an error it returns zeros of the right shape.
func (b *block) get(name string, shape ...int) []float64 {
	if b.err == nil {
		v, err := b.tensor(fmt.Sprintf("blk.%d.%s", b.layer, name), shape...)
		if err == nil {
			return v
		}
		b.err = err
	}
	n := 1
	for _, d := range shape {
		n *= d
	}
	return make([]float64, n)
}
