package models

import (
	"fmt"
	"math"
	"sort"
	"testing"

	"dsac/runtime/gguf"
)

// brute computes DeepSeek-V3.2 in float64 straight from docs/spec/deepseek-v32.md: no graph, no
// op, no cache, every score of every pair of positions. It reads keys and tensors itself.
type brute struct {
	t  *testing.T
	f  *gguf.File
	ok map[string][]float64 // decoded tensors
}

type rows [][]float64

func (b *brute) n(key string) int {
	v, ok, err := b.f.Uint("deepseek32." + key)
	if err != nil || !ok {
		b.t.Fatalf("key %s: %v", key, err)
	}
	return int(v)
}

// real returns a key's value, or def when the file has none.
func (b *brute) real(key string, def float64) float64 {
	v, ok, err := b.f.Float("deepseek32." + key)
	if err != nil {
		b.t.Fatal(err)
	}
	if !ok {
		return def
	}
	return v
}

func (b *brute) w(format string, args ...any) []float64 {
	name := fmt.Sprintf(format, args...)
	if v := b.ok[name]; v != nil {
		return v
	}
	t := b.f.Tensor(name)
	if t == nil {
		b.t.Fatalf("no tensor %s", name)
	}
	data, err := b.f.Data(t)
	if err != nil {
		b.t.Fatal(err)
	}
	v32 := make([]float32, t.Elems())
	if err := t.Type.Decode(v32, data); err != nil {
		b.t.Fatal(err)
	}
	v := make([]float64, len(v32))
	for i, x := range v32 {
		v[i] = float64(x)
	}
	b.ok[name] = v
	return v
}

// mul is W x for a matrix stored row after row.
func mul(w, x []float64) []float64 {
	y := make([]float64, len(w)/len(x))
	for i := range y {
		for j, v := range x {
			y[i] += w[i*len(x)+j] * v
		}
	}
	return y
}

func rms(x, w []float64, eps float64) []float64 {
	var s float64
	for _, v := range x {
		s += v * v
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = w[i] * v / math.Sqrt(s/float64(len(x))+eps)
	}
	return y
}

func layerNorm(x, w, bias []float64) []float64 {
	var mean, variance float64
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = w[i]*(v-mean)/math.Sqrt(variance+1e-6) + bias[i]
	}
	return y
}

// angle of pair i at a position (section 5 of the specification).
func (b *brute) angle(pos, i, d int) float64 {
	base := b.real("rope.freq_base", 0)
	f := math.Pow(base, -2*float64(i)/float64(d))
	s := b.real("rope.scaling.factor", 1)
	if s == 1 {
		return float64(pos) * f
	}
	dim := func(r float64) float64 {
		return float64(d) * math.Log(float64(b.n("rope.scaling.original_context_length"))/(2*math.Pi*r)) / (2 * math.Log(base))
	}
	low := math.Max(math.Floor(dim(b.real("rope.scaling.yarn_beta_fast", 32))), 0)
	high := math.Min(math.Ceil(dim(b.real("rope.scaling.yarn_beta_slow", 1))), float64(d-1))
	ramp := math.Min(math.Max((float64(i)-low)/math.Max(high-low, 0.001), 0), 1)
	return float64(pos) * (f/s*ramp + f*(1-ramp))
}

// rotate turns x in place; pair i is (x[first(i)], x[first(i)+gap]).
func (b *brute) rotate(x []float64, pos int, half bool) {
	d := len(x)
	for i := range d / 2 {
		p, q := 2*i, 2*i+1
		if half {
			p, q = i, i+d/2
		}
		sin, cos := math.Sincos(b.angle(pos, i, d))
		x[p], x[q] = x[p]*cos-x[q]*sin, x[p]*sin+x[q]*cos
	}
}

