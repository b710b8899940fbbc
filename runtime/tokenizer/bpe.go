package tokenizer

// A word is a list of tokens, at first one per byte. The pair with the lowest rank is merged,
// the leftmost of equals first, until no pair merges (section 6.1). Short words scan for that
// pair; long ones keep the pairs in a heap, so that no input costs quadratic time.

// scanLimit is the longest word, in bytes, that is merged by scanning.
const scanLimit = 48

// bpe is the working memory of one encoding.
type bpe struct {
	t    *Tokenizer
	ids  [scanLimit]int32
	rank [scanLimit]uint32 // rank[i]: of ids[i] and ids[i+1]

	// Long words: positions linked in both directions, heap of rank<<32 | position.
	long []node
	heap []uint64
}

// node is a token of a long word; its position is that of its first byte.
type node struct {
	id         int32
	rank       uint32 // of this and the next node; noMerge when dead or last
	prev, next int32  // -1 at the ends
}

// appendWord appends the tokens of one non-empty word.
func (b *bpe) appendWord(dst []int32, word string) []int32 {
	if len(word) == 1 {
		return append(dst, b.t.byteID[word[0]])
	}
	if b.t.pre.wholeWord {
		if id, ok := b.t.words[word]; ok {
			return append(dst, id)
		}
	}
	if len(word) <= scanLimit {
		return b.appendShort(dst, word)
	}
	return b.appendLong(dst, word)
}

func (b *bpe) appendShort(dst []int32, word string) []int32 {
	n := len(word)
	for i := range n {
		b.ids[i] = b.t.byteID[word[i]]
	}
	for i := range n - 1 {
		b.rank[i], _ = b.t.merges.find(b.ids[i], b.ids[i+1])
	}
	for n > 1 {
		best := 0
		for i, r := range b.rank[:n-1] {
			if r < b.rank[best] {
				best = i
			}
		}
		if b.rank[best] == noMerge {
			break
		}
		_, b.ids[best] = b.t.merges.find(b.ids[best], b.ids[best+1])
		copy(b.ids[best+1:n-1], b.ids[best+2:n])
		copy(b.rank[best:n-2], b.rank[best+1:n-1])
		n--
		if best < n-1 {
			b.rank[best], _ = b.t.merges.find(b.ids[best], b.ids[best+1])
		}
		if best > 0 {
			b.rank[best-1], _ = b.t.merges.find(b.ids[best-1], b.ids[best])
		}
	}
	return append(dst, b.ids[:n]...)
}

func (b *bpe) appendLong(dst []int32, word string) []int32 {
	n := len(word)
	if cap(b.long) < n {
		b.long = make([]node, n)
	}
	b.long, b.heap = b.long[:n], b.heap[:0]
	for i := range n {
		b.long[i] = node{b.t.byteID[word[i]], noMerge, int32(i - 1), int32(i + 1)}
	}
	b.long[n-1].next = -1
	for i := range n - 1 {
		b.setRank(int32(i))
	}
	for len(b.heap) > 0 {
		top := b.pop()
		at := int32(uint32(top))
		left := &b.long[at]
		if left.rank != uint32(top>>32) {
			continue // a neighbour merged since this entry was pushed
		}
		dead := left.next
		right := &b.long[dead]
		_, left.id = b.t.merges.find(left.id, right.id)
		left.next = right.next
		right.rank = noMerge
		if left.next >= 0 {
			b.long[left.next].prev = at
		}
		b.setRank(at)
		if left.prev >= 0 {
			b.setRank(left.prev)
		}
	}
	for at := int32(0); at >= 0; at = b.long[at].next {
		dst = append(dst, b.long[at].id)
	}
	return dst
}

// setRank recomputes the rank of the pair that starts at position at, and queues it.
func (b *bpe) setRank(at int32) {
	l := &b.long[at]
	l.rank = noMerge
	if l.next < 0 {
		return
	}
	l.rank, _ = b.t.merges.find(l.id, b.long[l.next].id)
	if l.rank != noMerge {
		b.push(uint64(l.rank)<<32 | uint64(uint32(at)))
	}
}

func (b *bpe) push(v uint64) {
	h := append(b.heap, v)
	i := len(h) - 1
	for i > 0 && v < h[(i-1)/2] {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = v
	b.heap = h
}

// pop removes and returns the smallest entry: lowest rank, then leftmost.
func (b *bpe) pop() uint64 {
	h := b.heap
	top, v := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	b.heap = h
	i := 0
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && h[c+1] < h[c] {
			c++
		}
		if v <= h[c] {
			break
		}
		h[i] = h[c]
		i = c
	}
	if len(h) > 0 {
		h[i] = v
	}
	return top
}
