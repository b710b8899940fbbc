package models

import (
	"strconv"

	"dsac/runtime/gguf"
)

// FromGGUF presents an open file, or the header of one, to Bind.
func FromGGUF(f *gguf.File) Header { return ggufHeader{f} }

type ggufHeader struct{ f *gguf.File }

func (h ggufHeader) Arch() string { return h.f.Arch() }

// Value looks at the kind first, so that the getters' errors about kinds cannot occur. An
// unsigned value beyond int64 counts as absent: no hyper-parameter has one.
func (h ggufHeader) Value(name string) (any, bool) {
	k := h.f.Key(name)
	if k == nil {
		return nil, false
	}
	switch k.Kind {
	case gguf.Bool:
		v, ok, _ := h.f.Bool(name)
		return v, ok
	case gguf.String:
		v, ok, _ := h.f.String(name)
		return v, ok
	case gguf.Float32:
		v, ok, _ := h.f.Float(name)
		return decimal32(v), ok
	case gguf.Float64:
		v, ok, _ := h.f.Float(name)
		return v, ok
	case gguf.Array:
		return h.list(name, k)
	}
	v, err := strconv.ParseInt(k.Text(1), 10, 64)
	return v, err == nil
}

// decimal32 returns the decimal number that a float32 was written for: 1e-05, not
// 9.999999747378752e-06.
func decimal32(v float64) float64 {
	d, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', -1, 32), 64)
	if err != nil {
		return v // an infinity beyond float32
	}
	return d
}

func (h ggufHeader) list(name string, k *gguf.Key) (any, bool) {
	switch k.Elem {
	case gguf.Bool:
		v, ok, _ := h.f.Bools(name)
		return list[bool](v), ok
	case gguf.String:
		v, ok, _ := h.f.Strings(name)
		return &stringList{n: v.Len(), load: v.Slice}, ok
	case gguf.Float32, gguf.Float64, gguf.Array:
		return list[float64](nil), false
	}
	v, ok, _ := h.f.Ints(name)
	return list[int64](v), ok
}

func (h ggufHeader) Tensors() []Tensor {
	out := make([]Tensor, len(h.f.Tensors))
	for i, t := range h.f.Tensors {
		dims := make([]int, len(t.Dims))
		for j, d := range t.Dims {
			dims[len(dims)-1-j] = int(d)
		}
		out[i] = Tensor{Name: t.Name, Type: t.Type, Dims: dims}
	}
	return out
}

// list is an Array over a slice.
type list[E any] []E

func (l list[E]) Len() int     { return len(l) }
func (l list[E]) At(i int) any { return l[i] }

// stringList copies the strings of a vocabulary only when one of them is asked for.
type stringList struct {
	n    int
	load func() []string
	all  []string
}

func (l *stringList) Len() int { return l.n }

func (l *stringList) At(i int) any {
	if l.all == nil {
		l.all = l.load()
	}
	return l.all[i]
}
