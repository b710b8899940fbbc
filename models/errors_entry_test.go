package models

import (
	"strings"
	"testing"
)

// More ways to go wrong, inside entries and declarations, with the exact text of the error.
func TestErrorsOfEntriesAndDeclarations(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"state as a tensor", `y = matmul(n, blk[l].up)`, `y = matmul(kept[l], blk[l].up)`, `
toy.dsl:21:14: operand x of matmul cannot be a state
			y = matmul(kept[l], blk[l].up)
			           ^`},
		{"tensor as a state", `y = matmul(n, blk[l].up)`, `y = gate_weights(n, index_topk(matmul(n, blk[l].up, heads=2), n, n, k=2, scale=1))`, `
toy.dsl:21:68: operand keys of index_topk must be a state
			y = gate_weights(n, index_topk(matmul(n, blk[l].up, heads=2), n, n, k=2, scale=1))
			                                                                 ^`},
		{"number as a tensor", `y = matmul(n, blk[l].up)`, `y = matmul(D, blk[l].up)`, `
toy.dsl:21:14: operand x of matmul must be a tensor, not an integer
			y = matmul(D, blk[l].up)
			           ^`},
		{"tensor as an attribute", `eps=1e-5`, `eps=x`, `
toy.dsl:17:31: attribute eps must be a number or a string, not a tensor
			n = rmsnorm(x, blk[l].norm, eps=x)
			                            ^`},
		{"tensor as a number", `y = matmul(n, blk[l].up)`, `y = n + 1`, `
toy.dsl:21:9: + wants numbers, got a tensor and an integer
			y = n + 1
			      ^`},
		{"two names for one result", `y = matmul(n, blk[l].up)`, `y, z = matmul(n, blk[l].up)`, `
toy.dsl:21:3: names on the left: 2, results on the right: 1
			y, z = matmul(n, blk[l].up)
			^`},
		{"two results nested", `y = matmul(n, blk[l].up)`, `y = sigmoid(router(n, blk[l].norm, k=2))`, `
toy.dsl:21:15: operand x of sigmoid has 2 results; assign them first: a, b = ...
			y = sigmoid(router(n, blk[l].norm, k=2))
			            ^`},
		{"unused member of a branch", `	bias?: [D] = "b.{l}"`, `	if l == 0 { bias: [D] = "n.1" } else if l == 5 { other: [D] = "x" } else { third?: [D] = "x" }`, `
toy.dsl:10:14: unused weight: no statement uses blk[0].bias
		if l == 0 { bias: [D] = "n.1" } else if l == 5 { other: [D] = "x" } else { third?: [D] = "x" }
		            ^`},
		{"layer that is not declared", `blk[l].norm, eps`, `blk[l + 1].norm, eps`, `
toy.dsl:17:21: blk[2] is not declared
			n = rmsnorm(x, blk[l + 1].norm, eps=1e-5)
			                  ^`},
		{"state that is not declared", `kept[l] <-`, `kept[l + 1] <-`, `
toy.dsl:18:3: there is no kept[2]: its declaration leaves that index out
			kept[l + 1] <- append(n)
			^`},
		{"state without index", `kept[l] <-`, `kept <-`, `
toy.dsl:18:3: kept is a state with a range
			kept <- append(n)
			^`},
		{"store of no call", `kept[l] <- append(n)`, `kept[l] <- n`, `
toy.dsl:18:14: the right side of <- must be a call of an op that writes a state, such as append(x)
			kept[l] <- n
			           ^`},
		{"store by another op", `kept[l] <- append(n)`, `kept[l] <- sigmoid(n)`, `
toy.dsl:18:14: sigmoid does not write a state
			kept[l] <- sigmoid(n)
			           ^`},
		{"into with a store", `kept[l] <- append(n)`, `kept[l] <- append(n) into n`, `
toy.dsl:18:29: <- writes its state in place; into has no place here
			kept[l] <- append(n) into n
			                          ^`},
		{"into a weight", `add(x, y) into x`, `add(x, y) into embd`, `
toy.dsl:22:22: into embd: it is a weight; only a variable's bytes can be taken
			x = add(x, y) into embd
			                   ^`},
		{"into without a call", `add(x, y) into x`, `x into x`, `
toy.dsl:22:14: into x: the right side must be a call of an op
			x = x into x
			           ^`},
		{"assigned element", `y = matmul(n, blk[l].up)`, `y[0] = matmul(n, blk[l].up)`, `
toy.dsl:21:3: y[...] cannot be assigned; a state is written with <-
			y[0] = matmul(n, blk[l].up)
			^`},
		{"group without member", `y = matmul(n, blk[l].up)`, `y = matmul(n, blk[l])`, `
toy.dsl:21:17: blk is a group of weights: write blk[i].name
			y = matmul(n, blk[l])
			              ^`},
		{"op that updates in place", `y = matmul(n, blk[l].up)`, `y = advance(n)`, `
toy.dsl:21:7: advance cannot be called from a description: it updates operand ctl in place
			y = advance(n)
			    ^`},
		{"attribute twice", `eps=1e-5`, `eps=1e-5, eps=1e-6`, `
toy.dsl:17:41: attribute eps is given twice
			n = rmsnorm(x, blk[l].norm, eps=1e-5, eps=1e-6)
			                                      ^`},
		{"attribute missing", `, eps=1e-5`, ``, `
toy.dsl:17:7: rmsnorm needs the attribute eps (added to the mean square)
			n = rmsnorm(x, blk[l].norm)
			    ^`},
		{"operand after attribute", `x, blk[l].norm, eps=1e-5`, `x, eps=1e-5, blk[l].norm`, `
toy.dsl:17:28: operands come before attributes
			n = rmsnorm(x, eps=1e-5, blk[l].norm)
			                         ^`},
		{"no return", `	return matmul(take_rows(x), embd)
`, ``, `
toy.dsl:14:7: entry step does not end with return
	entry step(ids: i32[T]) -> logits: f32[R, 16] {
	      ^`},
		{"unknown input type", `ids: i32[T]`, `ids: i64[T]`, `
toy.dsl:14:17: unknown type i64; inputs and results are f32 or i32
	entry step(ids: i64[T]) -> logits: f32[R, 16] {
	                ^`},
		{"input of five dimensions", `ids: i32[T]`, `ids: i32[T, 1, 1, 1, 1]`, `
toy.dsl:14:17: 5 dimensions, at most 4
	entry step(ids: i32[T, 1, 1, 1, 1]) -> logits: f32[R, 16] {
	                ^`},
		{"dimension of zero", `f32[R, 16]`, `f32[R, D - 8]`, `
toy.dsl:14:43: a dimension of 0 is not in 1..2147483648
	entry step(ids: i32[T]) -> logits: f32[R, D - 8] {
	                                          ^`},
		{"dimension of text", `f32[R, 16]`, `f32[R, "16"]`, `
toy.dsl:14:43: a dimension must be an integer, not a string
	entry step(ids: i32[T]) -> logits: f32[R, "16"] {
	                                          ^`},
		{"condition that is a tensor", `y = matmul(n, blk[l].up)`, `if n { y = n } else { y = n }`, `
toy.dsl:21:6: a condition must be true or false, not a tensor
			if n { y = n } else { y = n }
			   ^`},
		{"loop over a tensor", `for l in 0..L {`, `for l in 0..x {`, `
toy.dsl:16:14: the end of a range must be an integer, not a tensor
		for l in 0..x {
		            ^`},
		{"loop variable assigned", `y = matmul(n, blk[l].up)`, `l = matmul(n, blk[l].up)`, `
toy.dsl:16:6: the loop variable l is assigned elsewhere
		for l in 0..L {
		    ^
toy.dsl:22:14: undefined name y
			x = add(x, y) into x
			           ^`},
		{"column of text", `y = matmul(n, blk[l].up)`, `y = matmul(n["a":], blk[l].up)`, `
toy.dsl:21:16: a column must be an integer, not a string
			y = matmul(n["a":], blk[l].up)
			             ^`},
		{"columns of a number", `y = matmul(n, blk[l].up)`, `y = matmul(D[0:1], blk[l].up)`, `
toy.dsl:21:15: what columns are taken from must be a tensor, not an integer
			y = matmul(D[0:1], blk[l].up)
			            ^`},
		{"negative column", `y = matmul(n, blk[l].up)`, `y = matmul(n[:0 - 1], blk[l].up)`, `
toy.dsl:21:15: column -1 is negative
			y = matmul(n[:0 - 1], blk[l].up)
			            ^`},
		{"entry twice", `state kept`, `entry step(ids: i32[T]) -> y: i32[T] { return ids }
state kept`, `
toy.dsl:15:7: entry step is declared twice
	entry step(ids: i32[T]) -> logits: f32[R, 16] {
	      ^`},
		{"kv of another type", `kv[C, D]`, `f32[C, D]`, `
toy.dsl:13:24: a state has the element type kv (chosen when compiling), not f32
	state kept[l in 0..L]: f32[C, D]
	                       ^`},
		{"state of one dimension", `kv[C, D]`, `kv[D]`, `
toy.dsl:13:24: a state has two dimensions, rows and row length: kv[C, n]
	state kept[l in 0..L]: kv[D]
	                       ^`},
		{"weight of five dimensions", `weight embd: [16, D]`, `weight embd: [1, 1, 1, 16, D]`, `
toy.dsl:6:14: 5 dimensions, at most 4
	weight embd: [1, 1, 1, 16, D] = "embd"
	             ^`},
		{"optional group", `weight blk[l in 0..L] {`, `weight blk?[l in 0..L] {`, `
toy.dsl:7:8: a group cannot be optional; mark the weights inside with ?
	weight blk?[l in 0..L] {
	       ^`},
		{"member twice", `	up: [D, D]`, `	norm: [D, D]`, `
toy.dsl:9:2: norm is declared twice
		norm: [D, D] = "u.{l}"
		^
toy.dsl:21:23: blk has no weight up
			y = matmul(n, blk[l].up)
			                    ^`},
		{"param with holes", `param full[l in 0..L]`, `param full[l in 0..4 if l != 1]`, `
toy.dsl:4:12: the range of a param cannot leave out values
	param full[l in 0..4 if l != 1]: bool = l == 0
	           ^`},
		{"op in a param", `l == 0`, `add(l, 0) == 0`, `
toy.dsl:4:31: op add can be called inside an entry only
	param full[l in 0..L]: bool = add(l, 0) == 0
	                              ^`},
		{"unknown function", `l == 0`, `mod(l, 2) == 0`, `
toy.dsl:4:31: unknown function mod
	param full[l in 0..L]: bool = mod(l, 2) == 0
	                              ^`},
		{"op name declared", `param L`, `param add`, `
toy.dsl:3:7: add is the name of a function or an op
	param add = key("layers")
	      ^
toy.dsl:4:20: undefined name L
	param full[l in 0..L]: bool = l == 0
	                   ^
toy.dsl:7:20: undefined name L
	weight blk[l in 0..L] {
	                   ^
toy.dsl:13:20: undefined name L
	state kept[l in 0..L]: kv[C, D]
	                   ^
toy.dsl:16:14: undefined name L
		for l in 0..L {
		            ^`},
		{"def parameter twice", `ignore "extra.*"`, `ignore "extra.*"
def f(a, a) = a`, `
toy.dsl:13:10: parameter a is declared twice
	def f(a, a) = a
	         ^`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(toyUsing, c.old) {
				t.Fatalf("the toy has no %q", c.old)
			}
			_, err := bindToy(strings.Replace(toyUsing, c.old, c.new, 1), toyFile())
			fails(t, err, c.want)
		})
	}
}

func TestMemberUnderAFalseCondition(t *testing.T) {
	text := strings.NewReplacer(`bias?: [D] = "b.{l}"`, `if l == 0 { bias: [D] = "n.0" }`, `add(x, y) into x`, `add_row(y, blk[l].bias)`).Replace(toyUsing)
	_, err := bindToy(text, toyFile())
	fails(t, err, `
toy.dsl:22:24: blk[1] has no weight bias: its declaration lies under a condition that is false here
			x = add_row(y, blk[l].bias)
			                     ^`)
}
