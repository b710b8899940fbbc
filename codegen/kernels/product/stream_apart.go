package product

import "dsac/codegen"

// Units for up to four rows of x, two at a time. The columns of an mma, which more rows would need, tell the eight
// groups of 32 columns of a unit apart: in the column of a group B holds x of that group and
// zeros elsewhere. So scales meet the sums of groups instead of codes, which go into the mma as
// they lie. Column 2t+n is row n of group t, in a second mma of group t+4; a single row is in both
// columns. So lane t of a quad, which has the codes and scales of these two groups, gets their
// sums.
type apart struct {
	start, step codegen.I32 // where a lane reads x, in bytes, and from unit to unit
	sums        codegen.I32 // of this lane, in the sums of x of a unit
}

// apartRows is the most rows of x for which groups are told apart: the work for each two of them is
// more than what it spares for all. Two weights have no registers for more than two.
func (s *stream) apartRows() int { return 4 / len(s.weights) }

// tellsApart says whether the groups of units of w are told apart.
func (s *stream) tellsApart(w *weight) bool { return w.apart != nil && s.slots <= s.apartRows() }

// pairs is the number of mma for a step: for each two rows of x.
func (s *stream) pairs() int { return ceilDiv(s.slots, 2) }

// anyApart says whether those of any weight are.
func (s *stream) anyApart() bool {
	for _, w := range s.weights {
		if s.tellsApart(w) {
			return true
		}
	}
	return false
}

// zeroBytes is the shared memory that is zero: as much as the x of a unit.
func (s *stream) zeroBytes() int {
	if s.anyApart() {
		return s.iterChunks() * s.slots * rowBytes
	}
	return 0
}

// newApart fills the zeros, which lie behind x. A barrier must follow.
func (e *streaming) newApart() *apart {
	k := e.k
	k.Each(k.Thread(), e.threads(), e.zeroBytes()/16, func(i codegen.I32) {
		z := k.I32(0)
		e.st.data.At(e.dataBytes()).Elem(i, 16).StI32x4([4]codegen.I32{z, z, z, z})
	})
	column, t := k.Lane().Shr(2), k.Lane().And(3)
	own, n := column.Shr(1).Eq(t), column.And(min(2, e.slots)-1)
	x := n.Mul(rowBytes).Add(t.Xor(n.Shl(2)).Shl(4))
	return &apart{
		start: codegen.Select(own, x, k.I32(e.dataBytes())),
		step:  codegen.Select(own, k.I32(e.zeroBytes()), k.I32(0)),
		sums:  t.Mul(apartBytes / 4),
	}
}

// apartUnit adds a unit to the lane's sums: of rows g and g+8, times the rows of x.
func (e *streaming) apartUnit(u *apartForm, at codegen.I32, to sums, used func(c int)) {
	k, chunks := e.k, e.iterChunks()/u.parts
	sums := make([][4]codegen.F32, e.slots) // of x, those of groups t and t+4 for each half of the unit
	for n := range sums {
		sums[n] = e.st.sums.Elem(at.Mul(e.slots).Add(n), apartBytes).At(e.apart.sums).LdF32x4()
		if u.parts == 1 {
			sums[n][0], sums[n][1] = sums[n][0].Add(sums[n][2]), sums[n][1].Add(sums[n][3])
		}
	}
	from := e.apart.start.Add(at.Mul(e.apart.step))
	for part := range u.parts {
		codes := codegen.Lets(8*e.pairs(), k.F32(0)) // of each pair of rows those of groups t, then t+4
		for c := part * chunks; c < (part+1)*chunks; c++ {
			e.apartChunk(u, c, from, codes)
			used(c)
		}
		for down := range 2 {
			add := u.adds(part, down)
			for n := range sums {
				at := 8*(n/2) + 2*down + n%2
				sum := to[2*n+down]
				sum.Set(add([2]codegen.F32{codes[at].Get(), codes[at+4].Get()}, [2]codegen.F32(sums[n][2*part:]), sum.Get()))
			}
		}
	}
}

// apartChunk multiplies chunk c of a unit, whose x is at byte from. Groups t and t+4 take turns, so
// that no mma waits for the one before.
func (e *streaming) apartChunk(u *apartForm, c int, from codegen.I32, codes sums) {
	x := make([][2][4]codegen.I32, e.pairs())
	for p := range x {
		for h := range 2 {
			at := e.st.data.At(from.Xor(e.x.turned(c, h)))
			x[p][h] = at.At((c*e.slots + 2*p) * rowBytes).LdI32x4()
		}
	}
	for s := range 2 {
		for h := range 2 {
			var a [4]codegen.I32
			for i := range a {
				a[i] = u.code(4*c+2*h+s, i).Bits()
			}
			for p := range x {
				multiply(e.k, codes[8*p+4*h:][:4], a, [2]codegen.I32(x[p][h][2*s:]))
			}
		}
	}
}

// leaveApart is leave for sums of apartUnit, of which the lanes of a quad have parts.
func (e *streaming) leaveApart(m int, held, lo codegen.I32, all sums) {
	g, t := e.k.Lane().Shr(2), e.k.Lane().And(3)
	p := e.part(m, held, e.k.Warp()).Elem(g, f32)
	for i, sum := range all {
		v := sum.Get()
		v = v.Add(codegen.ShflXor(v, 1))
		v = v.Add(codegen.ShflXor(v, 2)).Mul([2]float64{1 / apartScale, 1 / apartScale / oddScale}[i&1])
		q := p.At((i>>1*tileRows + i&1*8) * f32)
		ok := t.Eq(0)
		if !e.resident() {
			v = v.Add(q.When(ok.And(lo.Gt(0))).LdF32())
		}
		q.When(ok).StF32(v)
	}
}
