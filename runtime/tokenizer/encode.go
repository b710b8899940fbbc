package tokenizer

// Encode returns the tokens of text. User-defined tokens are matched anywhere in it, control
// tokens such as <|user|> only with parseSpecial; without it they are spelled out as text.
// Nothing is added before or after (section 6.1).
func (t *Tokenizer) Encode(text string, parseSpecial bool) []int32 {
	set := &t.user
	if parseSpecial {
		set = &t.all
	}
	e := encoder{bpe: bpe{t: t}, out: make([]int32, 0, len(text)/3+4)}
	for {
		at, id, n := set.next(text)
		if n == 0 {
			break
		}
		e.words(text[:at])
		e.out = append(e.out, id)
		text = text[at+n:]
	}
	e.words(text)
	return e.out
}

// EncodeSegments returns the tokens of the joined text of segs. Added tokens are matched only
// inside segments that say so, never across an edge of two segments; words do cross edges, so
// plain text gives the same tokens however it is cut. This keeps what a user typed from
// becoming structure: a segment without ParseSpecial yields no added token of any kind.
func (t *Tokenizer) EncodeSegments(segs []Segment) []int32 {
	text := join(segs)
	e := encoder{bpe: bpe{t: t}, out: make([]int32, 0, len(text)/3+4)}
	plain, pos := 0, 0 // plain: where the text not yet encoded starts
	for _, s := range segs {
		end := pos + len(s.Text)
		for s.ParseSpecial && pos < end {
			at, id, n := t.all.next(text[pos:end])
			if n == 0 {
				break
			}
			e.words(text[plain : pos+at])
			e.out = append(e.out, id)
			pos += at + n
			plain = pos
		}
		pos = end
	}
	e.words(text[plain:])
	return e.out
}

// encoder collects the tokens of one text.
type encoder struct {
	bpe
	out []int32
}

// words splits text into words and appends their tokens.
func (e *encoder) words(text string) {
	for len(text) > 0 {
		n := e.t.pre.next(text)
		e.out = e.appendWord(e.out, text[:n])
		text = text[n:]
	}
}
