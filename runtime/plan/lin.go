package plan

// SymID names a per-step quantity that ranges may depend on.
type SymID uint8

// Symbols. Their bounds: 1 <= n <= Entry.Rows, 0 <= pos <= ctx-n, len = pos+n. After a step
// pos grows by the accepted rows, n when nothing was drafted.
const (
	NoSym  SymID = iota
	SymN         // live rows of this step
	SymPos       // rows already in the caches when the step starts
	SymLen       // pos + n
)

// SymNames are the text forms of the symbols.
var SymNames = [...]string{"", "n", "pos", "len"}

// Lin is C + K*sym, in bytes.
type Lin struct {
	C, K int64
	Sym  SymID
	_    [7]byte
}

// Fixed returns the Lin of a fixed number.
func Fixed(c int64) Lin { return Lin{C: c} }

// Times returns k*sym.
func Times(k int64, s SymID) Lin { return Lin{K: k, Sym: s} }

// wholeC marks the Hi of a range that means "to the end of the buffer".
const wholeC = -1

// Whole is the Hi of an operand that covers its buffer; its Lo is zero.
var Whole = Lin{C: wholeC}

// Point is one assignment of the symbols.
type Point struct{ N, Pos, Len int64 }

// At evaluates l.
func (l Lin) At(p Point) int64 {
	switch l.Sym {
	case SymN:
		return l.C + l.K*p.N
	case SymPos:
		return l.C + l.K*p.Pos
	case SymLen:
		return l.C + l.K*p.Len
	}
	return l.C
}

// Range returns the byte range [lo, hi) of o within its buffer at p.
func (p *Plan) Range(o *Operand, at Point) (lo, hi int64) {
	if o.Hi == Whole {
		return 0, int64(p.Bufs[o.Buf].Size)
	}
	return o.Lo.At(at), o.Hi.At(at)
}
