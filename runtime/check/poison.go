package check

import "encoding/binary"

var le = binary.LittleEndian

// Poison words: a NaN as float32 and, in either half, as f16 and bf16, and none that arithmetic
// makes: GPUs give 0x7fff and 0x7fffffff, processors 0x7e00, 0x7fc0 and 0x7fc00000. For integers
// a value that is no index.
const (
	poisonFloat = 0x7ffd7ffd
	poisonInt   = 0x80000000
)

// poisonOf is the poison of an element type, floats unless listed.
var poisonOf = map[string]uint32{"i32": poisonInt}

func poison(b []byte, dtype string) {
	word, ok := poisonOf[dtype]
	if !ok {
		word = poisonFloat
	}
	for ; len(b) >= 4; b = b[4:] {
		le.PutUint32(b, word)
	}
	for i := range b {
		b[i] = byte(word >> (8 * i))
	}
}
