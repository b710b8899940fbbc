package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"dsac/passes/cost"
	"dsac/runtime/cuda"
)

// benchRun is a run of bench kernels or bench model: what --json writes and --compare reads.
type benchRun struct {
	Kind    string     `json:"kind"` // kernels, model
	Version string     `json:"dsac"`
	Device  string     `json:"device"`
	Target  string     `json:"target"`           // of the plan
	Layers  int        `json:"layers,omitempty"` // of the model
	Rates   cuda.Rates `json:"rates"`
	Rows    []benchRow `json:"rows"`
}

// benchRow is one measurement.
type benchRow struct {
	Name      string  `json:"name"` // unique in a run
	What      string  `json:"what"` // op for kernels; prefill, decode, or an op kind of these
	Layers    int     `json:"layers,omitempty"`
	Depth     int     `json:"depth,omitempty"` // rows in the caches before
	Tokens    int     `json:"tokens"`
	Launches  int     `json:"launches,omitempty"`
	Micros    float64 `json:"us"`     // median
	Spread    float64 `json:"spread"` // half of the distance between the quartiles, as a part of the median
	Runs      int     `json:"runs"`
	Bytes     float64 `json:"bytes"` // of weights and caches that are read; where there are none, all that is moved
	Floor     float64 `json:"floor"` // bytes of weights and caches that are read
	Flops     float64 `json:"flops"`
	Rate      float64 `json:"tok_per_s,omitempty"`
	Attention string  `json:"attention,omitempty"`
	Error     string  `json:"error,omitempty"` // why it was not measured
}

// count enters what a row must read and compute.
func (r *benchRow) count(w cost.Work) { r.Bytes, r.Floor, r.Flops = w.Bytes(), w.Floor(), w.Flops }

// ofCopy is the part of the device's copy bandwidth at which the row's bytes move.
func (r *benchRow) ofCopy(rates cuda.Rates) float64 { return ratio(r.Bytes/r.Micros*1e6, rates.Copy) }

// tflops is the rate of multiply-adds, counted twice each.
func (r *benchRow) tflops() float64 { return ratio(r.Flops, r.Micros*1e6) }

func (r *benchRow) ofPeak(rates cuda.Rates) float64 { return ratio(r.tflops()*1e12, rates.MMA) }

// ratio is a/b, and 0 where b is unknown.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func (b *benchRun) write(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(b)
}

// readBench reads a run of the same kind.
func readBench(path, kind string) (*benchRun, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	b := &benchRun{}
	if err := json.Unmarshal(data, b); err != nil {
		return nil, fmt.Errorf("%s is not what dsac bench %s --json writes: %w", path, kind, err)
	}
	if b.Kind != kind {
		return nil, fmt.Errorf("%s holds a run of bench %q, want one of dsac bench %s --json", path, b.Kind, kind)
	}
	return b, nil
}

// leastNoise is the change that no two runs on a quiet device are without.
const leastNoise = 0.03

// change says how a row's time compares with that of an earlier run, in a column: empty when
// there was none, marked when it is more than both rows' spread explains.
func (b *benchRun) change(now *benchRow) string {
	if b == nil {
		return ""
	}
	for i := range b.Rows {
		was := &b.Rows[i]
		if was.Name != now.Name || was.Micros == 0 || now.Micros == 0 {
			continue
		}
		r := now.Micros / was.Micros
		switch noise := max(leastNoise, 2*(was.Spread+now.Spread)); {
		case r > 1+noise:
			return fmt.Sprintf("  x%.3f slower", r)
		case r < 1/(1+noise):
			return fmt.Sprintf("  x%.3f faster", r)
		default:
			return fmt.Sprintf("  x%.3f", r)
		}
	}
	return "  new"
}
