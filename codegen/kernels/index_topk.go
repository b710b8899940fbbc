package kernels

import "dsac/codegen"

// indexTopk: a block takes a few query rows, which share every tile of keys: their scores go to
// scratch, of which each row in work has one; then the block chooses row by row. Rows that see
// no more than k positions need no scores.
//
// Where each group of rows has a block, the grid says how many rows there are: its first dimension
// counts groups, its second has one place for each row of a group, of which the first works. So
// kernels for different T have one text.
func indexTopk(s *codegen.Spec) (Kernel, error) {
	c, err := newScorer(s)
	if err != nil {
		return Kernel{}, err
	}
	threads := 384 // more would leave too few registers for keys
	if c.keys.size == 2 && !c.keys.async {
		threads = 256 // and for the conversion of bf16
	}
	scratch := s.Operands[4]
	held := scratch.Shape[0] // rows of scratch
	group := max(1, min(mostGrouped, held/128))
	blocks := min(held/group, ceilDiv(s.Rows, group))
	pick := chooser{k: s.Int("k"), width: c.rows, threads: threads, each: 16, wide: vectorWidth(scratch)}
	most := group // rows of a group that the kernel is made for
	launch := codegen.Line(blocks, threads)
	told := blocks*group == s.Rows
	if told {
		most, launch.Grid[1] = mostGrouped, uint32(group)
	}
	shared := max(most*c.shared(), pick.shared())
	launch.Shared = uint32(shared)
	if err := fits(s, shared+sharedDigits(threads)); err != nil {
		return Kernel{}, err
	}
	return Kernel{Launch: launch, Emit: func(k *codegen.K) {
		k.MinBlocks(1)
		group, rows := k.I32(group), k.I32(s.Rows)
		if told {
			k.ReturnIf(k.BlockY().Gt(0))
			group, rows = k.GridY(), k.GridX().Mul(k.GridY())
		}
		n, pos := k.Live().Clamp(0, rows), k.Pos(c.rows)
		memory := k.Dynamic()
		selection := pick.begin(k, memory)
		own := k.Arg(4).Elem(k.BlockX().Mul(group), c.rows*f32)
		k.For(k.BlockX().Mul(group), n, group.Mul(k.GridX()), func(t codegen.I32) {
			rows := n.Sub(t).Min(group)
			seen := func(r codegen.I32) codegen.I32 { return pos.Add(t).Add(r).Add(1).Min(c.rows) } // by row r of the group
			k.If(seen(rows.Sub(1)).Gt(pick.k), func() {
				c.stage(k, memory, t, rows, rows.Sub(1), most, threads)
				k.Sync()
				last := seen(rows.Sub(1)).Sub(1)
				k.For(k.Warp(), last.Shr(log2(tileKeys)).Add(1), threads/32, func(tile codegen.I32) {
					first := tile.Mul(tileKeys)
					c.tile(k, memory, c.keysOf(k, first, last), first, rows, most, func(r, at codegen.I32, x codegen.F32) {
						own.Elem(r, c.rows*f32).Elem(at.Min(c.rows-1), f32).When(at.Lt(c.rows)).StF32(x)
					})
				})
				k.Sync()
			})
			k.For(0, rows, 1, func(r codegen.I32) {
				selection.choose(own.Elem(r, c.rows*f32), seen(r), k.Arg(3).Elem(t.Add(r), pick.k*4))
			})
			k.Sync() // the next group's queries lie where candidates do
		})
	}}, nil
}

// mostGrouped is the most rows of a group.
const mostGrouped = 4
