package tokenizer

import (
	"fmt"
	"math"
	"strings"
)

// maxTokens bounds token ids so that a pair of them and the empty mark fit a uint64.
const maxTokens = 1 << 30

// noMerge is the rank of a pair that does not merge.
const noMerge = math.MaxUint32

// merge is one slot of the table: left and right id packed in pair, and what they become.
type merge struct {
	pair uint64
	rank uint32 // position in the merge list; lower merges first
	id   int32
}

// mergeTable is an open-addressing hash table: a lookup per neighbouring pair is the inner
// loop of encoding, and this is twice as fast as a Go map.
type mergeTable struct {
	slots []merge
	shift uint // 64 - log2(len(slots))
}

// emptyPair marks a free slot; no pair of ids below maxTokens equals it.
const emptyPair = math.MaxUint64

func pairOf(left, right int32) uint64 { return uint64(left)<<32 | uint64(right) }

// newMergeTable resolves the merge lines "left right" against the vocabulary.
func newMergeTable(lines []string, words map[string]int32, text []string) (mergeTable, error) {
	size, shift := 16, uint(60)
	for size < len(lines)*3/2 {
		size *= 2
		shift--
	}
	t := mergeTable{slots: make([]merge, size), shift: shift}
	for i := range t.slots {
		t.slots[i].pair = emptyPair
	}
	var buf []byte
	for rank, line := range lines {
		cut := strings.IndexByte(line, ' ')
		if cut <= 0 || cut == len(line)-1 || strings.IndexByte(line[cut+1:], ' ') >= 0 {
			return t, fmt.Errorf("merge %d: %q is not two tokens with one space between", rank, line)
		}
		buf = appendBytes(buf[:0], line[:cut])
		n := len(buf)
		buf = appendBytes(buf, line[cut+1:])
		left, okL := words[string(buf[:n])]
		right, okR := words[string(buf[n:])]
		id, ok := words[string(buf)]
		if !okL || !okR || !ok {
			return t, fmt.Errorf("merge %d: %q: its parts and its result must be tokens of the vocabulary", rank, line)
		}
		t.insert(merge{pair: pairOf(left, right), rank: uint32(rank), id: id})
	}
	return t, nil
}

// insert adds m; of two merges of one pair the first keeps its rank.
func (t *mergeTable) insert(m merge) {
	for i := t.home(m.pair); ; i = (i + 1) & (len(t.slots) - 1) {
		switch t.slots[i].pair {
		case m.pair:
			return
		case emptyPair:
			t.slots[i] = m
			return
		}
	}
}

// home is the slot where the search for a pair starts (Fibonacci hashing).
func (t *mergeTable) home(pair uint64) int { return int(pair * 0x9E3779B97F4A7C15 >> t.shift) }

// find returns rank and result of merging left and right; rank noMerge when they do not.
func (t *mergeTable) find(left, right int32) (rank uint32, id int32) {
	pair := pairOf(left, right)
	for i := t.home(pair); ; i = (i + 1) & (len(t.slots) - 1) {
		s := &t.slots[i]
		if s.pair == pair {
			return s.rank, s.id
		}
		if s.pair == emptyPair {
			return noMerge, 0
		}
	}
}
