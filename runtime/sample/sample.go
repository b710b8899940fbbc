// Package sample chooses the next token from logits. The same logits, parameters, seed and
// position give the same token on every machine, and a GPU can give it too: random numbers
// come from a counter (philox.go), weights are fixed-point integers made with a written-out
// exponential (exp.go), and all sums are integer sums, which do not depend on their order.
// It must import nothing but the standard library.
//
// One choice, in this order; every step is defined by the weights alone, so that any
// algorithm that respects the definitions (a radix select on a GPU, a sort) agrees:
//
//  1. Masked ids are out. A NaN or +Inf logit among the others is an error.
//  2. Repetition penalty r: x > 0 becomes x/r, otherwise x*r, for ids seen before; the result
//     is clamped to the finite range. Minus infinity stays: such an id is never chosen.
//  3. Temperature 0: the largest logit wins, the lower id of equals. No random number is used.
//  4. w = weight((x - max) * (1/T)): exp in units of 2^-32, from 0 to 2^32. The float32
//     operations here, in 2 and in weight are each rounded to nearest even, divisions too.
//  5. top-k: the k best ids by (weight descending, id ascending). Ids of weight 0 are never
//     chosen, so less than k may be left.
//  6. top-p: of what is left, the shortest prefix in the same order whose weights sum to at
//     least p of what is left.
//  7. min-p: ids whose weight is at least p of the largest weight (which is 2^32).
//  8. u is 64 random bits; the token is the first id, in ascending id order, at which the sum
//     of the weights left exceeds floor(u * total / 2^64).
package sample

import (
	"fmt"
	"math"
	"math/bits"
)

// Sampler holds parameters and scratch for one vocabulary size; one goroutine at a time.
type Sampler struct {
	p      Params
	minP   uint64   // least weight that min-p leaves
	masked []bool   // id -> never chosen
	seen   []uint32 // id -> how often it occurred in the text so far
	x      []float32
	w      []uint64
	mass   [digitSize]uint64 // histogram of one digit of the weights
}

// New returns a sampler for vocab logits that never chooses the ids of masked.
func New(vocab int, p Params, masked []int32) (*Sampler, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if vocab < 1 || vocab > maxVocab {
		return nil, fmt.Errorf("sampling over %d logits: 1 to %d are supported", vocab, maxVocab)
	}
	s := &Sampler{
		p:      p,
		minP:   share(p.MinP, one),
		masked: make([]bool, vocab),
		seen:   make([]uint32, vocab),
		x:      make([]float32, vocab),
		w:      make([]uint64, vocab),
	}
	for _, id := range masked {
		if id < 0 || int(id) >= vocab {
			return nil, fmt.Errorf("masked token id %d is outside the %d logits", id, vocab)
		}
		s.masked[id] = true
	}
	return s, nil
}

// Seen counts ids as part of the text so far, prompt or output, for the repetition penalty.
// Ids outside the vocabulary are an error, and then none is counted.
func (s *Sampler) Seen(ids ...int32) error {
	for _, id := range ids {
		if id < 0 || int(id) >= len(s.seen) {
			return fmt.Errorf("token id %d is outside the %d logits", id, len(s.seen))
		}
	}
	for _, id := range ids {
		s.seen[id]++
	}
	return nil
}

// Forget starts a new text: no id counts as seen.
func (s *Sampler) Forget() { clear(s.seen) }

// Pick returns the token for the logits at position pos, which numbers the choices of a text:
// two choices at one position use the same random number. It does not change logits, does not
// allocate, and does not count its result as seen.
func (s *Sampler) Pick(logits []float32, pos uint64) (id int32, err error) {
	best, err := s.prepare(logits)
	if err != nil {
		return -1, err
	}
	if s.p.Temperature == 0 {
		return best, nil
	}
	s.weigh(s.x[best])
	total := s.restrict()
	point, _ := bits.Mul64(uniform(s.p.Seed, pos), total)
	return s.at(point), nil
}

// prepare fills x with the penalised logits, -Inf where masked, and returns the id of the
// largest, the lowest of equals.
func (s *Sampler) prepare(logits []float32) (best int32, err error) {
	if len(logits) != len(s.x) {
		return -1, fmt.Errorf("%d logits for a sampler of %d", len(logits), len(s.x))
	}
	best = -1
	top := float32(math.Inf(-1))
	for id, x := range logits {
		v, ok := s.value(id, x)
		if !ok {
			return -1, fmt.Errorf("logit %d is %v: the model's output is broken, a check of the run against the host finds where", id, x)
		}
		s.x[id] = v
		if v > top {
			top, best = v, int32(id)
		}
	}
	if best < 0 {
		return -1, fmt.Errorf("no token to choose: all %d logits are masked or -Inf", len(logits))
	}
	return best, nil
}

// value returns the logit of an id with the penalty, -Inf where it is masked; not ok where no
// model may give such a logit.
func (s *Sampler) value(id int, x float32) (v float32, ok bool) {
	switch {
	case s.masked[id]:
		return float32(math.Inf(-1)), true
	case x != x || x > math.MaxFloat32:
		return x, false
	case s.seen[id] > 0 && s.p.Repeat != 1:
		return penalise(x, s.p.Repeat), true
	}
	return x, true
}

// penalise makes a seen token less likely, whatever the sign of its logit; -Inf stays.
func penalise(x, r float32) float32 {
	if x < -math.MaxFloat32 {
		return x
	}
	if x > 0 {
		x /= r
	} else {
		x *= r
	}
	return max(-math.MaxFloat32, min(x, math.MaxFloat32))
}

// weigh fills w from x; top is the largest of x.
func (s *Sampler) weigh(top float32) {
	inv := 1 / s.p.Temperature
	for id, x := range s.x {
		d := float32(x - top) // rounded, so that no compiler fuses it with the product
		s.w[id] = weight(float32(d * inv))
	}
}

// at returns the first id whose running sum of weights exceeds point.
func (s *Sampler) at(point uint64) int32 {
	var sum uint64
	for id, w := range s.w {
		if sum += w; sum > point {
			return int32(id)
		}
	}
	panic(fmt.Sprintf("BUG: sampling point %d is past the sum of weights %d", point, sum))
}
