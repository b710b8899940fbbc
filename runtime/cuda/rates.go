package cuda

import (
	"context"
	"errors"

	"dsac/runtime/plan"
)

// Rates are what a device does at best, measured.
type Rates struct {
	Copy float64 `json:"copy_bytes_per_s"` // device copy, bytes read and written
	MMA  float64 `json:"mma_flop_per_s"`   // mma.sync, f16 with f32 sums
}

// Shape of the launches that measure rates.
const (
	rateThreads = 256
	fillBlocks  = 8        // per SM
	copyWords   = 4        // 16-byte words that a thread has in flight
	mmaBlocks   = 2        // per SM
	mmaRounds   = 2048     //
	mmaFlops    = 8 * 4096 // of a warp per round: eight m16n8k16
	rateRounds  = 10       // launches in a graph
)

// copyBlocks are the blocks per SM that copies are tried with, each a divisor of copyUnit:
// devices differ in which is fastest, and the fastest counts. Zero is one block per piece.
var copyBlocks = [...]int{8, 16, 32, 0}

const copyUnit = 32

// rates measures the device on free memory.
func (m *meter) rates(ctx context.Context) (Rates, error) {
	var r Rates
	free, _, err := m.drv.memory()
	if err != nil {
		return r, err
	}
	sms := max(1, m.drv.gpu().SMs)
	unit := uint64(sms * copyUnit * rateThreads * copyWords * 16)
	bytes := max(1, min(1<<30, free/8)/unit) * unit
	at, err := m.drv.alloc(2 * bytes)
	if err != nil {
		return r, err
	}
	var t Timing
	for _, perSM := range copyBlocks {
		blocks := sms * perSM
		if perSM == 0 {
			blocks = int(bytes / (rateThreads * copyWords * 16))
		}
		if t, err = m.time(ctx, m.repeat(meterCopy, blocks, at+bytes, at, bytes/16), rateRounds, nil); err != nil {
			break
		}
		if t.Micros > 0 {
			r.Copy = max(r.Copy, float64(2*bytes)/t.Micros*1e6)
		}
	}
	if err == nil {
		t, err = m.time(ctx, m.repeat(meterMMA, sms*mmaBlocks, at, mmaRounds), rateRounds, nil)
	}
	if err == nil && t.Micros > 0 {
		r.MMA = float64(sms*mmaBlocks*rateThreads/32) * mmaRounds * mmaFlops / t.Micros * 1e6
	}
	return r, errors.Join(err, m.drv.release(at))
}

// repeat returns a graph of rateRounds equal launches.
func (m *meter) repeat(kernel, blocks int, params ...uint64) *graph {
	nodes := make([]node, rateRounds)
	for i := range nodes {
		nodes[i] = m.node(kernel, blocks, params...)
	}
	return chain(nodes)
}

// node is a launch of one of the meter's kernels.
func (m *meter) node(kernel, blocks int, params ...uint64) node {
	return node{kind: kernelNode, launch: plan.None, fn: m.kernels[kernel],
		grid: [3]uint32{uint32(blocks), 1, 1}, block: [3]uint32{rateThreads, 1, 1}, params: params}
}

// spread fills bytes at an address with a pattern, both whole 16-byte words.
func (m *meter) spread(ctx context.Context, at, bytes, pattern, period uint64) error {
	n := m.node(meterFill, max(1, m.drv.gpu().SMs)*fillBlocks, at, bytes/16, pattern, period/16)
	if err := m.drv.launchNode(&n); err != nil {
		return err
	}
	return m.wait(ctx)
}
