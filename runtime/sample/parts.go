package sample

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// The same choice in four parts, for devices that spread the logits over many processors. A
// block is a run of ids; what blocks say is joined by maxima and integer sums, so that the
// number of processors and their order do not matter:
//
//	Peaks   per block the best id
//	Masses  over all blocks: the mass of each bucket of weights, a bucket being a 16th of an octave
//	Sift    by the masses, the bucket in which top-k or top-p ends: per block the sum of the
//	        weights above it, which stay, and a list of those in it
//	Draw    the exact end in the lists, and the id at the random point
//
// With top-k the lists hold all from that bucket up, as top-p comes after it. A vocabulary has at
// most 2^20 ids here.

const (
	Block   = 1024 // ids of a block
	Buckets = 512
	Kept    = 2 // numbers that Sift says of a block, and ahead of them for all

	rankBits = 20 // of an id in its rank, beside the 33 of its weight
	broken   = math.MaxUint64
)

// Blocks returns the number of blocks of a vocabulary.
func Blocks(vocab int) int { return (vocab + Block - 1) / Block }

// peak orders ids by logit, the lower of equals first.
func peak(x float32, id int) uint64 {
	key := math.Float32bits(x + 0) // no -0
	key ^= uint32(int32(key)>>31) | 1<<31
	return uint64(key)<<32 | uint64(^uint32(id))
}

// unpeak returns the logit and the id of a peak.
func unpeak(p uint64) (x float32, id int32) {
	key := uint32(p >> 32)
	key ^= uint32(int32(^key)>>31) | 1<<31
	return math.Float32frombits(key), int32(^uint32(p))
}

// Peaks sets peaks to the best id of each block; to all ones where a logit is broken.
func (s *Sampler) Peaks(logits []float32, peaks []uint64) {
	clear(peaks)
	for id, x := range logits {
		v, ok := s.value(id, x)
		p := peak(v, id)
		if !ok {
			p = broken
		}
		peaks[id/Block] = max(peaks[id/Block], p)
	}
}

// draws returns the largest logit, and whether a random number decides.
func (s *Sampler) draws(peaks []uint64) (top float32, ok bool) {
	best := slices.Max(peaks)
	top, _ = unpeak(best)
	return top, best != broken && top > float32(math.Inf(-1)) && s.p.Temperature != 0
}

// weights fills w.
func (s *Sampler) weights(logits []float32, top float32) {
	for id, x := range logits {
		s.x[id], _ = s.value(id, x)
	}
	s.weigh(top)
}

// Masses adds to masses, by buckets, the number of weights with top-k, their sums with top-p.
func (s *Sampler) Masses(logits []float32, peaks, masses []uint64) {
	top, ok := s.draws(peaks)
	if !ok || s.p.TopK == 0 && s.p.TopP == 1 {
		return
	}
	s.weights(logits, top)
	for _, w := range s.w {
		switch {
		case w == 0:
		case s.p.TopK > 0:
			masses[bucket(w)]++
		default:
			masses[bucket(w)] += w
		}
	}
}

// bucket orders weights other than 0 coarsely: by their octave and four bits more.
func bucket(w uint64) int {
	w = min(w, 1<<32-1)
	octave := bits.Len64(w) - 1
	return octave<<4 | int(w<<4>>octave&15)
}

// rank orders all ids but those of weight 0 as top-k and top-p do: the best has the highest.
func rank(w uint64, id int) uint64 { return w<<rankBits | uint64(1<<rankBits-1-id) }

// Sift sets kept and list, which has Block places for each block: ranks, in order of ids, then
// zeros. kept begins with the mass that is to be taken from the first bucket that lists have, 0
// when they are taken whole, and that bucket, times 2^32, plus the one above the last; per block
// follow the sum of what is above and the length of the list.
func (s *Sampler) Sift(logits []float32, peaks, masses, kept, list []uint64) {
	clear(kept)
	clear(list)
	top, ok := s.draws(peaks)
	if !ok {
		return
	}
	s.weights(logits, top)
	goal, lo, hi := s.cut(masses)
	kept[0], kept[1] = goal, uint64(lo)<<32|uint64(hi+1)
	for id, w := range s.w {
		of := kept[Kept*(1+id/Block):][:Kept]
		switch {
		case w == 0:
		case bucket(w) > hi:
			if w >= s.minP {
				of[0] += w
			}
		case bucket(w) >= lo:
			list[id/Block*Block+int(of[1])] = rank(w, id)
			of[1]++
		}
	}
}

// cut returns which buckets lists are made of, and the mass that is to be taken from the first.
func (s *Sampler) cut(masses []uint64) (goal uint64, lo, hi int) {
	var total uint64
	for _, m := range masses {
		total += m
	}
	switch {
	case s.p.TopK > 0 && uint64(s.p.TopK) >= total:
		return 0, 0, Buckets - 1
	case s.p.TopK > 0:
		goal = uint64(s.p.TopK)
	case s.p.TopP < 1:
		goal = share(s.p.TopP, total)
	default:
		return 0, 0, -1
	}
	above := uint64(0)
	lo = Buckets - 1
	for above+masses[lo] < goal {
		above += masses[lo]
		lo--
	}
	if s.p.TopK > 0 {
		return goal - above, lo, Buckets - 1
	}
	return goal - above, lo, lo
}

// Draw returns the token from what the other parts made of the logits. Only where there is none
// does it look at all of them, to say why.
func (s *Sampler) Draw(logits []float32, peaks, kept, list []uint64, pos uint64) (id int32, err error) {
	top, random := s.draws(peaks)
	if !random {
		if _, id = unpeak(slices.Max(peaks)); top > float32(math.Inf(-1)) && slices.Max(peaks) != broken {
			return id, nil
		}
		return s.prepare(logits)
	}
	floor := s.floor(kept[0], int(kept[1]>>32), list)
	s.weights(logits, top)
	var total uint64
	for id, w := range s.w {
		in := w > 0 && bucket(w) >= int(uint32(kept[1])) || w > 0 && rank(w, id) >= floor
		if !in || w < s.minP {
			s.w[id] = 0
		}
		total += s.w[id]
	}
	point, _ := bits.Mul64(uniform(s.p.Seed, pos), total)
	return s.at(point), nil
}

// floor returns the lowest rank of the lists that stays: goal is the mass to take of bucket lo, as
// Sift says.
func (s *Sampler) floor(goal uint64, lo int, list []uint64) uint64 {
	var ranks []uint64
	above := uint64(0) // of them in higher buckets
	for _, r := range list {
		if r > 0 {
			ranks = append(ranks, r)
			if bucket(r>>rankBits) > lo {
				above++
			}
		}
	}
	slices.SortFunc(ranks, func(a, b uint64) int { return cmp.Compare(b, a) })
	if s.p.TopK > 0 {
		if goal > 0 {
			ranks = ranks[:min(above+goal, uint64(len(ranks)))]
		}
		goal = 0
		if s.p.TopP < 1 {
			for _, r := range ranks {
				goal += r >> rankBits
			}
			goal = share(s.p.TopP, goal)
		}
	}
	lowest := uint64(math.MaxUint64)
	for _, r := range ranks {
		lowest = r
		if w := r >> rankBits; goal > w {
			goal -= w
		} else if goal > 0 {
			break
		}
	}
	return lowest
}
