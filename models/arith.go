package models

import (
	"fmt"
	"math"
)

// arith applies + - * / % to two numbers. Integers stay integers; a quotient of integers is
// one when it is exact.
func arith(op string, a, b any) (any, error) {
	x, xi := a.(int64)
	y, yi := b.(int64)
	if xi && yi {
		return arithInt(op, x, y)
	}
	f, ok := asFloat(a)
	g, ok2 := asFloat(b)
	if !ok || !ok2 {
		return nil, fmt.Errorf("%s wants numbers, got %s and %s", op, kindOf(a), kindOf(b))
	}
	switch op {
	case "+":
		return number(f + g)
	case "-":
		return number(f - g)
	case "*":
		return number(f * g)
	case "/":
		if g == 0 {
			return nil, fmt.Errorf("division by zero")
		}
		return number(f / g)
	}
	return nil, fmt.Errorf("%s wants integers, got %s and %s", op, kindOf(a), kindOf(b))
}

// arithInt relies on operands within maxNumber, so that only a product can overflow.
func arithInt(op string, x, y int64) (any, error) {
	switch op {
	case "+":
		return integer(x + y)
	case "-":
		return integer(x - y)
	case "*":
		if math.Abs(float64(x)*float64(y)) > maxNumber {
			return nil, fmt.Errorf("the result is too large for an integer")
		}
		return integer(x * y)
	}
	if y == 0 {
		return nil, fmt.Errorf("division by zero")
	}
	if op == "%" {
		return x % y, nil
	}
	if x%y == 0 {
		return x / y, nil
	}
	return number(float64(x) / float64(y))
}

// compare applies == != < <= > >=. Anything compares equal or not with none.
func compare(op string, a, b any) (any, error) {
	f, fa := asFloat(a)
	g, fb := asFloat(b)
	if fa && fb {
		return order(op, f, g), nil
	}
	if op != "==" && op != "!=" {
		return nil, fmt.Errorf("%s wants numbers, got %s and %s", op, kindOf(a), kindOf(b))
	}
	if a == nil || b == nil {
		return (a == nil && b == nil) == (op == "=="), nil
	}
	switch x := a.(type) {
	case bool:
		if y, ok := b.(bool); ok {
			return (x == y) == (op == "=="), nil
		}
	case string:
		if y, ok := b.(string); ok {
			return (x == y) == (op == "=="), nil
		}
	}
	return nil, fmt.Errorf("%s cannot compare %s with %s", op, kindOf(a), kindOf(b))
}

func order(op string, f, g float64) bool {
	switch op {
	case "==":
		return f == g
	case "!=":
		return f != g
	case "<":
		return f < g
	case "<=":
		return f <= g
	case ">":
		return f > g
	}
	return f >= g
}
