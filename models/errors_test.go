package models

import (
	"strings"
	"testing"
)

// Each case replaces one piece of the toy and demands the exact text of the error.
func TestErrorsShowThePlace(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"syntax error", `y = matmul(n, blk[l].up)`, `y = matmul(n, blk[l.up)`, `
toy.dsl:21:25: syntax error: unexpected ")", want "]"
			y = matmul(n, blk[l.up)
			                      ^`},
		{"missing brace", "\treturn matmul(take_rows(x), embd)\n}\n", "\treturn matmul(take_rows(x), embd)\n", `
toy.dsl:25:1: syntax error: unexpected end of file, want "}"`},
		{"bad character", `y = matmul(n, blk[l].up)`, `y = matmul(n; blk[l].up)`, `
toy.dsl:21:15: syntax error: ';' means nothing here
			y = matmul(n; blk[l].up)
			            ^`},
		{"string without end", `"embd"`, `"embd`, `
toy.dsl:6:24: syntax error: a string must end with " on its line
	weight embd: [16, D] = "embd
	                       ^`},
		{"unknown op", `y = matmul(n,`, `y = matmull(n,`, `
toy.dsl:21:7: unknown op matmull; did you mean matmul?
			y = matmull(n, blk[l].up)
			    ^`},
		{"undefined name", `y = matmul(n,`, `y = matmul(m,`, `
toy.dsl:21:14: undefined name m
			y = matmul(m, blk[l].up)
			           ^`},
		{"undefined member", `blk[l].norm`, `blk[l].norn`, `
toy.dsl:17:24: blk has no weight norn; did you mean norm?
			n = rmsnorm(x, blk[l].norn, eps=1e-5)
			                     ^`},
		{"wrong attribute", `eps=1e-5`, `epsilon=1e-5`, `
toy.dsl:17:31: rmsnorm has no attribute epsilon; it has eps
			n = rmsnorm(x, blk[l].norm, epsilon=1e-5)
			                            ^`},
		{"operand count", `matmul(n, blk[l].up)`, `matmul(n)`, `
toy.dsl:21:7: matmul takes 2 operands (x, weight), 1 given
			y = matmul(n)
			    ^`},
		{"unknown key type", `param D =`, `param D: integer =`, `
toy.dsl:2:10: unknown type integer; a param is int, float, bool or text, or a list such as bool[]
	param D: integer = key("width")
	         ^`},
		{"shape mismatch", `rmsnorm(x, blk[l].norm,`, `rmsnorm(x, blk[l].up,`, `
toy.dsl:17:7: rmsnorm: operand weight is q8_0[8x8], want [8]
			n = rmsnorm(x, blk[l].up, eps=1e-5)
			    ^`},
		{"attribute of another kind", `eps=1e-5`, `eps="small"`, `
toy.dsl:17:7: rmsnorm: attribute "eps" is small, want a number
			n = rmsnorm(x, blk[l].norm, eps="small")
			    ^`},
		{"shape of the file", `up: [D, D]`, `up: [D, 2 * D]`, `
toy.dsl:9:6: tensor "u.0" is [8, 8] in the file, want [8, 16]
		up: [D, 2 * D] = "u.{l}"
		    ^
toy.dsl:9:6: tensor "u.1" is [8, 8] in the file, want [8, 16]
		up: [D, 2 * D] = "u.{l}"
		    ^`},
		{"missing tensor", `"u.{l}"`, `"v.{l}"`, `
toy.dsl:9:15: the file has no tensor "v.0", which blk[0].up needs
		up: [D, D] = "v.{l}"
		             ^
toy.dsl:9:15: the file has no tensor "v.1", which blk[1].up needs
		up: [D, D] = "v.{l}"
		             ^`},
		{"unused weight", `y = matmul(n, blk[l].up)`, `y = n`, `
toy.dsl:9:2: unused weight: no statement uses blk[0].up
		up: [D, D] = "u.{l}"
		^`},
		{"unused state", `		kept[l] <- append(n)
`, ``, `
toy.dsl:13:7: unused state: no statement uses kept.0
	state kept[l in 0..L]: kv[C, D]
	      ^`},
		{"unused value", `y = matmul(n, blk[l].up)`, `y = matmul(n, blk[l].up)
		z = sigmoid(y)`, `
toy.dsl:22:7: the result of sigmoid (l0.z) is never used
			z = sigmoid(y)
			    ^`},
		{"unused tensor", `ignore "extra.*"`, `ignore "extra"`, `
toy.dsl:1:7: unused weight: the file has tensor "extra.7" [3], which no weight declares and no ignore covers
	model "toy"
	      ^`},
		{"into no operand", `add(x, y) into x`, `add(x, y) into n`, `
toy.dsl:22:22: into n: n is not an operand of add
			x = add(x, y) into n
			                   ^`},
		{"into without contract", `y = matmul(n, blk[l].up)`, `y = matmul(n, blk[l].up) into n`, `
toy.dsl:21:33: into n: the result of matmul may not lie on its operand x
			y = matmul(n, blk[l].up) into n
			                              ^`},
		{"into an input", `x = embed(ids, embd)`, `x = embed(ids, embd) into ids`, `
toy.dsl:15:28: into ids: the result of embed may not lie on its operand ids
		x = embed(ids, embd) into ids
		                          ^`},
		{"state written by =", `kept[l] <- append(n)`, `z = append(n)`, "toy.dsl:18:7: append writes a state: write `state <- append(...)`\n\t\t\tz = append(n)\n\t\t\t    ^"},
		{"store into no state", `kept[l] <- append(n)`, `x <- append(n)`, `
toy.dsl:18:3: <- writes a state, and x is not one
			x <- append(n)
			^`},
		{"optional weight used without has", `add(x, y) into x`, `add_row(x, blk[l].bias)`, `
toy.dsl:22:18: operand bias of add_row is blk[0].bias, which the file does not have; ask has(...) first
			x = add_row(x, blk[l].bias)
			               ^`},
		{"used before assigned", `x = embed(ids, embd)`, `x = embed(ids, embd)
	w = sigmoid(y)`, `
toy.dsl:16:14: y is used before anything assigns it
		w = sigmoid(y)
		            ^`},
		{"list that no earlier layer chose", `y = matmul(n, blk[l].up)`, `if !full[l] { sel = topk(n, k=2) }
		y = matmul(gate_weights(n, sel), blk[l].up)`, `
toy.dsl:22:30: sel is used in layer 0 before anything assigns it
			y = matmul(gate_weights(n, sel), blk[l].up)
			                           ^`},
		{"result of another shape", `f32[R, 16]`, `f32[R, 17]`, `
toy.dsl:24:9: entry step returns f32[Rx16], its declaration says f32[Rx17]
		return matmul(take_rows(x), embd)
		       ^`},
		{"check", `D > 0`, `D > 8`, `
toy.dsl:5:7: width is 8
	check D > 8 : "width is {D}"
	      ^`},
		{"index outside", `full[l]`, `full[l + 1]`, `
toy.dsl:19:10: index 2 is outside 0..2
			if full[l + 1] {
			       ^`},
		{"columns outside", `y = matmul(n, blk[l].up)`, `y = matmul(n[4:12], blk[l].up)`, `
toy.dsl:21:15: slice: columns [4, 12) are not inside x f32[Tx8]
			y = matmul(n[4:12], blk[l].up)
			            ^`},
		{"division by zero", `param D = key("width")`, `param D = key("width") / (3 - 3)`, `
toy.dsl:2:24: division by zero
	param D = key("width") / (3 - 3)
	                       ^`},
		{"condition", `if full[l] {`, `if l {`, `
toy.dsl:19:6: a condition must be true or false, not an integer
			if l {
			   ^`},
		{"return inside", `y = matmul(n, blk[l].up)`, `return n`, `
toy.dsl:21:3: return must be the last statement of the entry
			return n
			^
toy.dsl:22:14: undefined name y
			x = add(x, y) into x
			           ^`},
		{"name taken", `param L =`, `param D =`, `
toy.dsl:3:7: D is already a param
	param D = key("layers")
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
		{"symbol declared", `param L =`, `param T =`, `
toy.dsl:3:7: T is the name of a symbolic extent; T, R and C cannot be declared
	param T = key("layers")
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
		{"brace in a string", `"n.{l}"`, `"n.{l"`, `
toy.dsl:8:17: { without } in "n.{l"
		norm: [D] = "n.{l"
		               ^`},
		{"expression in a string", `"n.{l}"`, `"n.{l +}"`, `
toy.dsl:8:18: "l +" is not an expression
		norm: [D] = "n.{l +}"
		                ^`},
		{"weight in a param", `ignore "extra.*"`, `ignore "extra.*"
param b: bool = has(embd)`, `
toy.dsl:13:21: embd is a weight; it can be used inside an entry only
	param b: bool = has(embd)
	                    ^`},
		{"def with a weight in a param", `ignore "extra.*"`, `ignore "extra.*"
def d(l) = has(blk[l].bias)
param b: bool = d(0)`, `
toy.dsl:14:17: d uses ops, weights or states; it can be called inside an entry only
	param b: bool = d(0)
	                ^`},
		{"error inside a def", `ignore "extra.*"`, `ignore "extra.*"
def half(x) = matmul(x[0:4], embd)
entry other(ids: i32[T]) -> y: f32[T, 16] {
	return half(embed(ids, embd))
}`, `
toy.dsl:13:15: matmul: operand weight is f16[16x8], want [N x 4] to match x f32[Tx4] (half is called in line 15)
	def half(x) = matmul(x[0:4], embd)
	              ^`},
		{"state of step rows", `kv[C, D]`, `kv[T, D]`, `
toy.dsl:13:27: a state outlives a step, so T cannot be its extent
	state kept[l in 0..L]: kv[T, D]
	                          ^`},
		{"two errors", `norm: [D] = "n.{l}"`, `norm: [D] = "m.{l}"`, `
toy.dsl:8:14: the file has no tensor "m.0", which blk[0].norm needs
		norm: [D] = "m.{l}"
		            ^
toy.dsl:8:14: the file has no tensor "m.1", which blk[1].norm needs
		norm: [D] = "m.{l}"
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
