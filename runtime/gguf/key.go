package gguf

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Key is one metadata entry. The value stays in the file's bytes until it is asked for.
type Key struct {
	Name  string
	Kind  Kind   // of the value
	Elem  Kind   // of the elements, when Kind is Array
	Count uint64 // elements, when Kind is Array; 1 otherwise
	raw   []byte // a scalar's bytes, a string's bytes, or the array's elements as in the file
}

// TypeString returns the kind for people: "u32", "arr[str,154880]".
func (k *Key) TypeString() string {
	if k.Kind == Array {
		return fmt.Sprintf("arr[%s,%d]", k.Elem, k.Count)
	}
	return k.Kind.String()
}

// Text returns the value for people; of an array at most limit elements, then "...".
func (k *Key) Text(limit int) string {
	if k.Kind != Array {
		return scalarText(k.Kind, k.raw)
	}
	var b strings.Builder
	b.WriteByte('[')
	i := 0
	for elem := range k.elems() {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == limit {
			b.WriteString("...")
			break
		}
		b.WriteString(scalarText(k.Elem, elem))
		i++
	}
	b.WriteByte(']')
	return b.String()
}

// elems yields the bytes of each element of an array whose extent the parser has checked.
func (k *Key) elems() func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		raw := k.raw
		for range k.Count {
			n := kinds[k.Elem].size
			if k.Elem == String {
				n = int(binary.LittleEndian.Uint64(raw))
				raw = raw[8:]
			}
			if !yield(raw[:n:n]) {
				return
			}
			raw = raw[n:]
		}
	}
}

func scalarText(k Kind, raw []byte) string {
	switch k {
	case String:
		return strconv.Quote(string(raw))
	case Bool:
		return strconv.FormatBool(raw[0] != 0)
	case Float32:
		return strconv.FormatFloat(floatOf(k, raw), 'g', -1, 32)
	case Float64:
		return strconv.FormatFloat(floatOf(k, raw), 'g', -1, 64)
	case Uint64:
		return strconv.FormatUint(binary.LittleEndian.Uint64(raw), 10)
	}
	v, _ := intOf(k, raw)
	return strconv.FormatInt(v, 10)
}

// intOf reads an integer of any width; ok is false when k is no integer kind or the value
// does not fit.
func intOf(k Kind, raw []byte) (v int64, ok bool) {
	switch k {
	case Uint8:
		return int64(raw[0]), true
	case Int8:
		return int64(int8(raw[0])), true
	case Uint16:
		return int64(binary.LittleEndian.Uint16(raw)), true
	case Int16:
		return int64(int16(binary.LittleEndian.Uint16(raw))), true
	case Uint32:
		return int64(binary.LittleEndian.Uint32(raw)), true
	case Int32:
		return int64(int32(binary.LittleEndian.Uint32(raw))), true
	case Uint64:
		u := binary.LittleEndian.Uint64(raw)
		return int64(u), u <= math.MaxInt64
	case Int64:
		return int64(binary.LittleEndian.Uint64(raw)), true
	}
	return 0, false
}

func floatOf(k Kind, raw []byte) float64 {
	if k == Float32 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(raw))
}
