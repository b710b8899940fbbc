package plan

import (
	"fmt"
	"slices"
)

// Tensor is what a model file says about a tensor.
type Tensor struct {
	Name string
	Type string
	Dims []uint64 // GGUF order, innermost first; trailing ones may be left out
}

// WeightsMatch reports the first weight of p that the model's tensors do not provide as
// compiled: missing, of another type or shape. Tensors that the plan does not use are fine.
func WeightsMatch(p *Plan, tensors []Tensor) error {
	byName := make(map[string]*Tensor, len(tensors))
	for i := range tensors {
		byName[tensors[i].Name] = &tensors[i]
	}
	var first error
	wrong := 0
	for i := range p.Weights {
		w := &p.Weights[i]
		if err := p.weightMatches(w, byName[p.Str(w.Name)]); err != nil {
			if wrong++; first == nil {
				first = err
			}
		}
	}
	if wrong > 1 {
		return fmt.Errorf("plan was made for another model: %w (and %d more tensors differ)", first, wrong-1)
	}
	if first != nil {
		return fmt.Errorf("plan was made for another model: %w", first)
	}
	return nil
}

func (p *Plan) weightMatches(w *Weight, t *Tensor) error {
	name := p.Str(w.Name)
	if t == nil {
		return fmt.Errorf("the model has no tensor %s", name)
	}
	if want := p.Str(w.Type); t.Type != want {
		return fmt.Errorf("tensor %s is %s, the plan wants %s", name, t.Type, want)
	}
	got := trimOnes(t.Dims)
	if want := trimOnes(w.Dims[:]); !slices.Equal(got, want) {
		return fmt.Errorf("tensor %s is %v, the plan wants %v", name, got, want)
	}
	return nil
}

// trimOnes leaves trailing dimensions of 1 out, but for the first.
func trimOnes(d []uint64) []uint64 {
	for len(d) > 1 && d[len(d)-1] == 1 {
		d = d[:len(d)-1]
	}
	return d
}
