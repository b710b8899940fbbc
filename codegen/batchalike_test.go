package codegen_test

import (
	"strings"
	"testing"

	"dsac/codegen"
)

// turned writes y[i] = sum of x[last-i] * j + last for j from 0 to factor, by way of shared
// memory of room words; without a factor, y[i] = last.
func turned(blocks, factor, room int) codegen.Stage {
	last := 64*blocks - 1
	return codegen.Stage{Operands: []string{"x", "y"}, Launch: codegen.Line(blocks, 64), Emit: func(k *codegen.K) {
		s := k.Shared("words", 4*room)
		i := k.BlockX().Mul(64).Add(k.Thread())
		s.Elem(k.Thread(), 4).StI32(k.Arg(0).Elem(k.I32(last).Sub(i).Clamp(0, last), 4).LdI32())
		k.Sync()
		sum := codegen.Let(k.I32(0))
		if factor > 0 {
			k.For(0, factor+1, 1, func(j codegen.I32) {
				sum.Set(sum.Get().Add(s.Elem(k.Thread(), 4).LdI32().Mul(j)))
			})
		}
		k.Arg(1).Elem(i, 4).StI32(sum.Get().Add(last))
	}}
}

// repeated has three parts that are alike, two that are so with more shared memory, and others.
var repeated = []codegen.Chain{
	{plane([3]uint32{2, 1, 1}, [3]uint32{64, 1, 1})},
	{turned(3, 5, 64)},
	{turned(8, 2, 64)},
	{turned(2, 5, 64)},
	{turned(2, 5, 70)},
	{turned(2, 9, 70)},
	{turned(4, 0, 64)},
}

// Parts that differ in integers are one code, and each makes what it would make by itself.
func TestPartsThatAreAlike(t *testing.T) {
	text, m := compileBatch(t, repeated)
	words, found := runBatch(t, repeated, m)
	for _, f := range found {
		t.Error(f.String())
	}
	at := 1
	for i, c := range []struct{ blocks, factor int }{{3, 5}, {8, 2}, {2, 5}, {2, 5}, {2, 9}, {4, 0}} {
		x, y := words[at], words[at+1]
		at += 2
		last := 64*c.blocks - 1
		for j, got := range y {
			if want := x[last-j]*uint32(c.factor*(c.factor+1)/2) + uint32(last); got != want {
				t.Fatalf("part %d, word %d: got %d, want %d", i+1, j, got, want)
			}
		}
	}
	if got, want := strings.Count(text, "st.global."), 4; got != want {
		t.Errorf("%d stores to global memory, want %d: of the plane, of three parts in one, of two in one, and of the last:\n%s", got, want, text)
	}
	if !strings.Contains(text, "batch_shared[288]") {
		t.Error("the shared memory is not that of the part that has most")
	}
}
