package models

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// function is a function over numbers and lists. key and has are handled by the evaluator,
// which knows the file and the weights; they have rows here for their argument counts.
type function struct {
	name     string
	min, max int // arguments
	doc      string
	call     func(args []any) (any, error)
}

// functions is the table that docs/dsl.md lists; a test compares the two.
var functions = []function{
	{"key", 1, 2, "value of a GGUF key, prefixed with the architecture unless it starts with /; the second argument stands in for an absent key", nil},
	{"has", 1, 1, "whether an optional weight is in the file", nil},
	{"min", 1, 8, "smallest argument", fold(func(a, b float64) bool { return b < a })},
	{"max", 1, 8, "largest argument", fold(func(a, b float64) bool { return b > a })},
	{"sqrt", 1, 1, "square root", real1(math.Sqrt)},
	{"log", 1, 1, "natural logarithm", real1(math.Log)},
	{"pow", 2, 2, "first argument to the power of the second", power},
	{"len", 1, 1, "number of elements of a list", length},
	{"uniform", 1, 1, "the one value that all elements of a list have; a number is its own", uniform},
}

func findFunction(name string) *function {
	i := slices.IndexFunc(functions, func(f function) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &functions[i]
}

func fold(better func(a, b float64) bool) func([]any) (any, error) {
	return func(args []any) (any, error) {
		best := args[0]
		for _, v := range args {
			b, ok := asFloat(best)
			f, ok2 := asFloat(v)
			if !ok || !ok2 {
				return nil, fmt.Errorf("wants numbers, got %s", kindOf(v))
			}
			if better(b, f) {
				best = v
			}
		}
		return best, nil
	}
}

func real1(f func(float64) float64) func([]any) (any, error) {
	return func(args []any) (any, error) {
		x, ok := asFloat(args[0])
		if !ok {
			return nil, fmt.Errorf("wants a number, got %s", kindOf(args[0]))
		}
		return number(f(x))
	}
}

func power(args []any) (any, error) {
	x, ok := asFloat(args[0])
	y, ok2 := asFloat(args[1])
	if !ok || !ok2 {
		return nil, fmt.Errorf("wants numbers, got %s and %s", kindOf(args[0]), kindOf(args[1]))
	}
	return number(math.Pow(x, y))
}

func length(args []any) (any, error) {
	a, ok := args[0].(Array)
	if !ok {
		return nil, fmt.Errorf("wants a list, got %s", kindOf(args[0]))
	}
	return int64(a.Len()), nil
}

func uniform(args []any) (any, error) {
	a, ok := args[0].(Array)
	if !ok {
		return args[0], nil
	}
	if a.Len() == 0 {
		return nil, errors.New("the list is empty")
	}
	first := a.At(0)
	for i := range a.Len() {
		if a.At(i) != first {
			return nil, fmt.Errorf("the list is not uniform: element 0 is %s, element %d is %s", show(first), i, show(a.At(i)))
		}
	}
	return first, nil
}
