package bruteforce

import "math"

// weightFloor bounds the sum that expert weights are divided by from below (G 2.4).
const weightFloor = 6.103515625e-5

// feedForward returns what block b adds to the residual stream for one row f, and the
// experts it took (G 2.4).
func (m *Model) feedForward(b *block, f []float64) (y []float64, r route) {
	c := m.config
	if b.layer < c.dense {
		return swiglu(b.get("ffn_gate.weight", c.ffn, c.hidden), b.get("ffn_up.weight", c.ffn, c.hidden),
			b.get("ffn_down.weight", c.hidden, c.ffn), f), route{gap: noGap}
	}
	n := c.expertFFN
	r = m.route(mul(b.get("ffn_gate_inp.weight", c.experts, c.hidden), f), b.get("exp_probs_b.bias", c.experts))
	gate, up := b.get("ffn_gate_exps.weight", c.experts, n, c.hidden), b.get("ffn_up_exps.weight", c.experts, n, c.hidden)
	down := b.get("ffn_down_exps.weight", c.experts, c.hidden, n)
	s := n * c.shared
	y = swiglu(b.get("ffn_gate_shexp.weight", s, c.hidden), b.get("ffn_up_shexp.weight", s, c.hidden),
		b.get("ffn_down_shexp.weight", c.hidden, s), f)
	size := n * c.hidden
	for i, e := range r.experts {
		for j, v := range swiglu(gate[e*size:][:size], up[e*size:][:size], down[e*size:][:size], f) {
			y[j] += r.weights[i] * v
		}
	}
	return y, r
}

// route is the choice of experts of one row.
type route struct {
	experts []int // ascending
	weights []float64
	gap     float64
}

// route chooses experts by the biased sigmoids of z, within the best groups (D 4.3), and weighs
// them by the unbiased ones.
func (m *Model) route(z, bias []float64) route {
	c := m.config
	p, biased := make([]float64, len(z)), make([]float64, len(z))
	for e := range z {
		p[e] = sigmoid(z[e])
		biased[e] = p[e] + bias[e]
	}
	groupGap := keepGroups(biased, c.groups, c.groupsUsed)
	experts, gap := best(biased, c.used)
	r := route{experts: experts, gap: min(gap, groupGap)}
	sum := 0.0
	for _, e := range r.experts {
		sum += p[e]
	}
	for _, e := range r.experts {
		g := p[e]
		if c.normalise {
			g /= max(sum, weightFloor)
		}
		r.weights = append(r.weights, c.scale*g)
	}
	return r
}

// keepGroups makes the scores of all but the best groups minus infinity and returns the gap of
// that choice. A group is worth the sum of its two largest scores.
func keepGroups(scores []float64, groups, used int) (gap float64) {
	if groups <= 1 {
		return noGap
	}
	size := len(scores) / groups
	worth := make([]float64, groups)
	for g := range worth {
		two, _ := best(scores[g*size:][:size], 2)
		for _, i := range two {
			worth[g] += scores[g*size+i]
		}
	}
	kept, gap := best(worth, used)
	for g := range worth {
		if len(kept) > 0 && kept[0] == g {
			kept = kept[1:]
			continue
		}
		for i := range size {
			scores[g*size+i] = math.Inf(-1)
		}
	}
	return gap
}
