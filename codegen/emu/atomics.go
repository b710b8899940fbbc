package emu

import (
	"fmt"

	"dsac/codegen/ptx"
)

// atomic compiles atom and red. Lanes take their turns in ascending order.
func atomic(c *compiler, in *ptx.Instr) (step, error) {
	t := in.Spec.Types[0]
	d, at := -1, 0
	var err error
	if in.Spec.Name == "atom" {
		at = 1
		if d, err = c.dst(&in.Args[0]); err != nil {
			return nil, err
		}
	}
	addr, err := c.addrOf(&in.Args[at])
	if err != nil {
		return nil, err
	}
	s, err := c.srcs(in, at+1, len(in.Args))
	if err != nil {
		return nil, err
	}
	f, err := atomicFunc(in, t)
	if err != nil {
		return nil, err
	}
	size := t.Bytes()
	a := c.newAccess(in, in.Spec.Space, size, size)
	a.atomic, a.rmw = true, true
	acquire, release := in.Spec.Has("acquire") || in.Spec.Has("acq_rel"), in.Spec.Has("release") || in.Spec.Has("acq_rel")
	return func(w *warp, m uint32) {
		var where [32]uint64
		addr(w, &where)
		for ; m != 0; m &= m - 1 {
			l := lane(m)
			space, p := a.place(where[l])
			var b []byte
			switch space {
			case ptx.Global:
				b = w.writeGlobal(a, l, p, nil)
			case ptx.Shared:
				b = w.writeShared(a, l, p, nil, 1)
			default:
				w.find(Undeclared, in, l, nil, int64(p), fmt.Sprintf("atomic on %s space", space))
			}
			if b == nil {
				continue
			}
			old := little(b, size)
			putLittle(b, f(old, w.r[s[0]][l], w.r[s[1]][l]), size)
			if d >= 0 {
				w.r[d][l] = old
			}
			if space == ptx.Global {
				w.release(p, release)
				w.acquire(p, acquire)
			}
		}
	}, nil
}

// atomicFunc gives the new value from the old one and the operands.
func atomicFunc(in *ptx.Instr, t ptx.Type) (func(old, x, y uint64) uint64, error) {
	n, ext := t.Bits(), integer(t)
	op := ""
	for _, m := range in.Spec.Mods {
		switch m {
		case "add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec":
			op = m
		}
	}
	less := func(x, y uint64) bool { return ext(x) < ext(y) }
	if t.Signed() {
		less = func(x, y uint64) bool { return int64(ext(x)) < int64(ext(y)) }
	}
	if t.Float() && op == "add" {
		switch t {
		case ptx.F32:
			return func(o, x, _ uint64) uint64 { return bits32(f32(o) + f32(x)) }, nil
		case ptx.F64:
			return func(o, x, _ uint64) uint64 { return bits64(f64(o) + f64(x)) }, nil
		}
		add := func(x, y, _ uint64) uint64 { return uint64(half.encode(sumOdd(f16(x), f16(y)), nearest)) }
		if t.Bits() == 32 {
			add = lanes2(add)
		}
		return add, nil
	}
	if f := map[string]func(o, x, y uint64) uint64{
		"add": func(o, x, _ uint64) uint64 { return truncate(o+x, n) },
		"and": func(o, x, _ uint64) uint64 { return o & x }, "or": func(o, x, _ uint64) uint64 { return o | x },
		"xor": func(o, x, _ uint64) uint64 { return o ^ x }, "exch": func(_, x, _ uint64) uint64 { return x },
		"min": func(o, x, _ uint64) uint64 {
			if less(x, o) {
				return x
			}
			return o
		},
		"max": func(o, x, _ uint64) uint64 {
			if less(o, x) {
				return x
			}
			return o
		},
		"inc": func(o, x, _ uint64) uint64 {
			if o >= x {
				return 0
			}
			return o + 1
		},
		"dec": func(o, x, _ uint64) uint64 {
			if o == 0 || o > x {
				return x
			}
			return o - 1
		},
		"cas": func(o, x, y uint64) uint64 {
			if o == x {
				return y
			}
			return o
		},
	}[op]; f != nil && !t.Float() {
		return f, nil
	}
	return nil, fmt.Errorf("no atomic %s of .%s", op, t)
}
