package chat

import "strings"

// The engine knows "a if c else b" only as a whole tag. Inside brackets, arguments and lists
// it is rewritten to an expression it does know: ((c) and [a] or [b])[0]. Both sides are
// still evaluated only when they are taken, and a missing else gives "".

// rewrite returns the inside of a tag with its conditional expressions rewritten.
func rewrite(inside string, isBlock bool) string {
	toks := exprTokens(inside)
	keep := 0 // tokens at the start that are not part of an expression
	filter := false
	if isBlock {
		for keep < len(toks) && strings.Trim(toks[keep], whitespaceSet) == "" {
			keep++
		}
		if keep < len(toks) {
			filter = toks[keep] == "for" // its if is a filter of the loop
			keep++
		}
	}
	r := rewriter{toks: toks[keep:]}
	return strings.Join(toks[:keep], "") + r.group("", filter)
}

// rewriter walks the tokens of an expression.
type rewriter struct{ toks []string }

// closers pairs brackets.
var closers = map[string]string{"(": ")", "[": "]", "{": "}"}

// group returns the tokens up to the closing bracket, which it drops, rewritten; plain leaves
// an if of this level alone.
func (r *rewriter) group(closer string, plain bool) string {
	var out strings.Builder
	var elem []string
	flush := func() {
		if plain {
			out.WriteString(strings.Join(elem, ""))
		} else {
			out.WriteString(conditional(elem))
		}
		elem = elem[:0]
	}
	for len(r.toks) > 0 {
		t := r.toks[0]
		r.toks = r.toks[1:]
		if t == closer {
			break
		}
		if end, opens := closers[t]; opens {
			elem = append(elem, t+r.group(end, false)+end)
			continue
		}
		if t == "," || t == ":" || t == "=" {
			flush()
			out.WriteString(t)
			continue
		}
		elem = append(elem, t)
	}
	flush()
	return out.String()
}

// conditional rewrites "a if c else b" in the tokens of one element.
func conditional(elem []string) string {
	at, other := -1, -1
	for i, t := range elem {
		if t == "if" && at < 0 {
			at = i
		}
		if t == "else" && at >= 0 {
			other = i
			break
		}
	}
	if at < 0 {
		return strings.Join(elem, "")
	}
	cond, otherwise := elem[at+1:], "''"
	if other >= 0 {
		cond, otherwise = elem[at+1:other], conditional(elem[other+1:])
	}
	return " ((" + strings.Join(cond, "") + ") and [" + strings.Join(elem[:at], "") + "] or [" + otherwise + "])[0] "
}

// exprTokens cuts an expression into words, strings, two-character operators and the rest.
func exprTokens(s string) (toks []string) {
	for i := 0; i < len(s); {
		n := 1
		switch {
		case s[i] == '\'' || s[i] == '"':
			if n = stringLen(s[i:]); n < 0 {
				n = len(s) - i
			}
		case isWord(s[i]):
			for i+n < len(s) && isWord(s[i+n]) {
				n++
			}
		case i+1 < len(s) && s[i+1] == '=' && strings.IndexByte("=!<>", s[i]) >= 0:
			n = 2
		}
		toks = append(toks, s[i:i+n])
		i += n
	}
	return toks
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}
