package emu

import (
	"encoding/binary"

	"dsac/codegen/ptx"
)

// matrices is the number of 8x8 tiles that ldmatrix or stmatrix moves.
func matrices(in *ptx.Instr) int {
	switch {
	case in.Spec.Has("x4"):
		return 4
	case in.Spec.Has("x2"):
		return 2
	}
	return 1
}

// loadMatrix: lane 8i+j gives the address of row j of tile i; lane l gets elements 2(l%4) and
// the next of row l/4, or with .trans of column l/4.
func loadMatrix(c *compiler, in *ptx.Instr) (step, error) {
	n, trans := matrices(in), in.Spec.Has("trans")
	d, err := c.elements(&in.Args[0], ptx.B32, n, true)
	if err != nil {
		return nil, err
	}
	addr, err := c.addrOf(&in.Args[1])
	if err != nil {
		return nil, err
	}
	a := c.newAccess(in, ptx.Shared, 16, 16)
	return func(w *warp, m uint32) {
		w.whole(in, m)
		var at [32]uint64
		addr(w, &at)
		for i := 0; i < n; i++ {
			var rows [8][8]uint16
			for j := range rows {
				if b := w.read(a, 8*i+j, at[8*i+j]); b != nil {
					for e := range rows[j] {
						rows[j][e] = binary.LittleEndian.Uint16(b[2*e:])
					}
				}
			}
			for q := m; q != 0; q &= q - 1 {
				l := lane(q)
				r, e := l/4, 2*(l%4)
				lo, hi := rows[r][e], rows[r][e+1]
				if trans {
					lo, hi = rows[e][r], rows[e+1][r]
				}
				w.r[d[i]][l] = uint64(lo) | uint64(hi)<<16
			}
		}
	}, nil
}

func storeMatrix(c *compiler, in *ptx.Instr) (step, error) {
	n, trans := matrices(in), in.Spec.Has("trans")
	addr, err := c.addrOf(&in.Args[0])
	if err != nil {
		return nil, err
	}
	s, err := c.elements(&in.Args[1], ptx.B32, n, false)
	if err != nil {
		return nil, err
	}
	a := c.newAccess(in, ptx.Shared, 16, 16)
	return func(w *warp, m uint32) {
		w.whole(in, m)
		var at [32]uint64
		addr(w, &at)
		for i := 0; i < n; i++ {
			var rows [8][16]byte
			put := func(r, e int, x uint64) { binary.LittleEndian.PutUint16(rows[r][2*e:], uint16(x)) }
			for l := 0; l < 32; l++ {
				r, e, x := l/4, 2*(l%4), w.r[s[i]][l]
				if trans {
					put(e, r, x)
					put(e+1, r, x>>16)
				} else {
					put(r, e, x)
					put(r, e+1, x>>16)
				}
			}
			for j := range rows {
				w.write(a, 8*i+j, at[8*i+j], rows[j][:])
			}
		}
	}, nil
}
