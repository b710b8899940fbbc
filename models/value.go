package models

import (
	"fmt"
	"math"
	"strconv"

	"dsac/ir"
)

// A value of the language is one of:
//
//	int64, float64, bool, string   numbers, truth, text
//	nil                            none
//	Array                          a list of a GGUF key
//	table                          a param with a range
//	ir.Sym                         T, R or C, in types only
//	group, record, *Weight, absent weights
//	stateTable, *State             states
//	ir.Use                         a tensor, inside entries
//	poison                         what an earlier error left; using it is silent

// Array is a list value of a GGUF key. Elements are int64, float64, bool or string.
type Array interface {
	Len() int
	At(i int) any
}

// table holds a param's value for each index of its range.
type table struct {
	from int64
	vals []any
}

type poison struct{}

// poisoned is the error of an expression that used poison; it is never shown.
var poisoned = &Error{Msg: "BUG: shown"}

// maxNumber bounds integers, so that arithmetic on them stays exact in float64 as well.
const maxNumber = 1 << 53

// kindOf names the kind of a value with its article.
func kindOf(v any) string {
	switch v.(type) {
	case int64:
		return "an integer"
	case float64:
		return "a number"
	case bool:
		return "true or false"
	case string:
		return "a string"
	case nil:
		return "none"
	case Array:
		return "a list"
	case table:
		return "a table of params"
	case ir.Sym:
		return "a symbolic extent"
	case group, record:
		return "a group of weights"
	case *Weight, absent:
		return "a weight"
	case stateTable, *State:
		return "a state"
	case ir.Use:
		return "a tensor"
	case results:
		return "several tensors"
	}
	return fmt.Sprintf("%T", v)
}

// show prints a value for a message or a tensor name.
func show(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case string:
		return v
	case nil:
		return "none"
	}
	return kindOf(v)
}

// asFloat takes either kind of number.
func asFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// number refuses what is not finite.
func number(f float64) (any, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, fmt.Errorf("the result is not a number")
	}
	return f, nil
}

// integer refuses what is out of range.
func integer(i int64) (any, error) {
	if i > maxNumber || i < -maxNumber {
		return nil, fmt.Errorf("the result is too large for an integer")
	}
	return i, nil
}
