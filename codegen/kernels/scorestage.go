package kernels

import "dsac/codegen"

// stage puts n query rows, at most rows, from first on, as f16 and with their weights, into
// shared memory, row after row; none past last (of these rows) is touched. A head is scaled by
// the power of two that brings its largest element to [1, 2), so that nothing leaves the range of
// f16; its weight takes that back, and the scale of the op. The threads of a block share the
// work, each with a few loads under way.
func (c *scorer) stage(k *codegen.K, to codegen.Ptr, first, n codegen.I32, last any, rows, threads int) {
	chunks := c.groups * 2 * c.dim // of eight elements, in a row
	unroll := max(1, min(4, rows*chunks/threads))
	k.For(k.Thread(), n.Mul(chunks), threads*unroll, func(i codegen.I32) {
		var parts []staged
		for u := range unroll {
			at := i.Add(u * threads)
			r := at.UDiv(chunks)
			parts = append(parts, c.fetch(k, first, r.Min(last), at.Sub(r.Mul(chunks)), r.Lt(n)))
		}
		for _, p := range parts {
			p.settle(k, c, to)
		}
	})
}

// staged is a chunk of eight elements of a head on its way to shared memory.
type staged struct {
	row, head, chunk codegen.I32
	live             codegen.Pred // there is such a row
	x                []codegen.F32
	weight           codegen.F32 // of the head; heads past the last have zeros
}

// fetch loads chunk i of row first+r.
func (c *scorer) fetch(k *codegen.K, first, r, i codegen.I32, live codegen.Pred) staged {
	per := c.dim / 8 // lanes per head
	s := staged{row: r, head: i.Shr(log2(per)), chunk: i.And(per - 1), live: live}
	ok := s.head.Lt(c.heads).And(live)
	t, head := first.Add(r), s.head.Min(c.heads-1)
	p := k.Arg(0).Elem(t, c.heads*c.dim*f32).Elem(head, c.dim*f32).Elem(s.chunk, 8*f32).When(ok)
	s.x = append(p.LdF32s(4), p.At(16).LdF32s(4)...)
	s.weight = k.Arg(1).Elem(t, c.heads*f32).Elem(head, f32).When(ok).LdF32()
	return s
}

// settle scales, rounds and stores what was fetched; whole warps do.
func (s *staged) settle(k *codegen.K, c *scorer, to codegen.Ptr) {
	top := k.F32(0)
	for _, v := range s.x {
		top = top.Max(v.Abs())
	}
	for d := c.dim / 16; d > 0; d /= 2 {
		top = top.Max(codegen.ShflXor(top, d))
	}
	exp := top.Bits().Shr(23).Clamp(1, 253)
	up, down := k.I32(254).Sub(exp).Shl(23).AsF32(), exp.Shl(23).AsF32()
	for j := range s.x {
		s.x[j] = s.x[j].Mul(up)
	}
	// Words 0 and 1 of a head's 32 elements are a lane's for one product, 2 and 3 for the next; the
	// lane has those of head 8 further on, too.
	group, column, second := s.head.Shr(4), s.head.And(7), s.head.Field(3, 1)
	lane := column.Mul(4).Add(s.chunk.And(3))
	at := group.Mul(c.dim / 32).Add(s.chunk.Shr(2)).Mul(2 * 32).Add(lane)
	row := to.Elem(s.row, c.shared())
	for i, word := range packEight(k, s.x) {
		row.Elem(at, 16).Elem(second, 4).At(i / 2 * 512).At(i % 2 * 8).When(s.live).StI32(word)
	}
	weight := c.weights(row).Elem(group, 16*f32).Elem(column, 2*f32).Elem(second, f32)
	weight.When(s.live.And(s.chunk.Eq(0))).StF32(s.weight.Mul(down).Mul(c.scale))
}
