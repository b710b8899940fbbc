package plan

import (
	"errors"
	"fmt"
	"strconv"
)

// Verify reports everything that is wrong with the structure of p, joined in one error, or
// nil. Sound comes first, alone: the other checks need it.
//
// It checks that
//   - every operand range lies in its buffer, low end first, at every corner of the symbols
//     (n = 1 and rows, pos = 0 and ctx-n), and so do the valid bytes of state buffers;
//   - every buffer lies in its region, arena buffers of an entry in the arena it claims, and
//     no end overflows 64 bits; alignments are powers of two; shapes of plain types fit;
//   - views lie inside their parent, in both placements, and in-place partners share bytes;
//   - declared lifetimes are not empty and end with their entry;
//   - padded placement: owners of arena bytes of one entry are PadGap apart;
//   - there is at most one control buffer, of CtlSize bytes or more, in a state region;
//   - entries have 1 or more rows and no more output rows than that; ctx is a number where
//     ranges need it;
//   - the steps of a launch are on one stream with nothing between them, grid and block are
//     not empty if there is a kernel, and a kernel of one step has a parameter for each
//     operand and one for the control buffer;
//   - each weight has a buffer in a const region, dimensions, and a part inside its axis.
//
// It does not check who defines what (that is the lint's), nor names of ops, dtypes and
// layouts, nor kernel texts, nor that offsets obey alignment, nor that buffers overlap only
// when their lives do not.
func Verify(p *Plan) error {
	if err := Sound(p); err != nil {
		return err
	}
	v := verifier{p: p}
	for _, check := range []func(*verifier){
		(*verifier).facts, (*verifier).bufs, (*verifier).relatives, (*verifier).lives, (*verifier).controls,
		(*verifier).ranges, (*verifier).launches, (*verifier).weights, (*verifier).padded,
	} {
		check(&v)
	}
	return errors.Join(v.errs...)
}

type verifier struct {
	p    *Plan
	errs []error
}

func (v *verifier) bad(format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf(format, args...))
}

// where names a step with its entry.
func (p *Plan) where(e *Entry, s *Step) string {
	if e.Name == 0 {
		return "op " + p.Str(s.Name)
	}
	return "entry " + p.Str(e.Name) + ", op " + p.Str(s.Name)
}

// bufName names a buffer with its entry.
func (p *Plan) bufName(i int32) string {
	b := &p.Bufs[i]
	if b.Entry == None || p.Entries[b.Entry].Name == 0 {
		return "buffer " + p.Str(b.Name)
	}
	return "entry " + p.Str(p.Entries[b.Entry].Name) + ", buffer " + p.Str(b.Name)
}

func (v *verifier) facts() {
	for _, key := range []string{MetaCtx, MetaChunk, MetaTP, MetaVocab} {
		if s := v.p.MetaValue(key); s != "" {
			if n, err := strconv.ParseInt(s, 10, 64); err != nil || n < 1 {
				v.bad("fact %s=%s: want a positive number", key, s)
			}
		}
	}
	for i := range v.p.Entries {
		e := &v.p.Entries[i]
		if e.Rows < 1 || e.Outs > e.Rows {
			v.bad("entry %s: %d rows, %d of output: want at least 1, and no more out than in", v.p.Str(e.Name), e.Rows, e.Outs)
		}
	}
}

// Ctx returns the rows of the caches, or 0 if the plan does not say.
func (p *Plan) Ctx() int64 {
	n, err := strconv.ParseInt(p.MetaValue(MetaCtx), 10, 64)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// Corners returns the extreme assignments of the symbols in e: n is 1 or e.Rows, pos is 0 or
// ctx-n. Without a context pos is 0.
func (p *Plan) Corners(e *Entry) []Point {
	var ps []Point
	for _, n := range []int64{1, int64(e.Rows)} {
		for _, pos := range []int64{0, max(0, p.Ctx()-n)} {
			pt := Point{N: n, Pos: pos, Len: pos + n}
			if len(ps) == 0 || ps[len(ps)-1] != pt {
				ps = append(ps, pt)
			}
		}
	}
	return ps
}

// eval evaluates l; ok is false if the value leaves 64 bits.
func (l Lin) eval(at Point) (v int64, ok bool) {
	v = l.At(at)
	f := float64(l.C) + float64(l.K)*float64(Lin{K: 1, Sym: l.Sym}.At(at))
	return v, f > -(1<<62) && f < 1<<62 && v > -(1<<63)
}

// ranges checks the operands of all entries.
func (v *verifier) ranges() {
	for i := range v.p.Entries {
		e := &v.p.Entries[i]
		corners := v.p.Corners(e)
		steps := v.p.EntrySteps(e)
		for j := range steps {
			for k := range v.p.Ops(&steps[j]) {
				v.operand(e, &steps[j], &v.p.Ops(&steps[j])[k], corners)
			}
		}
	}
}

func (v *verifier) operand(e *Entry, s *Step, o *Operand, corners []Point) {
	p := v.p
	if o.Hi == Whole {
		return
	}
	b := &p.Bufs[o.Buf]
	if p.Ctx() == 0 && max(o.Lo.Sym, o.Hi.Sym) >= SymPos {
		v.bad("%s: %s[%s:%s] depends on pos, but the plan has no fact ctx", p.where(e, s), p.Str(b.Name), o.Lo, o.Hi)
		return
	}
	for _, at := range corners {
		lo, ok1 := o.Lo.eval(at)
		hi, ok2 := o.Hi.eval(at)
		if !ok1 || !ok2 || lo < 0 || hi < lo || uint64(hi) > b.Size {
			v.bad("%s: %s[%s:%s] is [%d:%d) at n=%d pos=%d, the buffer has %d bytes", p.where(e, s), p.Str(b.Name), o.Lo, o.Hi, lo, hi, at.N, at.Pos, b.Size)
			return
		}
	}
}
