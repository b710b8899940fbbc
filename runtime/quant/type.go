package quant

import (
	"errors"
	"fmt"
	"strconv"
)

// Type is a ggml tensor type, by its id in GGUF files (docs/spec/glm-dsa.md, end of 4.5).
type Type uint32

// The ids that ggml assigns. Gaps are retired types.
const (
	F32    Type = 0
	F16    Type = 1
	Q4_0   Type = 2
	Q4_1   Type = 3
	Q5_0   Type = 6
	Q5_1   Type = 7
	Q8_0   Type = 8
	Q8_1   Type = 9
	Q2_K   Type = 10
	Q3_K   Type = 11
	Q4_K   Type = 12
	Q5_K   Type = 13
	Q6_K   Type = 14
	Q8_K   Type = 15
	IQ2XXS Type = 16
	IQ2XS  Type = 17
	IQ3XXS Type = 18
	IQ1S   Type = 19
	IQ4_NL Type = 20
	IQ3S   Type = 21
	IQ2S   Type = 22
	IQ4_XS Type = 23
	I8     Type = 24
	I16    Type = 25
	I32    Type = 26
	I64    Type = 27
	F64    Type = 28
	IQ1M   Type = 29
	BF16   Type = 30
	TQ1_0  Type = 34
	TQ2_0  Type = 35
	MXFP4  Type = 39
	NVFP4  Type = 40
)

// ErrUnsupported is wrapped by the errors about types whose size is known but whose blocks
// this package cannot decode or encode.
var ErrUnsupported = errors.New("unsupported type")

// Info describes the blocks of one type. A row of a tensor is a whole number of blocks.
type Info struct {
	Name       string // lower case, as in file names: "q4_k"
	Elems      int    // values per block
	Bytes      int    // bytes per block
	decode32   func(dst []float32, src []byte)
	decode64   func(dst []float64, src []byte)
	encode     func(dst []byte, src []float32)
	randomise  func(dst []byte, r *Rand, scale float32)
	randomUnit float64 // standard deviation of what randomise makes with a scale field of 1
}

