package models

import "strings"

// ignore lists patterns of tensors that may lie in the file without being used.
func (b *weightBinder) ignore(d *ignoreNode, patterns *[]string) *Error {
	one := func(int64) *Error {
		p, err := b.fill(d.Name)
		if err == nil {
			*patterns = append(*patterns, p)
		}
		return err
	}
	if d.For == nil {
		return one(0)
	}
	return b.each(d.For, one)
}

// matches reports whether name fits a pattern in which * stands for any text.
func matches(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == name
	}
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, p := range parts[1:last] {
		_, after, found := strings.Cut(rest, p)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[last])
}
