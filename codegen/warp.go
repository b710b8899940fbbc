package codegen

import (
	"fmt"

	"github.com/llir/llvm/ir/types"
)

// Warp operations. All 32 lanes execute them together: none may stand inside a condition that
// differs between lanes.

const allLanes = -1 // member mask

func (k *K) shuffle(mode string, x I32, b I32, clamp int) I32 {
	text := fmt.Sprintf("shfl.sync.%s.b32 $0, $1, $2, %d, %d;", mode, clamp, allLanes)
	return I32{k, k.asm(convergent, text, repeat(types.I32, 1), x.v, b.v)[0]}
}

// ShflXor returns the value of the lane whose number differs in the bits of mask.
func ShflXor[T I32 | F32 | H2](x T, mask int) T {
	return shuffled(x, func(k *K, w I32) I32 { return k.shuffle("bfly", w, k.I32(mask), 31) })
}

// ShflDown returns the value of the lane delta further; the last lanes keep their own.
func ShflDown[T I32 | F32 | H2](x T, delta int) T {
	return shuffled(x, func(k *K, w I32) I32 { return k.shuffle("down", w, k.I32(delta), 31) })
}

// ShflUp returns the value of the lane delta before; the first lanes keep their own.
func ShflUp[T I32 | F32 | H2](x T, delta int) T {
	return shuffled(x, func(k *K, w I32) I32 { return k.shuffle("up", w, k.I32(delta), 0) })
}

// ShflIdx returns the value of a lane, given as I32 or Go integer.
func ShflIdx[T I32 | F32 | H2](x T, lane any) T {
	return shuffled(x, func(k *K, w I32) I32 { return k.shuffle("idx", w, k.i32(lane), 31) })
}

// shuffled moves the 32 bits of any type.
func shuffled[T I32 | F32 | H2](x T, move func(k *K, w I32) I32) T {
	r := val(x)
	if f, ok := any(x).(F32); ok {
		return T(val(move(r.k, f.Bits()).AsF32()))
	}
	return T(val(move(r.k, I32(r))))
}

// WarpSum adds x over the lanes; each lane gets the sum, in the same order of additions.
func (k *K) WarpSum(x F32) F32 { return k.GroupSum(x, 32) }

// GroupSum adds x over groups of n lanes, n a power of two.
func (k *K) GroupSum(x F32, n int) F32 {
	for d := n / 2; d > 0; d /= 2 {
		x = x.Add(ShflXor(x, d))
	}
	return x
}

// WarpMax gives each lane the largest x.
func (k *K) WarpMax(x F32) F32 {
	for d := 16; d > 0; d /= 2 {
		x = x.Max(ShflXor(x, d))
	}
	return x
}

// WarpSumI32 adds integers over the lanes.
func (k *K) WarpSumI32(x I32) I32 { return k.redux("add.s32", x) }

// WarpMaxU32 gives each lane the largest unsigned x.
func (k *K) WarpMaxU32(x I32) I32 { return k.redux("max.u32", x) }

// WarpMinU32 gives each lane the smallest unsigned x.
func (k *K) WarpMinU32(x I32) I32 { return k.redux("min.u32", x) }

func (k *K) redux(op string, x I32) I32 {
	return I32{k, k.asm(convergent, fmt.Sprintf("redux.sync.%s $0, $1, %d;", op, allLanes), repeat(types.I32, 1), x.v)[0]}
}

// Ballot returns a word with bit i set where p holds in lane i.
func (k *K) Ballot(p Pred) I32 {
	return I32{k, k.asm(convergent, fmt.Sprintf("vote.sync.ballot.b32 $0, $1, %d;", allLanes), repeat(types.I32, 1), p.v)[0]}
}

// Any says whether p holds in some lane.
func (k *K) Any(p Pred) Pred { return k.Ballot(p).Ne(0) }

// All says whether p holds in all lanes.
func (k *K) All(p Pred) Pred { return k.Ballot(p).Eq(allLanes) }

// LanesBelow is the mask of the lanes before this one.
func (k *K) LanesBelow() I32 { return k.special("lanemask.lt") }