// infos has one row per known type; an Elems of 0 marks an id that ggml does not use.
// Sizes: docs/spec/glm-dsa.md section 5.
var infos = [...]Info{
	F32:    {Name: "f32", Elems: 1, Bytes: 4, decode32: decodeF32[float32], decode64: decodeF32[float64], encode: encodeF32, randomise: randomF32, randomUnit: 1},
	F16:    {Name: "f16", Elems: 1, Bytes: 2, decode32: decodeF16[float32], decode64: decodeF16[float64], encode: encodeF16, randomise: randomF16, randomUnit: 1},
	BF16:   {Name: "bf16", Elems: 1, Bytes: 2, decode32: decodeBF16[float32], decode64: decodeBF16[float64], encode: encodeBF16, randomise: randomBF16, randomUnit: 1},
	Q4_0:   {Name: "q4_0", Elems: 32, Bytes: 18, decode32: decodeQ4_0[float32], decode64: decodeQ4_0[float64], encode: encodeQ4_0, randomise: randomQ4_0, randomUnit: 4.683},
	Q4_1:   {Name: "q4_1", Elems: 32, Bytes: 20, decode32: decodeQ4_1[float32], decode64: decodeQ4_1[float64], encode: encodeQ4_1, randomise: randomQ4_1, randomUnit: 4.782},
	Q5_0:   {Name: "q5_0", Elems: 32, Bytes: 22, decode32: decodeQ5_0[float32], decode64: decodeQ5_0[float64], encode: encodeQ5_0, randomise: randomQ5_0, randomUnit: 9.34},
	Q5_1:   {Name: "q5_1", Elems: 32, Bytes: 24, decode32: decodeQ5_1[float32], decode64: decodeQ5_1[float64], encode: encodeQ5_1, randomise: randomQ5_1, randomUnit: 9.592},
	Q8_0:   {Name: "q8_0", Elems: 32, Bytes: 34, decode32: decodeQ8_0[float32], decode64: decodeQ8_0[float64], encode: encodeQ8_0, randomise: randomQ8_0, randomUnit: 74.65},
	IQ4_NL: {Name: "iq4_nl", Elems: 32, Bytes: 18, decode32: decodeIQ4NL[float32], decode64: decodeIQ4NL[float64], encode: encodeIQ4NL, randomise: randomIQ4NL, randomUnit: 68.1},
	MXFP4:  {Name: "mxfp4", Elems: 32, Bytes: 17, decode32: decodeMXFP4[float32], decode64: decodeMXFP4[float64], encode: encodeMXFP4, randomise: randomMXFP4, randomUnit: 5.852},
	Q2_K:   {Name: "q2_k", Elems: 256, Bytes: 84, decode32: decodeQ2K[float32], decode64: decodeQ2K[float64], encode: encodeQ2K, randomise: randomQ2K, randomUnit: 14.14},
	Q3_K:   {Name: "q3_k", Elems: 256, Bytes: 110, decode32: decodeQ3K[float32], decode64: decodeQ3K[float64], encode: encodeQ3K, randomise: randomQ3K, randomUnit: 43.9},
	Q4_K:   {Name: "q4_k", Elems: 256, Bytes: 144, decode32: decodeQ4K[float32], decode64: decodeQ4K[float64], encode: encodeQ4K, randomise: randomQ4K, randomUnit: 246.4},
	Q5_K:   {Name: "q5_k", Elems: 256, Bytes: 176, decode32: decodeQ5K[float32], decode64: decodeQ5K[float64], encode: encodeQ5K, randomise: randomQ5K, randomUnit: 497.1},
	Q6_K:   {Name: "q6_k", Elems: 256, Bytes: 210, decode32: decodeQ6K[float32], decode64: decodeQ6K[float64], encode: encodeQ6K, randomise: randomQ6K, randomUnit: 611.6},
	Q8_K:   {Name: "q8_k", Elems: 256, Bytes: 292, decode32: decodeQ8K[float32], decode64: decodeQ8K[float64], encode: encodeQ8K, randomise: randomQ8K, randomUnit: 74.65},
	IQ4_XS: {Name: "iq4_xs", Elems: 256, Bytes: 136, decode32: decodeIQ4XS[float32], decode64: decodeIQ4XS[float64], encode: encodeIQ4XS, randomise: randomIQ4XS, randomUnit: 1261},

	// Known sizes, no decoder: the lattice types need grids of their own (spec section 5.3).
	Q8_1:   {Name: "q8_1", Elems: 32, Bytes: 36},
	IQ2XXS: {Name: "iq2_xxs", Elems: 256, Bytes: 66},
	IQ2XS:  {Name: "iq2_xs", Elems: 256, Bytes: 74},
	IQ3XXS: {Name: "iq3_xxs", Elems: 256, Bytes: 98},
	IQ1S:   {Name: "iq1_s", Elems: 256, Bytes: 50},
	IQ3S:   {Name: "iq3_s", Elems: 256, Bytes: 110},
	IQ2S:   {Name: "iq2_s", Elems: 256, Bytes: 82},
	IQ1M:   {Name: "iq1_m", Elems: 256, Bytes: 56},
	TQ1_0:  {Name: "tq1_0", Elems: 256, Bytes: 54},
	TQ2_0:  {Name: "tq2_0", Elems: 256, Bytes: 66},
	NVFP4:  {Name: "nvfp4", Elems: 64, Bytes: 36},
	I8:     {Name: "i8", Elems: 1, Bytes: 1},
	I16:    {Name: "i16", Elems: 1, Bytes: 2},
	I32:    {Name: "i32", Elems: 1, Bytes: 4},
	I64:    {Name: "i64", Elems: 1, Bytes: 8},
	F64:    {Name: "f64", Elems: 1, Bytes: 8},
}

// Info returns the row of the table for t; ok is false for an id that ggml does not use.
func (t Type) Info() (info Info, ok bool) {
	if int(t) >= len(infos) || infos[t].Elems == 0 {
		return Info{}, false
	}
	return infos[t], true
}

// Types returns every known type in order of id.
func Types() []Type {
	var ts []Type
	for i := range infos {
		if infos[i].Elems != 0 {
			ts = append(ts, Type(i))
		}
	}
	return ts
}

// String returns the lower-case name, or "type(N)" for an id that ggml does not use.
func (t Type) String() string {
	if info, ok := t.Info(); ok {
		return info.Name
	}
	return "type(" + strconv.FormatUint(uint64(t), 10) + ")"
}

// Parse returns the type with the given lower-case name.
func Parse(name string) (Type, error) {
	for i := range infos {
		if infos[i].Elems != 0 && infos[i].Name == name {
			return Type(i), nil
		}
	}
	return 0, fmt.Errorf("unknown tensor type %q", name)
}

// RowBytes returns the bytes of a row of cols values. It is an error when t is unknown, or
// when cols is not a multiple of the block.
func (t Type) RowBytes(cols int) (int, error) {
	info, ok := t.Info()
	if !ok {
		return 0, fmt.Errorf("unknown tensor type id %d", uint32(t))
	}
	if cols < 0 || cols%info.Elems != 0 {
		return 0, fmt.Errorf("row of %d values is not a multiple of the %d-value block of %s", cols, info.Elems, info.Name)
	}
	blocks := cols / info.Elems
	const maxInt = int(^uint(0) >> 1)
	if blocks > maxInt/info.Bytes {
		return 0, fmt.Errorf("row of %d values of %s is too large", cols, info.Name)
	}
	return blocks * info.Bytes, nil
}

// Decodable reports whether Decode works for t.
func (t Type) Decodable() bool {
	info, ok := t.Info()
	return ok && info.decode32 != nil
}
