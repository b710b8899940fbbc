package bruteforce

import (
	"fmt"
	"math"
	"slices"

	"dsac/runtime/gguf"
)

// noGap is the gap of a choice that leaves nothing out.
var noGap = math.Inf(1)

// Model is an open GGUF file. It is not for concurrent use.
type Model struct {
	config   *config
	weights  *weights
	rotation rotation
}

// Open reads the header of a GGUF file of architecture glm-dsa or deepseek32 (any of its files,
// when it is split); tensors are read as they are needed.
func Open(path string) (*Model, error) {
	f, err := gguf.Open(path)
	if err != nil {
		return nil, err
	}
	c, err := readConfig(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Model{config: c, weights: &weights{file: f, decoded: map[string][]float64{}}, rotation: newRotation(c)}, nil
}

// Close closes the file.
func (m *Model) Close() error { return m.weights.file.Close() }

// Vocab returns the number of logits of a row.
func (m *Model) Vocab() int { return m.config.vocab }

// Result is what a forward pass found.
type Result struct {
	Logits  [][]float64 // [token][vocabulary]
	Chosen  [][][]int   // [layer][token]: the positions attended to, ascending; shared layers repeat an earlier list
	Experts [][][]int   // [layer][token]: the experts used, ascending; nil on dense layers
	// Gap is the narrowest distance between a score that was chosen and one that was not, over
	// positions, groups and experts. A computation whose scores err by more may choose otherwise.
	Gap float64
}

// Forward runs the ids from an empty context.
func (m *Model) Forward(ids []int32) (*Result, error) {
	c := m.config
	embd, err := m.weights.tensor("token_embd.weight", c.vocab, c.hidden)
	if err != nil {
		return nil, err
	}
	x := make([][]float64, len(ids))
	for t, id := range ids {
		if id < 0 || int(id) >= c.vocab {
			return nil, fmt.Errorf("token %d is %d: the vocabulary has ids 0 to %d", t, id, c.vocab-1)
		}
		x[t] = slices.Clone(embd[int(id)*c.hidden:][:c.hidden])
	}
	res := &Result{Gap: noGap}
	var chosen [][]int
	for l := range c.layers {
		b := &block{weights: m.weights, layer: l}
		var gap float64
		chosen, gap = m.attention(b, x, chosen)
		res.Chosen, res.Gap = append(res.Chosen, chosen), min(res.Gap, gap)
		var used [][]int
		for t, f := range rmsNormAll(x, b.get("ffn_norm.weight", c.hidden), c.eps) {
			y, r := m.feedForward(b, f)
			addTo(x[t], y)
			used, res.Gap = append(used, r.experts), min(res.Gap, r.gap)
		}
		res.Experts = append(res.Experts, used)
		if b.err != nil {
			return nil, b.err
		}
	}
	res.Logits, err = m.head(x)
	return res, err
}

// head turns the residual stream into logits.
func (m *Model) head(x [][]float64) ([][]float64, error) {
	c := m.config
	norm, err := m.weights.tensor("output_norm.weight", c.hidden)
	if err != nil {
		return nil, err
	}
	name := "output.weight"
	if m.weights.file.Tensor(name) == nil {
		name = "token_embd.weight" // tied (G 4.4)
	}
	w, err := m.weights.tensor(name, c.vocab, c.hidden)
	if err != nil {
		return nil, err
	}
	return mulAll(w, rmsNormAll(x, norm, c.eps)), nil
}
