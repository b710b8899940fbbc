package chat

import "strings"

// SplitReply splits what a model answered into reasoning and content, to be put into the next
// turn's Message. The prompt may have opened the reasoning, so its opening tag may be missing;
// an answer that was cut off while reasoning has no content. open says that the prompt ended
// inside reasoning (with <think>).
func SplitReply(text string, open bool) (reasoning, content string) {
	const begin, end = "<think>", "</think>"
	before, after, closed := strings.Cut(text, end)
	inner, tagged := strings.CutPrefix(strings.TrimLeft(before, whitespaceSet), begin)
	switch {
	case !closed && !tagged && !open:
		return "", strings.Trim(text, whitespaceSet)
	case !tagged:
		inner = before
	}
	return strings.Trim(inner, whitespaceSet), strings.Trim(after, whitespaceSet)
}
