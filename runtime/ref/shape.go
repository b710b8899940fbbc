package ref

import (
	"fmt"
	"strings"

	"dsac/runtime/quant"
)

// A shape rule has one word per operand. A letter is a dimension, the same number wherever it
// stands; "_" is any number; "a+b" as last dimension is a sum; a leading "*" stands for any
// dimensions, equal in number wherever it stands, and "?" for any at all. The last dimension
// of a column selection is its width.

// Operands returns how many operands the op takes.
func (op *Op) Operands() int { return len(strings.Fields(op.Shapes)) }

// Bind prepares operands for Run: it folds the dimensions of Flat ones, and reports the
// first operand whose shape does not fit the op's rule.
func (op *Op) Bind(args []Arg) error {
	words := strings.Fields(op.Shapes)
	if len(args) != len(words) {
		return fmt.Errorf("%d operands, want %d", len(args), len(words))
	}
	var err error
	if op.Halves && args[0].Type == quant.F16 {
		if args[0], err = args[0].Halves(args[1].Cols); err != nil {
			return fmt.Errorf("operand 0: %w", err)
		}
	}
	if i := op.Rounds; i > 0 && args[i].Type == quant.F16 {
		if args[i], err = args[i].Halves(args[0].Cols); err != nil {
			return fmt.Errorf("operand %d: %w", i, err)
		}
	}
	for _, i := range op.Flat {
		if args[i], err = args[i].Flat(); err != nil {
			return fmt.Errorf("operand %d: %w", i, err)
		}
	}
	dims := map[string]int{}
	for i, w := range words {
		if err := fit(w, &args[i], dims); err != nil {
			return fmt.Errorf("operand %d: %w", i, err)
		}
	}
	return nil
}

func fit(word string, a *Arg, dims map[string]int) error {
	shape := a.Shape
	if len(shape) == 0 {
		return fmt.Errorf("it has no shape")
	}
	tail := word
	if word[0] == '*' || word[0] == '?' {
		tail = word[1:]
	}
	names := strings.Split(tail, "")
	if i := strings.IndexByte(tail, '+'); i > 0 {
		names = append(strings.Split(tail[:i-1], ""), tail[i-1:])
	}
	lead := len(shape) - len(names)
	if lead < 0 || lead > 0 && tail == word {
		return fmt.Errorf("shape %v, want %d dimensions (%s)", shape, len(names), word)
	}
	if word[0] == '*' {
		rows := 1
		for _, d := range shape[:lead] {
			rows *= d
		}
		if err := bindDim("*", rows, dims); err != nil {
			return fmt.Errorf("shape %v does not fit %s: %w", shape, word, err)
		}
	}
	for i, name := range names {
		n := shape[lead+i]
		if i == len(names)-1 {
			n = a.Cols
		}
		if err := bindDim(name, n, dims); err != nil {
			return fmt.Errorf("shape %v does not fit %s: %w", shape, word, err)
		}
	}
	return nil
}

// bindDim gives a dimension its number, or compares it with the one it has.
func bindDim(name string, n int, dims map[string]int) error {
	want, known := dims[name]
	if a, b, ok := strings.Cut(name, "+"); ok {
		x, okA := dims[a]
		y, okB := dims[b]
		want, known = x+y, okA && okB
	}
	if name == "_" || !known {
		dims[name] = n
		return nil
	}
	if n != want {
		return fmt.Errorf("%s is %d here and %d before", name, n, want)
	}
	return nil
}
