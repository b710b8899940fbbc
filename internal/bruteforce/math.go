package bruteforce

import "math"

func dot(a, b []float64) float64 {
	b = b[:len(a)]
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// mul returns W x; W is stored row after row.
func mul(w, x []float64) []float64 {
	y := make([]float64, len(w)/len(x))
	for i := range y {
		y[i] = dot(w[i*len(x):][:len(x)], x)
	}
	return y
}

// mulAll applies W to every row.
func mulAll(w []float64, x [][]float64) [][]float64 {
	y := make([][]float64, len(x))
	for t := range x {
		y[t] = mul(w, x[t])
	}
	return y
}

// rmsNorm: G 2.0.
func rmsNorm(x, w []float64, eps float64) []float64 {
	root := math.Sqrt(dot(x, x)/float64(len(x)) + eps)
	y := make([]float64, len(x))
	for i := range x {
		y[i] = w[i] * x[i] / root
	}
	return y
}

func rmsNormAll(x [][]float64, w []float64, eps float64) [][]float64 {
	y := make([][]float64, len(x))
	for t := range x {
		y[t] = rmsNorm(x[t], w, eps)
	}
	return y
}

// layerNorm: G 2.0, biased variance.
func layerNorm(x, w, b []float64, eps float64) []float64 {
	mean, variance := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = w[i]*(v-mean)/math.Sqrt(variance+eps) + b[i]
	}
	return y
}

func softmax(x []float64) []float64 {
	most := math.Inf(-1)
	for _, v := range x {
		most = max(most, v)
	}
	y, sum := make([]float64, len(x)), 0.0
	for i, v := range x {
		y[i] = math.Exp(v - most)
		sum += y[i]
	}
	for i := range y {
		y[i] /= sum
	}
	return y
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// swiglu: G 2.0.
func swiglu(gate, up, down, x []float64) []float64 {
	h, u := mul(gate, x), mul(up, x)
	for i, v := range h {
		h[i] = v * sigmoid(v) * u[i]
	}
	return mul(down, h)
}

func addTo(x, y []float64) {
	for i := range x {
		x[i] += y[i]
	}
}
