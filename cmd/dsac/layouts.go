package main

import (
	"dsac/runtime/plan"
	"dsac/runtime/quant/repack"
)

// weightLayouts are the transforms that weights go through when the emulator loads them, by the
// name of the layout in the plan: from the file's bytes to the kernels'. GPUs repack by themselves.
func weightLayouts() map[string]func(w *plan.Weight, data []byte) ([]byte, error) {
	m := make(map[string]func(w *plan.Weight, data []byte) ([]byte, error))
	for i := range repack.Layouts {
		l := &repack.Layouts[i]
		m[l.Name] = func(w *plan.Weight, data []byte) ([]byte, error) { return packed(l, w, data) }
	}
	return m
}

// packed repacks a tensor matrix by matrix.
func packed(l *repack.Layout, w *plan.Weight, data []byte) ([]byte, error) {
	cols, rows, matrices := int(w.Dims[0]), int(w.Dims[1]), int(w.Dims[2]*w.Dims[3])
	size, err := l.Bytes(rows, cols)
	if err != nil {
		return nil, err
	}
	out := make([]byte, int(size)*matrices)
	part := len(data) / matrices
	for i := range matrices {
		if err := l.Pack(out[i*int(size):][:size], data[i*part:][:part], rows, cols); err != nil {
			return nil, err
		}
	}
	return out, nil
}
