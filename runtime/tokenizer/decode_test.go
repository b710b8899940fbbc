package tokenizer

import (
	"slices"
	"testing"
	"unicode/utf8"
)

func TestTokenOutOfRange(t *testing.T) {
	tok := tiny(t)
	for _, id := range []int32{-1, 1024, 1 << 30} {
		if _, err := tok.Token(id); err == nil {
			t.Errorf("token %d: no error", id)
		}
		if _, err := tok.Stream().Push(id); err == nil {
			t.Errorf("push %d: no error", id)
		}
	}
	_, err := tok.Decode([]int32{1, 2, 1024})
	if want := "token 2 of 3: token id 1024 is outside the vocabulary of 1024"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestStreamGivesWholeCharacters(t *testing.T) {
	tok := mustNew(t, byteVocab())
	for _, c := range []struct {
		name, text string
		want       []string // per pushed byte, then flush
	}{
		{"ascii", "ab", []string{"a", "b", ""}},
		{"two bytes", "é", []string{"", "é", ""}},
		{"four bytes", "😀", []string{"", "", "", "😀", ""}},
		{"cut off", "a\xe6\x97", []string{"a", "", "", "\xe6\x97"}},
		{"lone continuation", "\x80a", []string{"\x80", "a", ""}},
		{"never valid", "\xffa", []string{"\xff", "a", ""}},
		{"start, then letter", "\xe6a", []string{"", "\xe6a", ""}},
		{"surrogate", "\xed\xa0a", []string{"", "\xed\xa0", "a", ""}},
	} {
		s, got := tok.Stream(), []string(nil)
		for i := range len(c.text) {
			part, err := s.Push(tok.byteID[c.text[i]])
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, part)
		}
		got = append(got, s.Flush())
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if utf8.ValidString(c.text) {
			for _, part := range got {
				if !utf8.ValidString(part) {
					t.Errorf("%s: part %q of a valid text is not valid", c.name, part)
				}
			}
		}
	}
}
