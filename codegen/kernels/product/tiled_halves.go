package product

import "dsac/codegen"

// halfBlocks lets one half of a block's warps be half a stage behind the other. A scheduler of a
// multiprocessor has two of eight warps, numbers w and w+4, one of each half. If they were in step
// both would open a stage and make operands at the same time, and its tensor cores wait.
//
//	             | interval    | interval    | interval      |
//	warps 0..3:  | s, first    | s, second   | s+1, first    |
//	warps 4..7:  | s-1, second | s, first    | s, second     |
//
// All meet between intervals. Through the second one with a stage s the buffer of stage s-1 is free:
// then copies begin for stage s+2, and end in the next one.
type halfBlocks struct {
	k       *codegen.K
	threads int
	late    codegen.Pred // this warp is of the second half
}

func (e *tiling) newHalves() halfBlocks {
	return halfBlocks{k: e.k, threads: e.threads(), late: e.k.Warp().Ge(e.warps / 2)}
}

func (h *halfBlocks) begin() { h.k.If(h.late, h.meet) }
func (h *halfBlocks) end()   { h.k.If(h.late.Not(), h.meet) }

// meet waits for the other half.
func (h *halfBlocks) meet() { h.k.SyncPart(1, h.threads) }
