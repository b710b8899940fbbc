package emu

import "dsac/codegen/ptx"

// pack joins the elements of a vector, the first in the low bits.
func (c *compiler) pack(to, from *ptx.Operand, t ptx.Type) (step, error) {
	d, err := c.dst(to)
	if err != nil {
		return nil, err
	}
	n := len(from.Sub)
	width := t.Bits() / n
	parts := make([]int, n)
	for i := range parts {
		if parts[i], err = c.src(&from.Sub[i], bitsType(width)); err != nil {
			return nil, err
		}
	}
	return func(w *warp, m uint32) {
		for ; m != 0; m &= m - 1 {
			l := lane(m)
			var x uint64
			for i, p := range parts {
				x |= truncate(w.r[p][l], width) << (i * width)
			}
			w.r[d][l] = x
		}
	}, nil
}

func (c *compiler) unpack(to, from *ptx.Operand, t ptx.Type) (step, error) {
	a, err := c.src(from, t)
	if err != nil {
		return nil, err
	}
	n := len(to.Sub)
	width := t.Bits() / n
	parts := make([]int, n)
	for i := range parts {
		if parts[i], err = c.dst(&to.Sub[i]); err != nil {
			return nil, err
		}
	}
	return func(w *warp, m uint32) {
		for ; m != 0; m &= m - 1 {
			l := lane(m)
			x := w.r[a][l]
			for i, p := range parts {
				w.r[p][l] = truncate(x>>(i*width), width)
			}
		}
	}, nil
}

func bitsType(n int) ptx.Type {
	return map[int]ptx.Type{8: ptx.B8, 16: ptx.B16, 32: ptx.B32, 64: ptx.B64}[n]
}
