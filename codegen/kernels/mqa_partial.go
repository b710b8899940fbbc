package kernels

import "dsac/codegen"

// partial is attention of 16 or 32 heads over one part of a list, by a block: blocks (part, heads,
// query row). Rows come in tiles, one of which is worked on while the next arrives. Warps of
// their own ask for them: who asks must wait until the memory takes no more, and would not work
// meanwhile. Of the others, those that share the rows of a tile and their elements score it; a
// warp per head turns scores into weights; and every warp adds up its share of the value's
// columns.
//
//	shared memory:  a tile | another | queries, later scores by share of elements | weights | factors, twice | entries
//
// For one row a part has as few rows as keep the device busy with 16 heads to a block: two tiles,
// which are scored one after the other and then weighed together. With more rows there are blocks enough for 32 heads to share what a
// block gathers, which halves what comes out of the L2; number and length of parts come from the
// grid there, so that all numbers of rows share a kernel.
type partial struct {
	mqa
	parts, size int  // size: entries of a part
	warps       int  // that score and add up
	shares      int  // of the elements of a row: warps that score the same rows
	tile        int  // rows at a time
	groups      int  // of 16 heads in a block
	one         bool // there is one row, always live
}

const (
	groupHeads = 16 // rows of a product
	feeders    = 2  // warps that fill a buffer; more would leave the others fewer registers
)

// PartHeads is the heads that a block takes: more where rows share the device.
func PartHeads(rows, heads int) int {
	if rows > 1 && heads > groupHeads {
		return 2 * groupHeads
	}
	return groupHeads
}

func mqaPartial(s *codegen.Spec) (Kernel, error) {
	a, err := newMqa(s)
	if err != nil {
		return Kernel{}, err
	}
	p := partial{mqa: a, parts: s.Int("splits"), one: s.Rows == 1, groups: PartHeads(s.Rows, a.heads) / groupHeads}
	p.size = ceilDiv(a.list, p.parts)
	p.divide()
	launch := codegen.Line(p.parts, p.threads())
	launch.Grid[1], launch.Grid[2] = uint32(ceilDiv(a.heads, p.blockHeads())), uint32(s.Rows)
	launch.Shared = uint32(p.entriesAt() + 2*p.tile*4)
	return Kernel{Launch: launch, Emit: p.emit}, fits(s, int(launch.Shared))
}

// divide chooses as many warps as can have the same work.
func (p *partial) divide() {
	for _, d := range []struct{ tile, shares int }{{32, 4}, {32, 2}, {32, 1}, {16, 1}} {
		p.tile, p.shares, p.warps = d.tile, d.shares, d.tile/8*d.shares
		if p.rank%(16*p.warps) == 0 && p.width()/16%p.shares == 0 {
			break
		}
	}
}

// blockHeads is the heads of a block.
func (p *partial) blockHeads() int { return groupHeads * p.groups }

func (p *partial) tileBytes() int { return p.tile * p.stride() }
func (p *partial) queriesAt() int { return p.buffers() * p.tileBytes() }
func (p *partial) weightsAt() int {
	return p.queriesAt() + max(groupHeads*p.stride(), p.shares*p.shareBytes())
}
func (p *partial) scalesAt() int  { return p.weightsAt() + p.blockHeads()*p.weightStride() }
func (p *partial) entriesAt() int { return p.scalesAt() + p.blockHeads()*2*f32 }

// scoreStride is the distance of rows of scores in shared memory, in bytes: 8 past a multiple of
// 32 words, so that rows lie in different banks.
func (p *partial) scoreStride() int { return (p.together() + 8) * f32 }

// shareBytes is the size of the sums over a share of the elements.
func (p *partial) shareBytes() int { return p.blockHeads() * p.scoreStride() }

// weightStride is the distance of rows of weights, which are f16: an odd multiple of 16 bytes.
func (p *partial) weightStride() int { return 2*p.together() + 16 }

// tiles is the number of tiles of a part, buffers of those that there is room for.
func (p *partial) tiles() int { return ceilDiv(p.size, p.tile) }
func (p *partial) buffers() int {
	if p.many() {
		return 2
	}
	return p.tiles()
}

// together is the number of rows that are weighed at once.
func (p *partial) together() int {
	if p.many() {
		return p.tile
	}
	return p.tiles() * p.tile
}

// many says whether parts may have any number of tiles.
func (p *partial) many() bool { return !p.one || p.tiles() > 2 }

// threads are those of the workers and of the feeders of each buffer.
func (p *partial) threads() int { return 32 * (p.warps + feeders*p.buffers()) }

// headsPerWarp is the number of heads that a warp weighs for, headsAtOnce of those that share its
// lanes: a lane has two rows.
func (p *partial) headsPerWarp() int { return p.blockHeads() / p.warps }
func (p *partial) headsAtOnce() int  { return min(64/p.together(), p.headsPerWarp()) }
