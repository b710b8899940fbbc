// Package arena assigns offsets in one memory arena to buffers whose live intervals are known:
// no two buffers share a byte while both are live, and the arena is as small as the planner
// can make it, or fits a given capacity. It imports only the standard library; it knows
// buffers and nothing of graphs, steps or devices.
//
// Several greedy orders run first; real plans end there, with Height equal to Peak. What they
// leave is searched exactly, one time-connected part at a time, by several orders in parallel
// (search.go describes the search and its source). Every result passes Check before it is
// returned.
//
// The result is a function of the set of buffers and of Capacity and Nodes: neither the order
// of the input, nor timing, nor Workers changes a byte of it.
package arena

import (
	"context"
	"errors"
	"fmt"
)

// Buffer is one block of memory that must keep its bytes from Lower up to, not including, Upper.
type Buffer struct {
	Name         string
	Lower, Upper int64  // live interval [Lower, Upper), in steps or any other unit
	Size         uint64 // bytes; 0 is legal and takes no room
	Align        uint64 // bytes, a power of two; 0 means 1
	Fixed        bool   // the offset is given, not chosen
	Offset       uint64 // bytes from the arena's start, read when Fixed
}

// Options says what Plan aims at. The zero value minimises.
type Options struct {
	// Capacity is the arena's size in bytes; 0 minimises instead. Space is handed out in
	// grains (see Peak), so Capacity counts rounded down to one.
	Capacity uint64
	// Nodes limits the exact search: how many nodes each order may visit per time-connected
	// part. 0 means 1<<15 when minimising and 1<<26 for a given Capacity.
	Nodes int64
	// Workers is how many orders are searched at once; 0 means GOMAXPROCS.
	Workers int
}

// Result is a placement.
type Result struct {
	Offsets []uint64 // bytes from the arena's start, in the order of the input
	Height  uint64   // bytes, the arena's size: the highest end of a buffer, in whole grains
	Peak    uint64   // bytes, Peak of the input
	Optimal bool     // proved: no smaller height exists
	Stats
}

// Stats says how a placement was found.
type Stats struct {
	Parts int    // time-connected parts of the problem
	Order string // the order that placed the part with the most work
	Nodes int64  // search nodes of the winning orders; 0 when greedy orders sufficed
}

// ErrNoFit says that no placement exists within the capacity (proved).
var ErrNoFit = errors.New("buffers do not fit")

// ErrGaveUp says that the search ran out of nodes before it found a placement or proved that
// there is none.
var ErrGaveUp = errors.New("search limit reached")

// Plan places bufs. It fails on bad input; with ErrNoFit or ErrGaveUp when Capacity is given;
// with ErrNoFit when fixed buffers collide; and with ctx's error when ctx is done before the
// search is: a result never depends on how far the search came in time.
func Plan(ctx context.Context, bufs []Buffer, opt Options) (Result, error) {
	p, err := newProblem(bufs)
	if err != nil {
		return Result{}, fmt.Errorf("arena: %w", err)
	}
	s := solver{problem: p, opt: opt, capacity: ceiling}
	if opt.Capacity > 0 {
		s.capacity = int64(min(opt.Capacity/p.grain, ceiling))
	}
	if err := s.solve(ctx); err != nil {
		return Result{}, fmt.Errorf("arena: %w", err)
	}
	r := Result{Offsets: make([]uint64, len(bufs)), Peak: Peak(bufs), Optimal: s.optimal, Stats: s.stats}
	for i, it := range p.items {
		r.Offsets[it.index] = uint64(s.offsets[i]) * p.grain
		r.Height = max(r.Height, uint64(s.offsets[i]+it.size)*p.grain)
	}
	size := r.Height
	if opt.Capacity > 0 {
		size = opt.Capacity
	}
	if err := Check(bufs, r.Offsets, size); err != nil {
		panic(fmt.Sprintf("BUG: arena: plan of %d buffers is wrong: %v", len(bufs), err))
	}
	return r, nil
}
