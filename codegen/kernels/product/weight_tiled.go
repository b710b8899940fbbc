package product

import (
	"dsac/codegen"
	"dsac/runtime/quant"
)

// The tiled kernels take a unit in parts of two steps, those of a chunk that have run t, or run
// t+4, of the lane (half 0 and 1). Of a unit of four chunks they take half 0 of every chunk
// first, so that they need half of the scales at a time and x comes in order; a loop runs over
// the chunks, which all look like the first one to the code that makes operands.

// heldLoad is a load of words that all parts of a unit need.
type heldLoad struct {
	part
	to int // number of the first word
}

// partLoad is a load of the words of one part.
type partLoad struct {
	at, lane int    // bytes from the start of the unit, and from lane to lane
	words    int    // to load
	to       int    // number of the first word, for half 0
	chunk    [2]int // bytes from an even chunk to the next, and from chunk 0 to 2
	half     int    // bytes from half to half
	toHalf   int    // words from half to half
}

// tiledLoads are the loads of a type.
type tiledLoads struct {
	held []heldLoad
	each []partLoad
	open bool // scales differ from chunk to chunk: open for each part
	// late are the words whose bits for chunks 2 and 3 lie 8 above those for 0 and 1.
	late []int
	// half opens the unit for one half, where that is less than all; otherwise nil.
	half func(k *codegen.K, w []codegen.I32, halves ...int) func(step int) [4]codegen.I32
}

var codes4 = partLoad{lane: 16, words: 2, chunk: [2]int{512, 1024}, half: 8, toHalf: 2}

// codes2 are two bits of each weight, as Q6_K has them behind the other four.
var codes2 = partLoad{lane: 16, words: 1, chunk: [2]int{8, 512}, half: 4, toHalf: 1}

// tiledTypes has the types of which not all words are held.
var tiledTypes = map[quant.Type]tiledLoads{
	quant.Q2_K: {held: []heldLoad{{part{at: 1280, words: 2, group: true}, 10}},
		each: []partLoad{codes2, {at: 1024, lane: 8, words: 1, to: 8, chunk: [2]int{0, 4}}}, open: true},
	quant.Q3_K: {held: []heldLoad{{part{at: 1536, words: 1}, 12}, {part{at: 1664, words: 2, group: true}, 13},
		{part{at: 1728, words: 1, group: true}, 15}},
		each: []partLoad{codes2, {at: 1024, lane: 16, words: 1, to: 8, chunk: [2]int{4, 8}}},
		open: true, late: []int{12, 13, 14}},
	quant.Q4_K: {held: []heldLoad{{part{at: 2048, words: 2}, 16}}, each: []partLoad{codes4}, half: partsQ4K},
	quant.Q5_K: {held: []heldLoad{{part{at: 2560, words: 2}, 20}},
		each: []partLoad{codes4, {at: 2048, lane: 16, words: 1, to: 16, chunk: [2]int{4, 8}}}, half: partsQ5K},
	quant.Q6_K: {held: []heldLoad{{part{at: 3328, words: 1, group: true}, 26}},
		each: []partLoad{codes4, {at: 2048, lane: 16, words: 1, to: 16, chunk: [2]int{8, 512}, half: 4, toHalf: 1},
			{at: 3072, lane: 8, words: 1, to: 24, chunk: [2]int{0, 4}}},
		open: true},
	quant.IQ4_XS: {held: []heldLoad{{part{at: 2048, words: 4, group: true}, 16}}, each: []partLoad{codes4}},
	quant.Q8_0: {held: []heldLoad{{part{at: 1024, words: 2, group: true}, 8}},
		each: []partLoad{{lane: 16, words: 4, half: 512, toHalf: 4}}},
	quant.F16:  {each: halfUnits},
	quant.BF16: {each: halfUnits},
}

// halfUnits are 16-bit weights.
var halfUnits = []partLoad{
	{lane: 16, words: 4, half: 1024, toHalf: 8},
	{at: 512, lane: 16, words: 4, to: 4, half: 1024, toHalf: 8},
}

// tiled returns the loads of the type.
func (f *format) tiled() tiledLoads {
	if l, ok := tiledTypes[f.Type]; ok {
		return l
	}
	var l tiledLoads
	to := 0
	for _, p := range f.parts {
		l.held = append(l.held, heldLoad{p, to})
		to += p.words
	}
	return l
}

// size is the bytes that a lane loads.
func (l *partLoad) size() int { return 4 * l.words }

// place is where the lane's words of a part are from byte at of the unit, counted in their size.
func (l *partLoad) place(k *codegen.K, half, chunk codegen.I32) codegen.I32 {
	n := l.size()
	lane := k.Lane().Mul(l.lane / n)
	return lane.Add(chunk.And(1).Mul(l.chunk[0] / n)).Add(chunk.Shr(1).Mul(l.chunk[1] / n)).Add(half.Mul(l.half / n))
}

// at returns the address of a unit: of tile t (counted over all matrices) and number u.
func (w *weight) at(p codegen.Ptr, t, u codegen.I32) codegen.Ptr {
	return p.Elem(t, w.units()*w.layout.UnitBytes).Elem(u, w.layout.UnitBytes)
}
