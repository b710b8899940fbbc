package tokenizer

// DeepSeek-V3 splits three times, each time inside the pieces of the split before:
//
//	\p{N}{1,3}
//	[一-龥぀-ゟ゠-ヿ]+
//	[!-/:-~][A-Za-z]+ | [^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+ | ?[\p{P}\p{S}]+[\r\n]* |
//	    \s*[\r\n]+ | \s+(?!\S) | \s+           (first set: ASCII punctuation and symbols)
//
// So a piece is of one kind (numbers, CJK, the rest) and the third pattern never looks past
// its end. What the third pattern does not match stays together as it is.

// kindMask picks the classes that tell the kinds of piece apart.
const kindMask = number | cjk

// piece is the text from one place to the end of its kind, walked without finding that end
// first: a character of another kind reads as the end of text.
type piece struct {
	text string
	kind class
}

// at returns the character at i, its classes and length; n is 0 at the end of the piece.
func (p piece) at(i int) (r rune, k class, n int) {
	if i >= len(p.text) {
		return 0, 0, 0
	}
	r, n = runeAt(p.text[i:])
	if k = classOf(r); k&kindMask != p.kind {
		return 0, 0, 0
	}
	return r, k, n
}

// run returns where the characters from i on stop being in any of the classes.
func (p piece) run(i int, in class) int {
	for {
		_, k, n := p.at(i)
		if n == 0 || k&in == 0 {
			return i
		}
		i += n
	}
}

// nextDeepSeek3 returns the length of the first word of text.
func nextDeepSeek3(text string) int {
	r, n := runeAt(text)
	k := classOf(r)
	if k&number != 0 {
		return upToThree(text)
	}
	p := piece{text, k & kindMask}
	if r < 0x80 && k&(punct|symbol) != 0 {
		if end := asciiLetters(text, 1); end > 1 {
			return end
		}
	}
	const word = letter | mark
	if k&word != 0 {
		return p.run(n, word)
	}
	if k&(line|punct|symbol) == 0 {
		if end := p.run(n, word); end > n {
			return end
		}
	}
	if k&(punct|symbol) != 0 {
		return p.run(p.run(n, punct|symbol), line)
	}
	if r == ' ' {
		if end := p.run(n, punct|symbol); end > n {
			return p.run(end, line)
		}
	}
	if k&space != 0 {
		end := p.run(n, space)
		_, _, more := p.at(end)
		return spaceWord(text, end, more == 0)
	}
	return p.unmatched(n)
}

// unmatched returns where the characters from i on that no alternative takes end: controls
// and unassigned ones, unless a letter follows, whose word such a character starts.
func (p piece) unmatched(i int) int {
	for {
		_, k, n := p.at(i)
		if n == 0 || k&^cjk != 0 {
			return i
		}
		if _, next, _ := p.at(i + n); next&(letter|mark) != 0 {
			return i
		}
		i += n
	}
}

// asciiLetters returns where the ASCII letters from i on end.
func asciiLetters(text string, i int) int {
	for i < len(text) && 'a' <= lower(text[i]) && lower(text[i]) <= 'z' {
		i++
	}
	return i
}
