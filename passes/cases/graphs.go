package cases

import (
	"fmt"
	"strings"
)

// Graphs in the text of package ir. $NAME stands for an extent.

func fill(text string, pairs ...any) string {
	var args []string
	for i := 0; i < len(pairs); i += 2 {
		args = append(args, "$"+pairs[i].(string), fmt.Sprint(pairs[i+1]))
	}
	return strings.NewReplacer(args...).Replace(text)
}

func matmul(t string, n, k int) string {
	return fill(`graph step {
	arg %0 = input "x" : f32[Tx$K]
	arg %1 = weight "w" : $Q[$Nx$K]
	%2 = matmul %0, %1 : f32[Tx$N] @ "y"
	return %2
}
`, "Q", t, "N", n, "K", k)
}

func gateUp(t string, n, k int) string {
	return fill(`graph step {
	arg %0 = input "x" : f32[Tx$K]
	arg %1 = weight "gate" : $Q[$Nx$K]
	arg %2 = weight "up" : $Q[$Nx$K]
	%3 = matmul %0, %1 : f32[Tx$N] @ "g"
	%4 = matmul %0, %2 : f32[Tx$N] @ "u"
	%5 = silu_mul %3, %4 : f32[Tx$N] @ "y"
	return %5
}
`, "Q", t, "N", n, "K", k)
}

func expertGateUp(t string) string {
	return fill(`graph step {
	arg %0 = input "x" : f32[Tx$D]
	arg %1 = weight "gate" : $Q[$Ex$Nx$D]
	arg %2 = weight "up" : $Q[$Ex$Nx$D]
	arg %3 = input "idx" : i32[Tx$U]
	%4 = expert_matmul %0, %1, %3 : f32[Tx$Ux$N] @ "g"
	%5 = expert_matmul %0, %2, %3 : f32[Tx$Ux$N] @ "u"
	%6 = silu_mul %4, %5 : f32[Tx$Ux$N] @ "y"
	return %6
}
`, "Q", t, "D", width, "E", experts, "N", expert, "U", used)
}

func expertDown(t string) string {
	return fill(`graph step {
	arg %0 = input "h" : f32[Tx$Ux$N]
	arg %1 = weight "down" : $Q[$Ex$Dx$N]
	arg %2 = input "idx" : i32[Tx$U]
	arg %3 = input "g" : f32[Tx$U]
	%4 = expert_matmul %0, %1, %2 : f32[Tx$Ux$D] @ "d"
	%5 = expert_combine %4, %3 : f32[Tx$D] @ "y"
	return %5
}
`, "Q", t, "D", width, "E", experts, "N", expert, "U", used)
}

// expertMatmul leaves the products of a token's experts apart.
func expertMatmul(t string) string {
	return fill(`graph step {
	arg %0 = input "h" : f32[Tx$Ux$N]
	arg %1 = weight "down" : $Q[$Ex$Dx$N]
	arg %2 = input "idx" : i32[Tx$U]
	%3 = expert_matmul %0, %1, %2 : f32[Tx$Ux$D] @ "d"
	return %3
}
`, "Q", t, "D", width, "E", experts, "N", expert, "U", used)
}

func headMatmul(t string, n, k int) string {
	return fill(`graph step {
	arg %0 = input "x" : f32[Tx$Hx$K]
	arg %1 = weight "w" : $Q[$Hx$Nx$K]
	%2 = head_matmul %0, %1 : f32[Tx$Hx$N] @ "y"
	return %2
}
`, "Q", t, "H", heads, "N", n, "K", k)
}

// attend is absorbed attention over a list of rows of the latent cache.
var attend = fill(`graph step {
	arg %0 = input "qa" : f32[Tx$Hx$R]
	arg %1 = input "q" : f32[Tx$Hx$Q]
	arg %2 = state "latent.0" layer 0 : f16[Cx$L]
	arg %3 = input "sel" : i32[Tx$K]
	%4 = slice %1 {cols: $P, off: $N} : f32[Tx$Hx$P] @ "qp"
	%5 = mqa_attend %0, %4, %2, %3 {scale: 0.0625} : f32[Tx$Hx$R] @ "u"
	return %5
}
`, "H", heads, "R", kvRank, "Q", headK, "L", kvRank+rope, "K", topK, "P", rope, "N", nope)