func dot(a, b []float64) (s float64) {
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

func silu(x float64) float64 { return x / (1 + math.Exp(-x)) }

// best returns the k indices of the largest values, ties to the lower one.
func best(v []float64, k int) []int {
	idx := make([]int, len(v))
	for i := range idx {
		idx[i] = i
	}
	sort.SliceStable(idx, func(i, j int) bool { return v[idx[i]] > v[idx[j]] })
	return idx[:min(k, len(idx))]
}

func (b *brute) logits(ids []int32) rows {
	dim, eps := b.n("embedding_length"), b.real("attention.layer_norm_rms_epsilon", 0)
	x := make(rows, len(ids))
	for t, id := range ids {
		x[t] = append([]float64(nil), b.w("token_embd.weight")[int(id)*dim:][:dim]...)
	}
	trunk := b.n("block_count")
	if v, ok, _ := b.f.Uint("deepseek32.nextn_predict_layers"); ok {
		trunk -= int(v)
	}
	for l := range trunk {
		b.attention(l, x, eps)
		for t := range x {
			y := b.feedForward(l, rms(x[t], b.w("blk.%d.ffn_norm.weight", l), eps))
			for i := range y {
				x[t][i] += y[i]
			}
		}
	}
	out := make(rows, len(x))
	for t := range x {
		out[t] = mul(b.w("output.weight"), rms(x[t], b.w("output_norm.weight"), eps))
	}
	return out
}

func (b *brute) attention(l int, x rows, eps float64) {
	heads, rope, rank := b.n("attention.head_count"), b.n("rope.dimension_count"), b.n("attention.kv_lora_rank")
	hd, vd := b.n("attention.key_length_mla"), b.n("attention.value_length_mla")
	nope := hd - rope
	scale := 1 / math.Sqrt(float64(hd))
	if s := b.real("rope.scaling.factor", 1); s != 1 {
		m := 1 + b.real("rope.scaling.yarn_log_multiplier", 0)*math.Log(s)
		scale *= m * m
	}
	kb, vb := b.w("blk.%d.attn_k_b.weight", l), b.w("blk.%d.attn_v_b.weight", l)
	a, q, c, kpe := make(rows, len(x)), make(rows, len(x)), make(rows, len(x)), make(rows, len(x))
	qr := make(rows, len(x))
	for t := range x {
		a[t] = rms(x[t], b.w("blk.%d.attn_norm.weight", l), eps)
		qr[t] = rms(mul(b.w("blk.%d.attn_q_a.weight", l), a[t]), b.w("blk.%d.attn_q_a_norm.weight", l), eps)
		q[t] = mul(b.w("blk.%d.attn_q_b.weight", l), qr[t])
		for h := range heads {
			b.rotate(q[t][h*hd+nope:(h+1)*hd], t, false)
		}
		ckv := mul(b.w("blk.%d.attn_kv_a_mqa.weight", l), a[t])
		c[t], kpe[t] = rms(ckv[:rank], b.w("blk.%d.attn_kv_a_norm.weight", l), eps), ckv[rank:]
		b.rotate(kpe[t], t, false)
	}
	chosen := b.choose(l, a, qr)
	for t := range x {
		o := make([]float64, heads*vd)
		for h := range heads {
			var p []float64
			sum := 0.0
			for _, s := range chosen[t] {
				score := dot(q[t][h*hd+nope:(h+1)*hd], kpe[s])
				for r := range rank { // q . (W^K c), with W^K stored transposed
					score += c[s][r] * dot(q[t][h*hd:h*hd+nope], kb[(h*rank+r)*nope:])
				}
				p = append(p, math.Exp(scale*score))
				sum += p[len(p)-1]
			}
			for i, s := range chosen[t] {
				for v := range vd {
					o[h*vd+v] += p[i] / sum * dot(c[s], vb[(h*vd+v)*rank:])
				}
			}
		}
		for i, v := range mul(b.w("blk.%d.attn_output.weight", l), o) {
			x[t][i] += v
		}
	}
}

// choose returns the positions that each row may see.
func (b *brute) choose(l int, a, qr rows) [][]int {
	heads, id, rope := b.n("attention.indexer.head_count"), b.n("attention.indexer.key_length"), b.n("rope.dimension_count")
	keys := make(rows, len(a))
	out := make([][]int, len(a))
	for t := range a {
		keys[t] = layerNorm(mul(b.w("blk.%d.indexer.attn_k.weight", l), a[t]),
			b.w("blk.%d.indexer.k_norm.weight", l), b.w("blk.%d.indexer.k_norm.bias", l))
		b.rotate(keys[t][:rope], t, true)
		q := mul(b.w("blk.%d.indexer.attn_q_b.weight", l), qr[t])
		w := mul(b.w("blk.%d.indexer.proj.weight", l), a[t])
		score := make([]float64, t+1)
		for h := range heads {
			b.rotate(q[h*id:h*id+rope], t, true)
			for s := range score {
				score[s] += w[h] * math.Max(dot(q[h*id:(h+1)*id], keys[s]), 0) / math.Sqrt(float64(id*heads))
			}
		}
		out[t] = best(score, b.n("attention.indexer.top_k"))
	}
	return out
}

func swiglu(gate, up, down, f []float64) []float64 {
	g, u := mul(gate, f), mul(up, f)
	for i := range g {
		g[i] = silu(g[i]) * u[i]
	}
	return mul(down, g)
}

func (b *brute) feedForward(l int, f []float64) []float64 {
	ffn := func(kind string, e, of int) []float64 {
		var m [3][]float64
		for i, name := range []string{"gate", "up", "down"} {
			w := b.w("blk.%d.ffn_%s%s.weight", l, name, kind)
			m[i] = w[e*len(w)/of : (e+1)*len(w)/of]
		}
		return swiglu(m[0], m[1], m[2], f)
	}
	if l < b.n("leading_dense_block_count") {
		return ffn("", 0, 1)
	}
	p := mul(b.w("blk.%d.ffn_gate_inp.weight", l), f)
	sel := make([]float64, len(p))
	for i := range p {
		p[i] = 1 / (1 + math.Exp(-p[i]))
		sel[i] = p[i] + b.w("blk.%d.exp_probs_b.bias", l)[i]
	}
	groups := b.n("expert_group_count")
	size := len(sel) / groups
	score := make([]float64, groups)
	for g := range groups {
		for _, i := range best(sel[g*size:(g+1)*size], 2) {
			score[g] += sel[g*size+i]
		}
	}
	masked := make([]float64, len(sel))
	for i := range masked {
		masked[i] = math.Inf(-1)
	}
	for _, g := range best(score, b.n("expert_group_used_count")) {
		copy(masked[g*size:(g+1)*size], sel[g*size:])
	}
	used := best(masked, b.n("expert_used_count"))
	var sum float64
	for _, e := range used {
		sum += p[e]
	}
	y := ffn("_shexp", 0, 1)
	for _, e := range used {
		for i, v := range ffn("_exps", e, len(p)) {
			y[i] += b.real("expert_weights_scale", 1) * p[e] / sum * v
		}
	}
	return y
}
