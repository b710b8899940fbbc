package tokenizer

import "unicode/utf8"

// A byte-level vocabulary spells bytes in printable characters (section 6.1): 0x21-7E, A1-AC
// and AE-FF stand for themselves, the other 68 bytes are U+0100, U+0101, ... in order.

// lastSpelled is the highest code point of the alphabet.
const lastSpelled = 0x100 + 68 - 1

// spelled maps a code point of the alphabet to its byte, other code points to -1.
var spelled = func() (t [lastSpelled + 1]int16) {
	for i := range t {
		t[i] = -1
	}
	next := 0x100
	for b := range 256 {
		if 0x21 <= b && b <= 0x7e || 0xa1 <= b && b <= 0xac || 0xae <= b {
			t[b] = int16(b)
			continue
		}
		t[next] = int16(b)
		next++
	}
	return t
}()

// appendBytes appends the bytes that s spells. A character outside the alphabet stands for its
// own UTF-8 (some files hold such tokens; no text encodes to them).
func appendBytes(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		if c := s[i]; 0x21 <= c && c <= 0x7e {
			dst = append(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r <= lastSpelled && spelled[r] >= 0 {
			dst = append(dst, byte(spelled[r]))
		} else {
			dst = append(dst, s[i:i+n]...)
		}
		i += n
	}
	return dst
}

// alphabetDecoder decodes many tokens into one allocation.
type alphabetDecoder struct {
	arena []byte
}

func newAlphabetDecoder(tokens []string) *alphabetDecoder {
	n := 0
	for _, s := range tokens {
		n += len(s) // the alphabet never takes fewer bytes than what it spells
	}
	return &alphabetDecoder{arena: make([]byte, 0, n)}
}

// decode returns the bytes that s spells.
func (d *alphabetDecoder) decode(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = 0x21 <= s[i] && s[i] <= 0x7e
	}
	if plain {
		return s
	}
	start := len(d.arena)
	d.arena = appendBytes(d.arena, s)
	return string(d.arena[start:])
}
