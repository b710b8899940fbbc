package sample

import (
	"math"
	"math/bits"
)

// The restrictions keep a prefix of the ids in the order (weight descending, id ascending).
// Where it ends is found without sorting, digit by digit from the top of the weight (a radix
// select): three passes over the weights, and the same result as a sort by definition.

const (
	digitBits = 11 // three digits hold the 33 bits of a weight
	digitSize = 1 << digitBits
	topShift  = 2 * digitBits
)

// restrict sets the weights of the ids that top-k, top-p and min-p leave out to 0 and returns
// the sum of the others, which is at least one: the best id always stays.
func (s *Sampler) restrict() (total uint64) {
	count, total := s.tally()
	if s.p.TopK > 0 && s.p.TopK < count {
		s.keep(uint64(s.p.TopK), false)
		_, total = s.tally()
	}
	if s.p.TopP < 1 {
		s.keep(share(s.p.TopP, total), true)
		_, total = s.tally()
	}
	if s.minP > 0 {
		for id, w := range s.w {
			if w < s.minP {
				s.w[id] = 0
				total -= w
			}
		}
	}
	return total
}

// tally returns how many ids have a weight, and the sum of the weights.
func (s *Sampler) tally() (count int, total uint64) {
	for _, w := range s.w {
		if w > 0 {
			count++
			total += w
		}
	}
	return count, total
}

// share returns p of total, rounded up: p, from 0 to 1, counts as ceil(p * 2^32) parts of 2^32.
func share(p float32, total uint64) uint64 {
	parts := uint64(math.Ceil(float64(p) * one)) // exact: a float32 has 24 bits
	hi, lo := bits.Mul64(parts, total)
	lo, carry := bits.Add64(lo, one-1, 0)
	return (hi+carry)<<32 | lo>>32
}

// keep sets all weights to 0 that are not in the shortest prefix whose mass reaches goal. The
// mass of an id is its weight, or 1 for counting. The mass of all ids must reach goal.
func (s *Sampler) keep(goal uint64, byWeight bool) {
	// After each pass the cut lies among the weights that start with the digits of high, and
	// goal is the mass that is needed of those.
	var high uint64
	for shift := topShift; shift >= 0; shift -= digitBits {
		clear(s.mass[:])
		for _, w := range s.w {
			if w == 0 || w>>shift>>digitBits != high {
				continue
			}
			if byWeight {
				s.mass[w>>shift%digitSize] += w
			} else {
				s.mass[w>>shift%digitSize]++
			}
		}
		digit := uint64(digitSize - 1)
		for s.mass[digit] < goal {
			goal -= s.mass[digit]
			digit--
		}
		high = high<<digitBits | digit
	}
	left := goal // how many ids of weight high are kept: the first ones
	if byWeight {
		left = (goal + high - 1) / high
	}
	for id, w := range s.w {
		switch {
		case w > high:
		case w == high && left > 0:
			left--
		default:
			s.w[id] = 0
		}
	}
}
