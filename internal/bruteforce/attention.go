package bruteforce

// attention adds the attention of block b to x (G 2.2, the naive form: keys and values of every
// head are expanded from the latent). It returns the choice that it used.
func (m *Model) attention(b *block, x [][]float64, earlier [][]int) (chosen [][]int, gap float64) {
	c := m.config
	head := c.nope + c.rope
	a := rmsNormAll(x, b.get("attn_norm.weight", c.hidden), c.eps)
	qr := rmsNormAll(mulAll(b.get("attn_q_a.weight", c.qRank, c.hidden), a), b.get("attn_q_a_norm.weight", c.qRank), c.eps)
	q := mulAll(b.get("attn_q_b.weight", c.heads*head, c.qRank), qr)
	kv := mulAll(b.get("attn_kv_a_mqa.weight", c.kvRank+c.rope, c.hidden), a)
	norm := b.get("attn_kv_a_norm.weight", c.kvRank)
	latent, kpe := make([][]float64, len(x)), make([][]float64, len(x))
	for t := range x {
		latent[t], kpe[t] = rmsNorm(kv[t][:c.kvRank], norm, c.eps), kv[t][c.kvRank:]
		m.rotation.pairs(kpe[t], t)
		for h := range c.heads {
			m.rotation.pairs(q[t][h*head+c.nope:][:c.rope], t)
		}
	}
	chosen, gap = earlier, noGap
	if c.full[b.layer] {
		chosen, gap = m.choose(b, a, qr)
	}
	kb := b.get("attn_k_b.weight", c.heads, c.kvRank, c.nope)
	vb := b.get("attn_v_b.weight", c.heads, c.v, c.kvRank)
	outs := make([][]float64, len(x))
	for h := range c.heads {
		keys, values := make([][]float64, len(x)), make([][]float64, len(x))
		for s := range x {
			keys[s] = append(m.key(kb[h*c.kvRank*c.nope:], latent[s]), kpe[s]...)
			values[s] = mul(vb[h*c.v*c.kvRank:][:c.v*c.kvRank], latent[s])
		}
		for t := range x {
			outs[t] = append(outs[t], attend(q[t][h*head:][:head], keys, values, chosen[t], c.attentionScale())...)
		}
	}
	for t, y := range mulAll(b.get("attn_output.weight", c.hidden, c.heads*c.v), outs) {
		addTo(x[t], y)
	}
	return chosen, gap
}

// key expands the part of a head's key that has no position. kb holds the head's matrix
// transposed: one row of nope values per value of the latent (G 4.4).
func (m *Model) key(kb, latent []float64) []float64 {
	n := m.config.nope
	k := make([]float64, n, n+m.config.rope)
	for j, v := range latent {
		for i := range k {
			k[i] += v * kb[j*n+i]
		}
	}
	return k
}

// attend is the attention of one query of one head over the chosen positions.
func attend(q []float64, keys, values [][]float64, chosen []int, scale float64) []float64 {
	scores := make([]float64, len(chosen))
	for i, s := range chosen {
		scores[i] = scale * dot(q, keys[s])
	}
	out := make([]float64, len(values[0]))
	for i, p := range softmax(scores) {
		for j, v := range values[chosen[i]] {
			out[j] += p * v
		}
	}
	return out
}
