package tokenizer

import (
	"sync"
	"unicode"
)

// class says which sets of the pre-tokenizer patterns a character is in.
type class uint8

const (
	letter class = 1 << iota // \p{L}
	mark                     // \p{M}
	number                   // \p{N}
	punct                    // \p{P}
	symbol                   // \p{S}
	space                    // \s
	line                     // \r or \n; has space as well
	cjk                      // 一-龥, ぀-ゟ, ゠-ヿ
)

// classTables is where each class comes from. The Unicode version is that of the Go release.
var classTables = []struct {
	class  class
	tables []*unicode.RangeTable
}{
	{letter, []*unicode.RangeTable{unicode.L}},
	{mark, []*unicode.RangeTable{unicode.M}},
	{number, []*unicode.RangeTable{unicode.N}},
	{punct, []*unicode.RangeTable{unicode.P}},
	{symbol, []*unicode.RangeTable{unicode.S}},
	{space, []*unicode.RangeTable{unicode.White_Space}},
	{line, []*unicode.RangeTable{{R16: []unicode.Range16{{Lo: '\n', Hi: '\r', Stride: '\r' - '\n'}}, LatinOffset: 1}}},
	{cjk, []*unicode.RangeTable{{R16: []unicode.Range16{{Lo: 0x3040, Hi: 0x30ff, Stride: 1}, {Lo: 0x4e00, Hi: 0x9fa5, Stride: 1}}}}},
}

// ascii holds the classes of the characters that most text is made of.
var ascii = func() (t [128]class) {
	for r := range t {
		t[r] = search(rune(r))
	}
	return t
}()

// planeZero holds the classes of the first 65,536 characters; searching the range tables for
// each character of Chinese text would cost more than merging it.
var planeZero = sync.OnceValue(func() *[1 << 16]class {
	t := new([1 << 16]class)
	for _, c := range classTables {
		for _, table := range c.tables {
			for _, r := range table.R16 {
				for ch := int(r.Lo); ch <= int(r.Hi); ch += int(r.Stride) {
					t[ch] |= c.class
				}
			}
		}
	}
	return t
})

// classOf returns the classes of r. Invalid UTF-8 decodes to U+FFFD, which is a symbol.
func classOf(r rune) class {
	switch {
	case r < 128:
		return ascii[r]
	case r < 1<<16:
		return planeZero()[r]
	}
	return search(r)
}

// search finds the classes of r in the range tables.
func search(r rune) class {
	var k class
	for _, c := range classTables {
		if unicode.In(r, c.tables...) {
			k |= c.class
		}
	}
	return k
}
