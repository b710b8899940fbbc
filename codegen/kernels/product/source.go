package product

import "dsac/codegen"

// source is where a kernel has the weights of a tile from: units are counted over the matrix,
// past its end it is the last one. ask starts fetching what chunk c of a unit is the first to
// need, read reads it into words.
type source interface {
	ask(unit codegen.I32, c int)
	read(unit codegen.I32, c int, words []codegen.I32)
}

// needs calls each for the parts that chunk c of a unit is the first to need: their place among
// the words, and in a slot.
func (f *format) needs(c int, each func(p part, word, at int)) {
	word := 0
	for _, p := range f.parts {
		if p.first == c {
			each(p, word, 128*word)
		}
		word += p.words
	}
}

// direct brings a lane's words into registers, those of a chunk at a time.
type direct struct {
	k    *codegen.K
	w    *weight
	from codegen.Ptr // the matrix
	last int         // number of its last unit
	next []*codegen.Var[codegen.I32]
}

func newDirect(k *codegen.K, w *weight, matrix codegen.Ptr) *direct {
	return &direct{k, w, matrix, w.tiles()*w.units() - 1, codegen.Lets(w.words(), k.I32(0))}
}

func (d *direct) ask(unit codegen.I32, c int) {
	from := d.from.Elem(unit.UMin(d.last), d.w.layout.UnitBytes).Stream()
	d.w.needs(c, func(p part, word, _ int) {
		for i, x := range p.load(d.k, from) {
			d.next[word+i].Set(x)
		}
	})
}

func (d *direct) read(_ codegen.I32, c int, words []codegen.I32) {
	d.w.needs(c, func(p part, word, _ int) {
		for i := range p.words {
			words[word+i] = d.next[word+i].Get()
		}
	})
}
