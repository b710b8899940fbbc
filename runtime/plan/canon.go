package plan

import "slices"

// Clone returns a copy that shares nothing with p but the bytes of its strings.
func (p *Plan) Clone() *Plan {
	q := *p
	q.Strings, q.Meta, q.Buckets, q.Dyns = slices.Clone(p.Strings), slices.Clone(p.Meta), slices.Clone(p.Buckets), slices.Clone(p.Dyns)
	q.Regions, q.Bufs, q.Entries, q.Items = slices.Clone(p.Regions), slices.Clone(p.Bufs), slices.Clone(p.Entries), slices.Clone(p.Items)
	q.Steps, q.Operands, q.Expects, q.Attrs = slices.Clone(p.Steps), slices.Clone(p.Operands), slices.Clone(p.Expects), slices.Clone(p.Attrs)
	q.Launches, q.Kernels, q.Weights, q.Sources = slices.Clone(p.Launches), slices.Clone(p.Kernels), slices.Clone(p.Weights), slices.Clone(p.Sources)
	q.Pads, q.Blob = slices.Clone(p.Pads), slices.Clone(p.Blob)
	for i, s := range q.Strings {
		q.Strings[i] = string([]byte(s)) // p may lie in a mapped file
	}
	return &q
}

// Canonical returns a copy with one fixed order of everything whose order means nothing:
// the pools follow their owners without gap, strings are numbered by first use, what nobody
// uses is gone. Plans of equal content have equal canonical copies. p must be sound.
func Canonical(p *Plan) *Plan {
	q := p.Clone()
	q.Operands, q.Expects, q.Attrs, q.Blob = nil, nil, nil, nil
	for i := range q.Bufs {
		q.Bufs[i].Attrs = move(&q.Attrs, p.Attrs, q.Bufs[i].Attrs)
	}
	for i := range q.Steps {
		s := &q.Steps[i]
		s.Attrs = move(&q.Attrs, p.Attrs, s.Attrs)
		s.Operands = move(&q.Operands, p.Operands, s.Operands)
		for j := range q.Ops(s) {
			o := &q.Ops(s)[j]
			o.Expect = move(&q.Expects, p.Expects, o.Expect)
		}
	}
	for i := range q.Kernels {
		k := &q.Kernels[i]
		k.Params = move(&q.Attrs, p.Attrs, k.Params)
		k.PTX = move(&q.Blob, p.Blob, k.PTX)
		k.Cubin = move(&q.Blob, p.Blob, k.Cubin)
	}
	for i := range q.Items {
		it := &q.Items[i]
		switch it.Kind {
		case DoStep:
			it.Stream, it.Name = 0, 0
		case Record, Wait:
			it.Index = 0
		case NextStep:
			it.Stream, it.Name, it.Index = 0, 0, 0
		}
	}
	q.renumber()
	return q
}

// move copies a span of a pool to the end of another one.
func move[T any](to *[]T, from []T, s Span) Span {
	if s.Len == 0 {
		return Span{}
	}
	at := Span{uint32(len(*to)), s.Len}
	*to = append(*to, from[s.Off:][:s.Len]...)
	return at
}

// renumber orders the strings by first use.
func (p *Plan) renumber() {
	old := p.Strings
	p.Strings = append(make([]string, 0, len(old)), "")
	to := make([]Str, len(old)) // 0 = not used yet
	p.eachStr(func(s *Str) {
		if *s == 0 {
			return
		}
		if to[*s] == 0 {
			to[*s] = Str(len(p.Strings))
			p.Strings = append(p.Strings, old[*s])
		}
		*s = to[*s]
	})
}

// inOrder says whether the pools follow their owners as Canonical leaves them.
func (p *Plan) inOrder() bool {
	var ops, expects, attrs, blob uint32
	ok := true
	next := func(at *uint32, s Span) {
		if s.Len > 0 {
			ok = ok && s.Off == *at
			*at += s.Len
		}
		ok = ok && (s.Len > 0 || s.Off == 0)
	}
	for i := range p.Bufs {
		next(&attrs, p.Bufs[i].Attrs)
	}
	for i := range p.Steps {
		next(&attrs, p.Steps[i].Attrs)
		next(&ops, p.Steps[i].Operands)
	}
	for i := range p.Operands {
		next(&expects, p.Operands[i].Expect)
	}
	for i := range p.Kernels {
		next(&attrs, p.Kernels[i].Params)
		next(&blob, p.Kernels[i].PTX)
		next(&blob, p.Kernels[i].Cubin)
	}
	return ok && int(ops) == len(p.Operands) && int(expects) == len(p.Expects) &&
		int(attrs) == len(p.Attrs) && int(blob) == len(p.Blob)
}
