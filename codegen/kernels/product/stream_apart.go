package product

import "dsac/codegen"

// Units for one row of x or two. The columns of an mma, which more rows would need, tell the eight
// groups of 32 columns of a unit apart: in the column of a group B holds x of that group and
// zeros elsewhere. So scales meet the sums of groups instead of codes, which go into the mma as
// they lie. Column 2t+n is row n of group t, in a second mma of group t+4; a single row is in both
// columns. So lane t of a quad, which has the codes and scales of these two groups, gets their
// sums.
type apart struct {
	start, step codegen.I32 // where a lane reads x, in bytes, and from unit to unit
	sums        codegen.I32 // of this lane, in the sums of x of a unit
}

// apartRows is the most rows of x for which groups are told apart: measured, the work for each two
// of four rows is more than what it spares for all.
const apartRows = 2

// tellsApart says whether the groups of units of w are told apart.
func (s *stream) tellsApart(w *weight) bool { return w.apart != nil && s.slots <= apartRows }

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
	own, n := column.Shr(1).Eq(t), column.And(e.slots-1)
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
	sums := e.sumsOf(u, at)
	from := e.apart.start.Add(at.Mul(e.apart.step))
	for part := range u.parts {
		codes := codegen.Lets(8, k.F32(0)) // of groups t, then t+4
		for c := part * chunks; c < (part+1)*chunks; c++ {
			e.apartChunk(u, c, from, codes)
			used(c)
		}
		for down := range 2 {
			add := u.adds(part, down)
			for n := range e.slots {
				sum := to[2*n+down]
				sum.Set(add([2]codegen.F32{codes[2*down+n].Get(), codes[4+2*down+n].Get()}, [2]codegen.F32(sums[n][2*part:]), sum.Get()))
			}
		}
	}
}

// sumsOf loads sums of x, those of groups t and t+4 for each half of the unit.
func (e *streaming) sumsOf(u *apartForm, at codegen.I32) (sums [apartRows][4]codegen.F32) {
	for n := range e.slots {
		sums[n] = e.st.sums.Elem(at.Mul(e.slots).Add(n), apartBytes).At(e.apart.sums).LdF32x4()
		if u.parts == 1 {
			sums[n][0], sums[n][1] = sums[n][0].Add(sums[n][2]), sums[n][1].Add(sums[n][3])
		}
	}
	return sums
}

// apartChunk multiplies chunk c of a unit, whose x is at byte from. Groups t and t+4 take turns, so
// that no mma waits for the one before.
func (e *streaming) apartChunk(u *apartForm, c int, from codegen.I32, codes sums) {
	var x [2][4]codegen.I32
	for h := range x {
		x[h] = e.st.data.At(from.Xor(e.x.turned(c, h))).At(c * e.slots * rowBytes).LdI32x4()
	}
	for s := range 2 {
		for h := range x {
			var a [4]codegen.I32
			for i := range a {
				a[i] = u.code(4*c+2*h+s, i).Bits()
			}
			multiply(e.k, codes[4*h:][:4], a, [2]codegen.I32(x[h][2*s:]))
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
