package ir

import "fmt"

// Split says what part of a value a rank has.
type Split struct {
	Axis    int  // 1 + the axis along which ranks have equal parts; 0: each has all of it
	Partial bool // all of it, but as a partial sum over the ranks
}

// Whole is the split of a value that every rank has completely.
var Whole Split

func (s Split) String() string {
	switch {
	case s.Partial:
		return "a partial sum"
	case s.Axis > 0:
		return fmt.Sprintf("split along axis %d", s.Axis-1)
	}
	return "whole"
}

// NeedWhole is the error of a shard rule when operand In must be whole; a partial sum can be
// made so by a collective.
type NeedWhole struct{ In int }

func (e NeedWhole) Error() string { return fmt.Sprintf("operand %d must be whole", e.In) }
