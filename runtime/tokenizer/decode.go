package tokenizer

import (
	"fmt"
	"unicode/utf8"
)

// Token returns the bytes of one token: part of a character, or the text of an added token.
func (t *Tokenizer) Token(id int32) (string, error) {
	if id < 0 || int(id) >= len(t.text) {
		return "", fmt.Errorf("token id %d is outside the vocabulary of %d", id, len(t.text))
	}
	return t.text[id], nil
}

// Decode returns the bytes of ids, added tokens as their text. They need not be valid UTF-8.
func (t *Tokenizer) Decode(ids []int32) ([]byte, error) {
	var out []byte
	for i, id := range ids {
		s, err := t.Token(id)
		if err != nil {
			return nil, fmt.Errorf("token %d of %d: %w", i, len(ids), err)
		}
		out = append(out, s...)
	}
	return out, nil
}

// Stream decodes token by token and hands out whole characters only. The strings it returns,
// joined, are exactly what Decode gives; bytes that no continuation can make valid are passed
// on as they are. The zero Stream is not usable: see Tokenizer.Stream.
type Stream struct {
	t    *Tokenizer
	held []byte // start of a character that is not complete
}

// Stream returns a decoder at the start of a text.
func (t *Tokenizer) Stream() *Stream { return &Stream{t: t} }

// Push returns the text that token id completes, often all of the token, sometimes "".
func (s *Stream) Push(id int32) (string, error) {
	text, err := s.t.Token(id)
	if err != nil {
		return "", err
	}
	s.held = append(s.held, text...)
	n := wholePrefix(s.held)
	out := string(s.held[:n])
	s.held = append(s.held[:0], s.held[n:]...)
	return out, nil
}

// Flush returns the bytes still held, at the end of a text, and starts anew.
func (s *Stream) Flush() string {
	out := string(s.held)
	s.held = s.held[:0]
	return out
}

// wholePrefix returns the length of b without an unfinished character at its end.
func wholePrefix(b []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(b); back++ {
		if tail := b[len(b)-back:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return len(b) - back
			}
			break
		}
	}
	return len(b)
}
