package product

import "dsac/codegen"

// operands are the A operands of a held tile. Those of the next part are made while one is
// multiplied, and the words of the part after it are on their way.
type operands struct {
	*weight
	tiledType
	e      *tiling
	base   codegen.Ptr                 // of the tile
	words  []*codegen.Var[codegen.I32] // of the next part, by number; nil where there are none
	scales []*codegen.Var[codegen.I32] // kept ones, of the next part
	rare   []*codegen.Var[codegen.I32] // words of the kept scales after these
	a      [2][4]*codegen.Var[codegen.I32]
}

// partPlace says where a part is.
type partPlace struct {
	unit, half, chunk codegen.I32
}

// part finds part number n, the last one when there are fewer.
func (e *tiling) part(n codegen.I32) (p partPlace) {
	w := e.weights[0]
	if w.spread() {
		p = partPlace{n.Shr(3), n.Shr(2).And(1), n.And(3)}
	} else {
		p = partPlace{n.Shr(1), n.And(1), e.k.I32(0)}
	}
	p.unit = p.unit.Mul(e.split).Add(e.share).UMin(w.units() - 1)
	return p
}

// operands returns those of a held tile, ready for the first part.
func (e *tiling) operands(held int) *operands {
	m := len(e.weights)
	w := e.weights[held%m]
	tile := e.tile.Add(held / m).UMin(w.tiles() - 1)
	tile = e.b.matrix(e.k.I32(0)).Mul(w.tiles()).Add(tile)
	o := &operands{weight: w, tiledType: tiledTypes[w.Type], e: e, base: w.at(e.k.Arg(e.args[held%m]), tile, e.k.I32(0))}
	o.words = make([]*codegen.Var[codegen.I32], w.words())
	zero := e.k.I32(0)
	o.fetch(zero)
	if o.kept != nil {
		for _, x := range o.load(&o.kept.load, e.part(zero)) {
			o.rare = append(o.rare, codegen.Let(x))
		}
		o.keep(zero)
	}
	return o
}

// first makes the operands of the first part, which was fetched.
func (o *operands) first() {
	for s, a := range o.next(o.e.k.I32(0)) {
		for i, x := range a {
			o.a[s][i] = codegen.Let(x)
		}
	}
	o.fetch(o.e.k.I32(1))
}

// load loads words of a part.
func (o *operands) load(l *partLoad, p partPlace) []codegen.I32 {
	at := p.unit.Mul(o.layout.UnitBytes / l.size()).Add(l.place(o.e.k, p.half, p.chunk))
	last := (o.units()*o.layout.UnitBytes-l.at)/l.size() - 1
	return o.base.At(l.at).Elem(at.UMin(last), l.size()).ReadOnly().LdI32s(l.words)
}

// fetch sends for the words of part n.
func (o *operands) fetch(n codegen.I32) {
	p := o.e.part(n)
	for _, l := range o.each {
		for i, x := range o.load(&l, p) {
			if v := o.words[l.to+i]; v != nil {
				v.Set(x)
				continue
			}
			o.words[l.to+i] = codegen.Let(x)
		}
	}
}

// ahead is the number of parts whose words are asked for at once to come into the L2 cache, as
// many parts before they are needed: loads from memory take longer than a part.
const ahead = 8

// prefetch asks for the words of the parts from n on, at most as many as there are.
func (o *operands) prefetch(n codegen.I32) {
	const line = 128
	start := o.e.part(n).unit.Mul(o.layout.UnitBytes)
	for at := 0; at < ahead*o.layout.UnitBytes/o.e.unitParts(); at += 32 * line {
		off := start.Add(o.e.k.Lane().Mul(line)).Add(at)
		o.e.k.Prefetch(o.base.Elem(off.UMin(o.units()*o.layout.UnitBytes-1), 1))
	}
}

// keep makes the scales of part n, the first with its half of the unit, and sends for the words
// of the half after it.
func (o *operands) keep(n codegen.I32) {
	k := o.e.k
	w := o.blank()
	for i, v := range o.rare {
		w[o.kept.load.to+i] = v.Get()
	}
	o.kept.normal(k, w, o.e.part(n).half)
	for i, x := range o.kept.make(k, w) {
		if i == len(o.scales) {
			o.scales = append(o.scales, codegen.Let(x))
		}
		o.scales[i].Set(x)
	}
	for i, x := range o.load(&o.kept.load, o.e.part(n.Add(4))) {
		o.rare[i].Set(x)
	}
}

// blank are the words of a unit as long as nothing is known.
func (o *operands) blank() []codegen.I32 {
	w := make([]codegen.I32, o.weight.words())
	for i := range w {
		w[i] = o.e.k.I32(0)
	}
	return w
}

// next makes the operands of part n, whose words have come.
func (o *operands) next(n codegen.I32) [2][4]codegen.I32 {
	k := o.e.k
	w := o.blank()
	for i, v := range o.words {
		if v != nil {
			w[i] = v.Get()
		}
	}
	if o.normal != nil {
		o.normal(k, w, o.e.part(n).half)
	}
	var step func(step int) [4]codegen.I32
	if o.kept == nil {
		step = o.open(k, w)
	} else {
		scales := make([]codegen.I32, len(o.scales))
		for i, v := range o.scales {
			scales[i] = v.Get()
		}
		step = o.kept.step(k, w, scales)
	}
	return [2][4]codegen.I32{step(0), step(1)}
}

// now returns the operands of the current part.
func (o *operands) now() (a [2][4]codegen.I32) {
	for s := range a {
		for i := range a[s] {
			a[s][i] = o.a[s][i].Get()
		}
	}
	return a
}

// set makes a the operands of the current part.
func (o *operands) set(a [2][4]codegen.I32) {
	for s := range a {
		for i := range a[s] {
			o.a[s][i].Set(a[s][i])
		}
	}
}
