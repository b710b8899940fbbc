package models

import (
	"strings"

	"dsac/ir"

	"github.com/alecthomas/participle/v2/lexer"
)

// Limits of evaluation.
const (
	maxRange = 4096    // values of one range: layers
	maxSteps = 1 << 20 // expressions and statements evaluated; the full model needs 20,000
)

// evaluator computes expressions. Outside of entries tensor is nil and no tensor occurs.
type evaluator struct {
	src     *source
	header  Header
	arch    string
	globals map[string]any // params, weights, states by name
	locals  map[string]any // loop variables and variables of an entry
	tensor  tensorHooks
	defs    map[string]*defNode
	calls   []*callNode // of defs that are being evaluated, outermost first
	steps   int
}

// tensorHooks are what an entry adds to expressions.
type tensorHooks interface {
	// apply evaluates a call of an op.
	apply(c *callNode) (any, *Error)
	// columns takes columns [from, to) of a tensor; to < 0 means up to the end.
	columns(v any, from, to int64, at lexer.Position) (any, *Error)
	// unassigned is the error for a variable that nothing has assigned yet.
	unassigned(name string, at lexer.Position) *Error
}

func (e *evaluator) step(at lexer.Position) *Error {
	if e.steps++; e.steps > maxSteps {
		return e.src.errorf(at, "the description takes more than %d steps to evaluate", maxSteps)
	}
	return nil
}

func (e *evaluator) expr(x *exprNode) (any, *Error) {
	if err := e.step(x.Pos); err != nil {
		return nil, err
	}
	v, err := e.or(x.First)
	for _, alt := range x.Alts {
		if err != nil {
			return nil, err
		}
		cond, cerr := e.truth(v, x.Pos)
		if cerr != nil {
			return nil, cerr
		}
		if cond {
			return e.or(alt.Then)
		}
		v, err = e.or(alt.Else)
	}
	return v, err
}

// truth demands true or false.
func (e *evaluator) truth(v any, at lexer.Position) (bool, *Error) {
	if _, bad := v.(poison); bad {
		return false, poisoned
	}
	b, ok := v.(bool)
	if !ok {
		return false, e.src.errorf(at, "a condition must be true or false, not %s", kindOf(v))
	}
	return b, nil
}

func (e *evaluator) or(x *orNode) (any, *Error) {
	v, err := e.and(x.Terms[0])
	if len(x.Terms) == 1 || err != nil {
		return v, err
	}
	for i, t := range x.Terms {
		if i > 0 {
			if v, err = e.and(t); err != nil {
				return nil, err
			}
		}
		b, err := e.truth(v, t.Terms[0].Pos)
		if err != nil || b {
			return b, err
		}
	}
	return false, nil
}

func (e *evaluator) and(x *andNode) (any, *Error) {
	v, err := e.cmp(x.Terms[0])
	if len(x.Terms) == 1 || err != nil {
		return v, err
	}
	for i, t := range x.Terms {
		if i > 0 {
			if v, err = e.cmp(t); err != nil {
				return nil, err
			}
		}
		b, err := e.truth(v, t.Pos)
		if err != nil || !b {
			return b, err
		}
	}
	return true, nil
}

func (e *evaluator) cmp(x *cmpNode) (any, *Error) {
	a, err := e.sum(x.Left)
	if x.Op == "" || err != nil {
		return a, err
	}
	b, err := e.sum(x.Right)
	if err != nil {
		return nil, err
	}
	return e.binary(x.Op, a, b, x.Pos, compare)
}

func (e *evaluator) sum(x *sumNode) (any, *Error) {
	v, err := e.product(x.First)
	for _, t := range x.Rest {
		if err != nil {
			return nil, err
		}
		b, berr := e.product(t.Term)
		if berr != nil {
			return nil, berr
		}
		v, err = e.binary(t.Op, v, b, t.Pos, arith)
	}
	return v, err
}

func (e *evaluator) product(x *productNode) (any, *Error) {
	v, err := e.unary(x.First)
	for _, t := range x.Rest {
		if err != nil {
			return nil, err
		}
		b, berr := e.unary(t.Term)
		if berr != nil {
			return nil, berr
		}
		v, err = e.binary(t.Op, v, b, t.Pos, arith)
	}
	return v, err
}

