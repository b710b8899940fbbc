package product

import (
	"dsac/codegen"
	"dsac/runtime/quant"
)

// The tiled kernels take a unit in parts of two steps, those of a chunk that have run t, or run
// t+4, of the lane (half 0 and 1 of the chunk). One body of code serves all parts: it loads
// the words of a part to where those of half 0 of chunk 0 belong, brings their fields to where
// those of half 0 are, and makes the operands of steps 0 and 1 of them.

// partLoad is a load of some words of a part.
type partLoad struct {
	at, lane int    // bytes from the start of the unit, and from lane to lane
	group    bool   // the four lanes of a group load the same: lane is from group to group
	skip     int    // loads before that of lane 0, counted from byte at
	words    int    // to load
	to       int    // number of the first of them
	chunk    [2]int // bytes from an even chunk to the next, and from chunk 0 to 2
	half     int    // bytes from half to half
}

// tiledType is how the tiled kernels take a type.
type tiledType struct {
	each []partLoad // the words of a part
	// normal brings fields of half 1 to the place of those of half 0, if there are any to bring.
	normal func(k *codegen.K, w []codegen.I32, half codegen.I32)
	kept   *keptScales // nil: scales are made for each part
}

// keptScales are made once for all parts with the same half of a unit.
type keptScales struct {
	load   partLoad
	normal func(k *codegen.K, w []codegen.I32, half codegen.I32)
	make   func(k *codegen.K, w []codegen.I32) []codegen.I32
	step   func(k *codegen.K, w, scales []codegen.I32) func(step int) [4]codegen.I32
}

// codes4 are the codes of a part in four bits each.
var codes4 = partLoad{lane: 16, words: 2, chunk: [2]int{512, 1024}, half: 8}

// words16 are the weights of a part in 16 bits each.
var words16 = []partLoad{{lane: 16, words: 4, half: 1024}, {lane: 16, skip: 32, words: 4, to: 4, half: 1024}}

var tiledTypes = map[quant.Type]tiledType{
	quant.Q4_K: {each: []partLoad{codes4}, kept: &keptScales{partLoad{at: 2048, lane: 8, words: 2, to: 16}, normal45(16), make45(16), stepsQ4K}},
	quant.Q5_K: {each: []partLoad{codes4, {at: 2048, lane: 16, words: 1, to: 16, chunk: [2]int{4, 8}}},
		normal: normalHigh(16), kept: &keptScales{partLoad{at: 2560, lane: 8, words: 2, to: 20}, normal45(20), make45(20), stepsQ5K}},
	quant.Q6_K: {each: []partLoad{codes4,
		{at: 2048, lane: 16, words: 1, to: 16, chunk: [2]int{8, 512}, half: 4},
		{at: 3072, lane: 8, words: 1, to: 24, chunk: [2]int{0, 4}},
		{at: 3328, lane: 4, group: true, words: 1, to: 26}}, normal: normalHalf(24)},
	quant.IQ4_XS: {each: []partLoad{codes4, {at: 2048, lane: 16, group: true, words: 4, to: 16}}, normal: normalXS},
	quant.Q8_0:   {each: []partLoad{{lane: 16, words: 4, half: 512}, {at: 1024, lane: 8, group: true, words: 1, to: 8, half: 4}}},
	quant.Q4_0:   {each: []partLoad{codes4, {at: 512, lane: 8, group: true, words: 1, to: 4, half: 4}}},
	quant.IQ4_NL: {each: []partLoad{codes4, {at: 512, lane: 8, group: true, words: 1, to: 4, half: 4}}},
	quant.Q4_1:   {each: []partLoad{codes4, {at: 512, lane: 16, group: true, words: 2, to: 4, half: 8}}},
	quant.Q5_0: {each: []partLoad{codes4, {at: 512, lane: 4, words: 1, to: 4}, {at: 640, lane: 8, group: true, words: 1, to: 5, half: 4}},
		normal: normalHigh(4)},
	quant.Q5_1: {each: []partLoad{codes4, {at: 512, lane: 4, words: 1, to: 4}, {at: 640, lane: 16, group: true, words: 2, to: 5, half: 8}},
		normal: normalHigh(4)},
	quant.MXFP4: {each: []partLoad{codes4, {at: 512, lane: 4, group: true, words: 1, to: 4}}, normal: normalHalf(4)},
	quant.F16:   {each: words16},
	quant.BF16:  {each: words16},
}

// size is the bytes that a lane loads.
func (l *partLoad) size() int { return 4 * l.words }

// place is where the lane's words of a part are from byte at of the unit, counted in their size.
func (l *partLoad) place(k *codegen.K, half, chunk codegen.I32) codegen.I32 {
	n, lane := l.size(), k.Lane()
	if l.group {
		lane = lane.Shr(2)
	}
	p := lane.Mul(l.lane / n).Add(l.skip).Add(half.Mul(l.half / n))
	return p.Add(chunk.And(1).Mul(l.chunk[0] / n)).Add(chunk.Shr(1).Mul(l.chunk[1] / n))
}

// normalHalf is for a word with two bytes for each half.
func normalHalf(i int) func(k *codegen.K, w []codegen.I32, half codegen.I32) {
	return func(k *codegen.K, w []codegen.I32, half codegen.I32) { w[i] = w[i].Shr(half.Shl(4)) }
}

// normalHigh is for a word of fifth bits: in each half word, half 0 has them in bits 4..11,
// half 1 in bits 0..3 and 12..15 (repack.HighBit).
func normalHigh(i int) func(k *codegen.K, w []codegen.I32, half codegen.I32) {
	return func(k *codegen.K, w []codegen.I32, half codegen.I32) {
		low, high := w[i].Shl(4).And(0x00f000f0), w[i].Shr(4).And(0x0f000f00)
		w[i] = codegen.Select(half.Eq(0), w[i], low.Or(high))
	}
}

// normal45 is for the two words of scales of Q4_K and Q5_K (see package repack).
func normal45(i int) func(k *codegen.K, w []codegen.I32, half codegen.I32) {
	return func(k *codegen.K, w []codegen.I32, half codegen.I32) {
		lo, hi := w[i], w[i+1]
		w[i] = k.FunnelR(lo, hi, half.Mul(12))
		w[i+1] = k.Lop3(hi, hi.Shr(half.Mul(12)), 0xffff0000, 0xe4) // the upper bits of the first, the lower of the second
	}
}

// normalXS is for the four words of scales of IQ4_XS.
func normalXS(k *codegen.K, w []codegen.I32, half codegen.I32) {
	for row := range 2 {
		head, low := w[16+2*row], w[17+2*row]
		w[16+2*row] = k.Lop3(head, head.Shr(half.Mul(8)), 0xffff, 0xe4)
		w[17+2*row] = low.Shr(half.Mul(16))
	}
}

// at returns the address of a unit: of tile t (counted over all matrices) and number u.
func (w *weight) at(p codegen.Ptr, t, u codegen.I32) codegen.Ptr {
	return p.Elem(t, w.units()*w.layout.UnitBytes).Elem(u, w.layout.UnitBytes)
}
