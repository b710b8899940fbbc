package tokenizer

// nextGLM4 returns the length of the first word of text by the pattern of section 6.1:
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d) | [^\r\n\p{L}\p{N}]?\p{L}+ | \p{N}{1,3} |
//	 ?[^\s\p{L}\p{N}]+[\r\n]* | \s*[\r\n]+ | \s+(?!\S) | \s+
func nextGLM4(text string) int {
	r, n := runeAt(text)
	k := classOf(r)
	switch {
	case k&letter != 0:
		return run(text, n, letter)
	case k&number != 0:
		return upToThree(text)
	}
	if r == '\'' {
		if c := contraction(text); c > 0 {
			return c
		}
	}
	if k&line == 0 {
		if end := run(text, n, letter); end > n {
			return end
		}
	}
	if k&space == 0 {
		return run(text, runOther(text, n), line)
	}
	if r == ' ' { // only the ASCII space may lead a word of other characters
		if end := runOther(text, n); end > n {
			return run(text, end, line)
		}
	}
	end := run(text, n, space)
	return spaceWord(text, end, end == len(text))
}

// runOther returns where the characters that are no letter, number or space end.
func runOther(text string, i int) int {
	for i < len(text) {
		r, n := runeAt(text[i:])
		if classOf(r)&(letter|number|space) != 0 {
			break
		}
		i += n
	}
	return i
}

// upToThree returns the length of the first one to three numbers of text.
func upToThree(text string) int {
	i := 0
	for range 3 {
		if i == len(text) {
			break
		}
		r, n := runeAt(text[i:])
		if classOf(r)&number == 0 {
			break
		}
		i += n
	}
	return i
}

// contraction returns the length of an English ending after an apostrophe, 0 for none. Case
// folding takes U+017F (ſ) for s, as the original tokenizer does.
func contraction(text string) int {
	rest := text[1:]
	if len(rest) == 0 {
		return 0
	}
	switch lower(rest[0]) {
	case 's', 't', 'm', 'd':
		return 2
	case 'r', 'v':
		if len(rest) > 1 && lower(rest[1]) == 'e' {
			return 3
		}
	case 'l':
		if len(rest) > 1 && lower(rest[1]) == 'l' {
			return 3
		}
	}
	const longS = "\u017f"
	if len(rest) >= len(longS) && rest[:len(longS)] == longS {
		return 1 + len(longS)
	}
	return 0
}

func lower(c byte) byte { return c | 0x20 }
