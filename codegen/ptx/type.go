package ptx

// Type is a PTX scalar or packed type as written in opcodes and declarations.
type Type uint8

// The types that kernels of this compiler use.
const (
	NoType Type = iota
	Pred
	B8
	B16
	B32
	B64
	B128
	U8
	U16
	U32
	U64
	S8
	S16
	S32
	S64
	F16
	F16x2
	BF16
	BF16x2
	TF32
	F32
	F64
	numTypes
)

// Kind is what the bits of a type mean.
type Kind uint8

// Kinds of types.
const (
	Untyped Kind = iota
	Unsigned
	Signed
	Float
	Predicate
)

var typeTable = [numTypes]struct {
	name string
	bits int
	kind Kind
}{
	NoType: {"", 0, Untyped},
	Pred:   {"pred", 1, Predicate},
	B8:     {"b8", 8, Untyped}, B16: {"b16", 16, Untyped}, B32: {"b32", 32, Untyped},
	B64: {"b64", 64, Untyped}, B128: {"b128", 128, Untyped},
	U8: {"u8", 8, Unsigned}, U16: {"u16", 16, Unsigned}, U32: {"u32", 32, Unsigned}, U64: {"u64", 64, Unsigned},
	S8: {"s8", 8, Signed}, S16: {"s16", 16, Signed}, S32: {"s32", 32, Signed}, S64: {"s64", 64, Signed},
	F16: {"f16", 16, Float}, F16x2: {"f16x2", 32, Float}, BF16: {"bf16", 16, Float}, BF16x2: {"bf16x2", 32, Float},
	TF32: {"tf32", 32, Float}, F32: {"f32", 32, Float}, F64: {"f64", 64, Float},
}

var typeByName = func() map[string]Type {
	m := make(map[string]Type, numTypes)
	for t := Pred; t < numTypes; t++ {
		m[typeTable[t].name] = t
	}
	return m
}()

// TypeNamed returns the type written as name ("f32", without the dot), or NoType.
func TypeNamed(name string) Type { return typeByName[name] }

func (t Type) String() string { return typeTable[t].name }

// Bits is the width of a register of the type; 1 for predicates.
func (t Type) Bits() int { return typeTable[t].bits }

// Bytes is the width of the type in memory; 0 for predicates.
func (t Type) Bytes() int { return typeTable[t].bits / 8 }

// Kind says what the bits mean.
func (t Type) Kind() Kind { return typeTable[t].kind }

// Signed reports whether integers of the type are signed.
func (t Type) Signed() bool { return typeTable[t].kind == Signed }

// Float reports whether the type is a floating-point one.
func (t Type) Float() bool { return typeTable[t].kind == Float }

// Space is a PTX state space.
type Space uint8

// State spaces; Generic is an address that says its space itself.
const (
	Generic Space = iota
	Global
	Shared
	Local
	ParamSpace
	Const
	numSpaces
)

var spaceNames = [numSpaces]string{"generic", "global", "shared", "local", "param", "const"}

func (s Space) String() string { return spaceNames[s] }

// SpaceNamed returns the space written as name in an opcode or declaration.
func SpaceNamed(name string) (Space, bool) {
	switch name {
	case "global":
		return Global, true
	case "shared", "shared::cta", "shared::cluster":
		return Shared, true
	case "local":
		return Local, true
	case "param":
		return ParamSpace, true
	case "const":
		return Const, true
	}
	return Generic, false
}
