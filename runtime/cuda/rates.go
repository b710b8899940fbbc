package cuda

import (
	"context"
	"errors"
	"slices"

	"dsac/runtime/plan"
)

// Rates are what a device does at best, measured.
type Rates struct {
	Copy float64 `json:"copy_bytes_per_s"` // device copy, bytes read and written
	MMA  float64 `json:"mma_flop_per_s"`   // mma.sync, f16 with f32 sums
}

// Shape of the launches that measure rates.
const (
	copyThreads = 128
	rateThreads = 256      // of the others
	fillBlocks  = 8        // per SM
	mmaBlocks   = 2        // per SM
	mmaRounds   = 2048     //
	mmaFlops    = 8 * 4096 // of a warp per round: eight m16n8k16
	rateRounds  = 10       // launches in a graph
	copyBytes   = 1 << 30  // of one copy, if the memory is there
)

// rates measures the device on free memory.
func (m *meter) rates(ctx context.Context) (Rates, error) {
	var r Rates
	free, _, err := m.drv.memory()
	if err != nil {
		return r, err
	}
	sms := max(1, m.drv.gpu().SMs)
	bytes := max(1<<20, min(copyBytes, free/8)) &^ 0xfff
	at, err := m.drv.alloc(2 * bytes)
	if err != nil {
		return r, err
	}
	copies := m.node(meterCopy, int(bytes/16/copyThreads), copyThreads, at+bytes, at, bytes/16)
	t, err := m.time(ctx, repeat(copies), rateRounds, nil)
	if err == nil && t.Micros > 0 {
		r.Copy = float64(2*bytes) / t.Micros * 1e6
	}
	if err == nil {
		t, err = m.time(ctx, repeat(m.node(meterMMA, sms*mmaBlocks, rateThreads, at, mmaRounds)), rateRounds, nil)
	}
	if err == nil && t.Micros > 0 {
		r.MMA = float64(sms*mmaBlocks*rateThreads/32) * mmaRounds * mmaFlops / t.Micros * 1e6
	}
	return r, errors.Join(err, m.drv.release(at))
}

// repeat returns a graph of rateRounds equal launches.
func repeat(n node) *graph { return chain(slices.Repeat([]node{n}, rateRounds), nil) }

// node is a launch of one of the meter's kernels.
func (m *meter) node(kernel, blocks, threads int, params ...uint64) node {
	return node{kind: kernelNode, launch: plan.None, fn: m.kernels[kernel],
		grid: [3]uint32{uint32(blocks), 1, 1}, block: [3]uint32{uint32(threads), 1, 1}, params: params}
}

// spread fills bytes at an address with a pattern, both whole 16-byte words.
func (m *meter) spread(ctx context.Context, at, bytes, pattern, period uint64) error {
	n := m.node(meterFill, max(1, m.drv.gpu().SMs)*fillBlocks, rateThreads, at, bytes/16, pattern, period/16)
	if err := m.drv.launchNode(&n); err != nil {
		return err
	}
	return m.wait(ctx)
}