// attendValues is attend, then the values of each head.
var attendValues = strings.Replace(attend, `	return %5
`, fill(`	arg %6 = weight "v_b" : q8_0[$Hx$Vx$R]
	%7 = head_matmul %5, %6 : f32[Tx$Hx$V] @ "o"
	return %7
`, "H", heads, "V", headV, "R", kvRank), 1)

// index scores the key cache and chooses rows.
var index = fill(`graph step {
	arg %0 = input "q" : f32[Tx$Hx$D]
	arg %1 = input "w" : f32[Tx$H]
	arg %2 = state "ikey.0" layer 0 : f16[Cx$D]
	%3 = index_topk %0, %1, %2 {k: $K, scale: 0.015625} : i32[Tx$K] @ "sel"
	return %3
}
`, "H", idxHead, "D", idxDim, "K", topK)

func rmsnorm(n int) string {
	return fill(`graph step {
	arg %0 = input "x" : f32[Tx$N]
	arg %1 = weight "norm" : f32[$N]
	%2 = rmsnorm %0, %1 {eps: 1e-05} : f32[Tx$N] @ "y"
	return %2
}
`, "N", n)
}

// ropeGraph rotates the last columns of every head.
var ropeGraph = fill(`graph step {
	arg %0 = input "x" : f32[Tx$Hx$K]
	%1 = rope %0 {base: 1e+06, beta_fast: 32.0, beta_slow: 1.0, dims: $P, factor: 1.0, mscale: 1.0, off: $N, orig_ctx: 0, style: "interleaved"} : f32[Tx$Hx$K] @ "y"
	return %1
}
`, "H", heads, "K", headK, "P", rope, "N", nope)

// router is the choice of experts and their weights.
var router = fill(`graph step {
	arg %0 = input "z" : f32[Tx$E]
	arg %1 = weight "bias" : f32[$E]
	%2, %3 = router %0, %1 {floor: 6.103515625e-05, groups: 1, k: $U, norm: 1, scale: 2.5, used: 1} : i32[Tx$U], f32[Tx$U] @ "r"
	return %2, %3
}
`, "E", experts, "U", used)

// logits are what a token is drawn from.
var logits = fill(`graph step {
	arg %0 = input "logits" : f32[Tx$V]
	return %0
}
`, "V", vocab)

// sum is that of the residual stream.
func sum(n int) string {
	return fill(`graph step {
	arg %0 = input "a" : f32[Tx$N]
	arg %1 = input "b" : f32[Tx$N]
	%2 = add %0, %1 : f32[Tx$N] @ "y"
	return %2
}
`, "N", n)
}

func embed(t string) string {
	return fill(`graph step {
	arg %0 = input "ids" : i32[T]
	arg %1 = weight "embd" : $Q[$Vx$D]
	%2 = embed %0, %1 : f32[Tx$D] @ "y"
	return %2
}
`, "Q", t, "V", vocab, "D", width)
}

func layernorm(n int) string {
	return fill(`graph step {
	arg %0 = input "x" : f32[Tx$N]
	arg %1 = weight "norm" : f32[$N]
	arg %2 = weight "bias" : f32[$N]
	%3 = layernorm %0, %1, %2 {eps: 1e-06} : f32[Tx$N] @ "y"
	return %3
}
`, "N", n)
}

// appendRows puts rows of the latent into its cache.
var appendRows = fill(`graph step {
	arg %0 = input "x" : f32[Tx$L]
	arg %1 = state "latent.0" layer 0 : f16[Cx$L]
	%2 = append %0, %1 : f16[Cx$L] @ "kept"
	return %0
}
`, "L", kvRank+rope)
