package plan

import (
	"slices"
	"unsafe"
)

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
	blobs := make(map[string]Span) // kernels of one module share its text
	moved := make(map[Span]Span)
	for i := range q.Kernels {
		k := &q.Kernels[i]
		k.Params = move(&q.Attrs, p.Attrs, k.Params)
		for _, s := range []*Span{&k.PTX, &k.Cubin} {
			at, ok := moved[*s]
			if !ok {
				data := unsafeText(p.Bytes(*s))
				if at, ok = blobs[data]; !ok {
					at = move(&q.Blob, p.Blob, *s)
					blobs[data] = at
				}
				moved[*s] = at
			}
			*s = at
		}
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

// unsafeText views bytes as a string for as long as they do not change.
func unsafeText(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

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
	blobs, seen := make(map[string]bool), make(map[Span]bool)
	for i := range p.Kernels {
		k := &p.Kernels[i]
		next(&attrs, k.Params)
		for _, s := range []Span{k.PTX, k.Cubin} {
			if seen[s] {
				continue
			}
			next(&blob, s)
			if uint64(s.Off)+uint64(s.Len) > uint64(len(p.Blob)) {
				return false // the caller's next check says where
			}
			data := unsafeText(p.Bytes(s))
			ok = ok && (s.Len == 0 || !blobs[data])
			seen[s], blobs[data] = true, true
		}
	}
	return ok && int(ops) == len(p.Operands) && int(expects) == len(p.Expects) &&
		int(attrs) == len(p.Attrs) && int(blob) == len(p.Blob)
}
