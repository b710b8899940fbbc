// Package ir is the graph form: values without addresses, ops with declared effects, symbolic
// rows and context. It prints and parses its own text. It must not import anything but the
// standard library: the op table lies in ir/ops, the plan form in runtime/plan.
package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// DType names an element type: "f32", "i32", "u8", or a GGUF quantisation type such as "q4_k".
type DType string

// Element types that the compiler itself creates.
const (
	F32 DType = "f32"
	F16 DType = "f16"
	I32 DType = "i32"
	U8  DType = "u8"
)

// Sym is a symbolic extent.
type Sym uint8

// Symbols: T rows of a step, R rows of logits, C rows of the caches.
const (
	NoSym Sym = iota
	SymT
	SymR
	SymC
)

var symNames = [...]string{"", "T", "R", "C"}

func (s Sym) String() string { return symNames[s] }

// Dim is K or K*Sym.
type Dim struct {
	K   uint32
	Sym Sym
}

// Fixed returns the extent k.
func Fixed(k int) Dim { return Dim{K: uint32(k)} }

func (d Dim) String() string {
	switch {
	case d.Sym == NoSym:
		return strconv.Itoa(int(d.K))
	case d.K == 1:
		return d.Sym.String()
	}
	return strconv.Itoa(int(d.K)) + d.Sym.String()
}

// MaxRank is the largest number of dimensions of a value.
const MaxRank = 4

// Type is the shape and element type of a value, outermost dimension first. Types compare with ==.
type Type struct {
	DType DType
	Rank  uint8
	Dims  [MaxRank]Dim
}

// Of builds a type.
func Of(dt DType, dims ...Dim) Type {
	t := Type{DType: dt, Rank: uint8(len(dims))}
	copy(t.Dims[:], dims)
	return t
}

// Shape returns the dimensions.
func (t Type) Shape() []Dim { return t.Dims[:t.Rank] }

// Last returns the innermost dimension.
func (t Type) Last() Dim { return t.Dims[t.Rank-1] }

// WithLast returns t with another innermost dimension.
func (t Type) WithLast(d Dim) Type {
	t.Dims[t.Rank-1] = d
	return t
}

func (t Type) String() string {
	var b strings.Builder
	b.WriteString(string(t.DType))
	b.WriteByte('[')
	for i, d := range t.Shape() {
		if i > 0 {
			b.WriteByte('x')
		}
		b.WriteString(d.String())
	}
	b.WriteByte(']')
	return b.String()
}

// ParseType reads the text of a Type.
func ParseType(s string) (Type, error) {
	dt, rest, ok := strings.Cut(s, "[")
	if !ok || !strings.HasSuffix(rest, "]") || dt == "" {
		return Type{}, fmt.Errorf("type %q: want dtype[AxB]", s)
	}
	t := Type{DType: DType(dt)}
	for _, f := range strings.Split(strings.TrimSuffix(rest, "]"), "x") {
		if t.Rank == MaxRank {
			return Type{}, fmt.Errorf("type %q: more than %d dimensions", s, MaxRank)
		}
		d, err := parseDim(f)
		if err != nil {
			return Type{}, fmt.Errorf("type %q: %w", s, err)
		}
		t.Dims[t.Rank] = d
		t.Rank++
	}
	return t, nil
}

func parseDim(f string) (Dim, error) {
	d := Dim{K: 1}
	digits := strings.TrimRight(f, "TRC")
	if sym := f[len(digits):]; sym != "" {
		d.Sym = map[string]Sym{"T": SymT, "R": SymR, "C": SymC}[sym]
		if d.Sym == NoSym {
			return d, fmt.Errorf("dimension %q: one of T, R, C may end it", f)
		}
		if digits == "" {
			return d, nil
		}
	}
	k, err := strconv.ParseUint(digits, 10, 32)
	if err != nil {
		return d, fmt.Errorf("dimension %q: want a number", f)
	}
	d.K = uint32(k)
	return d, nil
}

// Bind gives the symbols values: the rows of an entry, its rows of logits, the context.
type Bind struct{ T, R, C int }

// Extent returns the value of d.
func (b Bind) Extent(d Dim) int {
	switch d.Sym {
	case SymT:
		return int(d.K) * b.T
	case SymR:
		return int(d.K) * b.R
	case SymC:
		return int(d.K) * b.C
	}
	return int(d.K)
}

// Elems returns the number of elements of t.
func (b Bind) Elems(t Type) int {
	n := 1
	for _, d := range t.Shape() {
		n *= b.Extent(d)
	}
	return n
}
