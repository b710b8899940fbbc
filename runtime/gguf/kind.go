package gguf

import "strconv"

// Kind is the type of a metadata value (spec section 4.1).
type Kind uint32

// The kinds by their ids in files.
const (
	Uint8   Kind = 0
	Int8    Kind = 1
	Uint16  Kind = 2
	Int16   Kind = 3
	Uint32  Kind = 4
	Int32   Kind = 5
	Float32 Kind = 6
	Bool    Kind = 7
	String  Kind = 8
	Array   Kind = 9
	Uint64  Kind = 10
	Int64   Kind = 11
	Float64 Kind = 12
)

// kinds gives each kind's name and its size in bytes; 0 for the two of variable size.
var kinds = [...]struct {
	name string
	size int
}{
	Uint8: {"u8", 1}, Int8: {"i8", 1}, Uint16: {"u16", 2}, Int16: {"i16", 2},
	Uint32: {"u32", 4}, Int32: {"i32", 4}, Float32: {"f32", 4}, Bool: {"bool", 1},
	String: {"str", 0}, Array: {"arr", 0}, Uint64: {"u64", 8}, Int64: {"i64", 8}, Float64: {"f64", 8},
}

// String returns a short name: "u32", "str", "arr".
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k].name
	}
	return "kind(" + strconv.FormatUint(uint64(k), 10) + ")"
}
