package bruteforce

import "math"

// choose returns the positions that each row attends to, ascending, and the narrowest gap of a
// choice (G 2.3, D 4.1 and 4.2). a is the normed input of the attention, qr the normed query
// latent.
func (m *Model) choose(b *block, a, qr [][]float64) (chosen [][]int, gap float64) {
	c, n := m.config, m.config.idxDim
	rotate := m.rotation.pairs
	if c.halfIndexer {
		rotate = m.rotation.halves
	}
	q := mulAll(b.get("indexer.attn_q_b.weight", c.idxHeads*n, c.qRank), qr)
	k := mulAll(b.get("indexer.attn_k.weight", n, c.hidden), a)
	w := mulAll(b.get("indexer.proj.weight", c.idxHeads, c.hidden), a)
	norm, bias := b.get("indexer.k_norm.weight", n), b.get("indexer.k_norm.bias", n)
	for t := range a {
		k[t] = layerNorm(k[t], norm, bias, indexerEps)
		rotate(k[t][:c.rope], t)
		for h := range c.idxHeads {
			rotate(q[t][h*n:][:c.rope], t)
		}
	}
	gap = math.Inf(1)
	for t := range a {
		scores := make([]float64, t+1) // positions after t are out of sight
		for s := range scores {
			for h := range c.idxHeads {
				// The two roots of D 4.2, where the public code has them.
				relu := max(0, dot(q[t][h*n:][:n], k[s])/math.Sqrt(float64(n)))
				scores[s] += w[t][h] / math.Sqrt(float64(c.idxHeads)) * relu
			}
		}
		list, g := best(scores, c.topK)
		chosen, gap = append(chosen, list), min(gap, g)
	}
	return chosen, gap
}