func (e *evaluator) binary(op string, a, b any, at lexer.Position, f func(string, any, any) (any, error)) (any, *Error) {
	if isPoison(a) || isPoison(b) {
		return nil, poisoned
	}
	v, err := f(op, a, b)
	if err != nil {
		return nil, e.src.errorf(at, "%s", err)
	}
	return v, nil
}

func (e *evaluator) unary(x *unaryNode) (any, *Error) {
	v, err := e.primary(x.Base)
	for _, t := range x.Tail {
		if err != nil {
			return nil, err
		}
		v, err = e.tail(v, t)
	}
	for i := len(x.Ops) - 1; i >= 0 && err == nil; i-- {
		switch {
		case isPoison(v):
			return nil, poisoned
		case x.Ops[i] == "-":
			v, err = e.binary("-", int64(0), v, x.Pos, arith)
		default:
			var b bool
			b, err = e.truth(v, x.Pos)
			v = !b
		}
	}
	return v, err
}

func isPoison(v any) bool {
	_, ok := v.(poison)
	return ok
}

// fill evaluates the pieces of a string.
func (e *evaluator) fill(t *textNode) (string, *Error) {
	var b strings.Builder
	for _, p := range t.pieces {
		if p.expr == nil {
			b.WriteString(p.lit)
			continue
		}
		v, err := e.expr(p.expr)
		if err != nil {
			return "", err
		}
		if isPoison(v) {
			return "", poisoned
		}
		b.WriteString(show(v))
	}
	return b.String(), nil
}

// integer demands an integer.
func (e *evaluator) integer(x *exprNode, what string) (int64, *Error) {
	v, err := e.expr(x)
	if err != nil {
		return 0, err
	}
	if isPoison(v) {
		return 0, poisoned
	}
	i, ok := v.(int64)
	if !ok {
		return 0, e.src.errorf(x.Pos, "%s must be an integer, not %s", what, kindOf(v))
	}
	return i, nil
}

// each runs f for each value of a range, with the range's variable set.
func (e *evaluator) each(r *rangeNode, f func(i int64) *Error) *Error {
	from, err := e.integer(r.From, "the start of a range")
	if err != nil {
		return err
	}
	to, err := e.integer(r.To, "the end of a range")
	if err != nil {
		return err
	}
	if to-from > maxRange {
		return e.src.errorf(r.Pos, "the range %d..%d has more than %d values", from, to, maxRange)
	}
	old, had := e.locals[r.Var]
	defer func() {
		delete(e.locals, r.Var)
		if had {
			e.locals[r.Var] = old
		}
	}()
	for i := from; i < to; i++ {
		e.locals[r.Var] = i
		if err := e.step(r.Pos); err != nil {
			return err
		}
		if ok, err := e.holds(r.If); err != nil {
			return err
		} else if !ok {
			continue
		}
		if err := f(i); err != nil {
			return err
		}
	}
	return nil
}

// holds evaluates a condition that may be left out.
func (e *evaluator) holds(cond *exprNode) (bool, *Error) {
	if cond == nil {
		return true, nil
	}
	v, err := e.expr(cond)
	if err != nil {
		return false, err
	}
	return e.truth(v, cond.Pos)
}

// extent evaluates a dimension of a type.
func (e *evaluator) extent(x *exprNode) (ir.Dim, *Error) {
	v, err := e.expr(x)
	if err != nil {
		return ir.Dim{}, err
	}
	switch v := v.(type) {
	case poison:
		return ir.Dim{}, poisoned
	case ir.Sym:
		return ir.Dim{K: 1, Sym: v}, nil
	case int64:
		if v >= 1 && v <= maxExtent {
			return ir.Fixed(int(v)), nil
		}
		return ir.Dim{}, e.src.errorf(x.Pos, "a dimension of %d is not in 1..%d", v, int64(maxExtent))
	}
	return ir.Dim{}, e.src.errorf(x.Pos, "a dimension must be an integer, not %s", kindOf(v))
}

const maxExtent = 1 << 31
