package tags

// hash mixes numbers and texts into 64 bits. Zero never comes out: it is kept for "races".
type hash uint64

const seed hash = 0x9e3779b97f4a7c15

func (h hash) add(x uint64) hash {
	z := uint64(h) ^ x
	z ^= z >> 32
	z *= 0xd6e8feb86659fd93
	z ^= z >> 29
	z *= 0xa0761d6478bd642f
	return hash(z ^ z>>32 + 1)
}

func (h hash) text(s string) hash {
	const prime = 1099511628211
	f := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		f = (f ^ uint64(s[i])) * prime
	}
	return h.add(f).add(uint64(len(s)))
}

func (h hash) sum() uint64 { return max(uint64(h), 1) }
