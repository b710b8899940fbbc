package host

import (
	"math"

	"dsac/runtime/ref"
)

// order maps a score to an unsigned number of the same order. Minus zero counts as zero, and
// a NaN as minus infinity.
func order(v float32) uint32 {
	if v != v {
		v = float32(math.Inf(-1))
	}
	b := math.Float32bits(v + 0) // -0 + 0 is +0
	if b>>31 != 0 {
		return ^b
	}
	return b | 1<<31
}

// digits are the parts of an order, high to low, by which selectLargest narrows down the k-th
// largest.
var digits = [...]struct{ shift, bits uint }{{21, 11}, {10, 11}, {0, 10}}

// selectLargest writes the indices of the k largest scores to list in ascending order, then
// -1; of equal scores the lower index wins. It takes a fixed number of passes over scores,
// whatever their values: a radix search for the k-th largest, then one pass that collects.
func selectLargest(scores []float32, list []int32, k int, w *ref.Work) {
	k = min(k, len(scores), len(list))
	var prefix, mask uint32 // of the k-th largest, as far as it is known
	rest := k               // how many of the scores with that prefix are chosen
	if k > 0 {
		counts := w.I32(0, 1<<11)
		for _, d := range digits {
			clear(counts)
			low := uint32(1)<<d.bits - 1
			for _, v := range scores {
				if o := order(v); o&mask == prefix {
					counts[o>>d.shift&low]++
				}
			}
			digit := low
			for rest > int(counts[digit]) {
				rest -= int(counts[digit])
				digit--
			}
			prefix |= digit << d.shift
			mask |= low << d.shift
		}
	}
	n := 0
	for i, v := range scores {
		if n == k {
			break
		}
		o := order(v)
		if o < prefix || o == prefix && rest == 0 {
			continue
		}
		if o == prefix {
			rest--
		}
		list[n] = int32(i)
		n++
	}
	for ; n < len(list); n++ {
		list[n] = -1
	}
}
