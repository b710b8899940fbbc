package sample

import "math/bits"

// Philox4x32-10, a counter-based generator: a block cipher of a counter, so that the numbers
// of position n need no state and no earlier numbers. (Salmon, Moraes, Dror, Shaw: "Parallel
// random numbers: as easy as 1, 2, 3", SC 2011.)
const (
	philoxM0 = 0xD2511F53
	philoxM1 = 0xCD9E8D57
	philoxW0 = 0x9E3779B9 // key steps: golden ratio
	philoxW1 = 0xBB67AE85 // and sqrt(3)-1
)

// philox returns the 128 random bits of counter c under key k.
func philox(c [4]uint32, k [2]uint32) [4]uint32 {
	for range 10 {
		hi0, lo0 := bits.Mul32(philoxM0, c[0])
		hi1, lo1 := bits.Mul32(philoxM1, c[2])
		c = [4]uint32{hi1 ^ c[1] ^ k[0], lo1, hi0 ^ c[3] ^ k[1], lo0}
		k[0] += philoxW0
		k[1] += philoxW1
	}
	return c
}

// uniform returns the 64 random bits of a position: words 0 (low) and 1 (high) of the block
// whose counter is pos in words 0 and 1, zero in 2 and 3, and whose key is seed, low word first.
func uniform(seed, pos uint64) uint64 {
	r := philox([4]uint32{uint32(pos), uint32(pos >> 32)}, [2]uint32{uint32(seed), uint32(seed >> 32)})
	return uint64(r[0]) | uint64(r[1])<<32
}
