package mutate

import (
	"slices"
	"strings"

	"dsac/runtime/plan"
)

// Operators on the weight table, which says what the bytes of each weight are.
var tableOperators = []Operator{
	{"weight-other-layer", "load the same tensor of another layer", otherLayerTensor},
	{"weight-exchange", "exchange two tensors of the same type and shape", exchangeTensors},
	{"weight-twice", "load a second tensor over a weight", tensorTwice},
	{"weight-type", "load a tensor as another type", tensorType},
	{"weight-shape", "exchange two dimensions of a tensor", tensorShape},
	{"weight-part", "load the part of another rank", otherPart},
	{"weight-unloaded", "leave a weight without a tensor", unloaded},
}

// fits says whether two rows load tensors of the same type, shape, layout and part.
func fits(a, b *plan.Weight) bool {
	x, y := *a, *b
	x.Name, x.Buf = y.Name, y.Buf
	return x == y
}

// likeTensor returns a random row and another one that fits it and for which keep holds.
func (m *mutant) likeTensor(keep func(a, b string) bool) (row, other *plan.Weight, ok bool) {
	i, ok := pick(m, indices(m.Weights))
	if !ok {
		return nil, nil, false
	}
	row = &m.Weights[i]
	like := slices.DeleteFunc(indices(m.Weights), func(j int) bool {
		o := &m.Weights[j]
		return o.Name == row.Name || !fits(o, row) || !keep(m.Str(row.Name), m.Str(o.Name))
	})
	j, ok := pick(m, like)
	if !ok {
		return nil, nil, false
	}
	return row, &m.Weights[j], true
}

func indices[T any](list []T) []int {
	out := make([]int, len(list))
	for i := range out {
		out[i] = i
	}
	return out
}

// inLayer splits the name of a tensor into its layer and what it is there: "blk.3.attn_q.weight".
func inLayer(name string) (layer, rest string, ok bool) {
	name, ok = strings.CutPrefix(name, "blk.")
	if !ok {
		return "", "", false
	}
	return strings.Cut(name, ".")
}

func otherLayerTensor(m *mutant) bool {
	a, b, ok := m.likeTensor(func(a, b string) bool {
		_, x, okA := inLayer(a)
		_, y, okB := inLayer(b)
		return okA && okB && x == y
	})
	if ok {
		a.Name = b.Name
	}
	return ok
}

func anyTensor(a, b string) bool { return true }

func exchangeTensors(m *mutant) bool {
	a, b, ok := m.likeTensor(anyTensor)
	if ok {
		a.Name, b.Name = b.Name, a.Name
	}
	return ok
}

func tensorTwice(m *mutant) bool {
	a, b, ok := m.likeTensor(anyTensor)
	if ok {
		second := *b
		second.Buf = a.Buf
		m.Weights = append(m.Weights, second)
	}
	return ok
}

func tensorType(m *mutant) bool {
	i, ok := pick(m, indices(m.Weights))
	if !ok {
		return false
	}
	w := &m.Weights[i]
	for _, o := range m.rng.Perm(len(m.Weights)) {
		if t := m.Weights[o].Type; t != w.Type {
			w.Type = t
			return true
		}
	}
	return false
}

func tensorShape(m *mutant) bool {
	i, ok := pick(m, slices.DeleteFunc(indices(m.Weights), func(i int) bool { return m.Weights[i].Dims[0] == m.Weights[i].Dims[1] }))
	if ok {
		d := &m.Weights[i].Dims
		d[0], d[1] = d[1], d[0]
	}
	return ok
}

func otherPart(m *mutant) bool {
	i, ok := pick(m, slices.DeleteFunc(indices(m.Weights), func(i int) bool { return m.Weights[i].Axis == plan.None }))
	if ok {
		w := &m.Weights[i]
		w.Lo, w.Hi = w.Hi, 2*w.Hi-w.Lo
	}
	return ok
}

func unloaded(m *mutant) bool {
	i, ok := pick(m, indices(m.Weights))
	if ok {
		m.Weights = slices.Delete(m.Weights, i, i+1)
	}
	return ok
}
