package repack

import (
	"bytes"
	"encoding/binary"
	"testing"

	"dsac/runtime/quant"
)

// The slow obvious packers: code by code, bit by bit, from the tables of place.go alone.

// slow is the packer of each layout that has one.
var slow = map[string]func(dst []byte, src *rows){
	"q2k_mma16_1":   slowQ2K,
	"q3k_mma16_1":   slowQ3K,
	"q4k_mma16_1":   slowQ4K,
	"q5k_mma16_1":   slowQ5K,
	"q6k_mma16_1":   slowQ6K,
	"iq4xs_mma16_1": slowIQ4XS,
	"q8_0_mma16_1":  slowQ8_0,
	"q4_0_mma16_1":  pack4.slow,
	"q4_1_mma16_1":  pack41.slow,
	"q5_0_mma16_1":  pack50.slow,
	"q5_1_mma16_1":  pack51.slow,
	"iq4nl_mma16_1": pack4.slow,
	"mxfp4_mma16_1": packMX.slow,
	"f16_mma16_1":   slow16,
	"bf16_mma16_1":  slow16,
}

// TestPackEqualsSlow compares units of random bytes.
func TestPackEqualsSlow(t *testing.T) {
	for _, l := range Layouts {
		if l.pack == nil {
			continue
		}
		pack := slow[l.Name]
		if pack == nil {
			t.Errorf("%s: no slow packer", l.Name)
			continue
		}
		flat := make([]byte, l.UnitBytes)
		var src rows
		for r := range src {
			src[r] = flat[r*l.UnitBytes/TileRows:][:l.UnitBytes/TileRows]
		}
		for seed := range uint64(20) {
			quant.NewRand(seed).Fill(flat)
			want := make([]byte, l.UnitBytes)
			pack(want, &src)
			got := bytes.Repeat([]byte{0xa5}, l.UnitBytes)
			l.pack(got, &src)
			if i := firstDifference(got, want); i >= 0 {
				t.Fatalf("%s, seed %d: packed byte %d is %#02x, want %#02x", l.Name, seed, i, got[i], want[i])
			}
		}
	}
}

// firstDifference returns where two slices of one length differ, or -1.
func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

func (t block32) slow(dst []byte, src *rows) {
	var g grid
	for r, b := range src {
		for k := range 64 {
			blk, j := b[k>>5*t.size:], k&31
			g[256*r+k] = blk[t.codes()+j&15] >> (j >> 4 * 4) & 15
			if t.high > 0 {
				g[256*r+k] |= blk[t.high+j>>3] >> (j & 7) & 1 << 4
			}
		}
	}
	g.putNibbles(dst, false, 1, t.shift)
	at := 512
	if t.high > 0 {
		g.putBit(dst[at:], false, 1, 4)
		at += 128
	}
	slowHeads(dst[at:], src, t.size, t.heads)
}

func slowQ8_0(dst []byte, src *rows) {
	for i, at := range order[0] {
		k := int(at & 255)
		dst[q8Byte(i)] = src[at>>8][k>>5*34+2+k&31] ^ 0x80
	}
	slowHeads(dst[1024:], src, 34, 2)
}

func slow16(dst []byte, src *rows) {
	for i, at := range order[0] {
		copy(dst[2*i:][:2], src[at>>8][2*(at&255):])
	}
}

func slowIQ4XS(dst []byte, src *rows) {
	var g grid
	for r, b := range src {
		for k := range 256 {
			g[256*r+k] = b[8+k>>5*16+k&15] >> (k >> 4 & 1 * 4) & 15
		}
		copy(dst[2048+r&7*16+r>>3*8:][:8], b)
	}
	g.putNibbles(dst, true, 4, &linearShift)
}

func slowScales45(dst []byte, src *rows) {
	for lane := range 32 {
		g, t := lane>>2, lane&3
		var v uint64
		for a := range 4 {
			sc, m := sixBits(src[g+a&1*8][4:16], t+a>>1*4)
			v |= uint64(sc)<<(6*a) | uint64(m)<<(24+6*a)
		}
		half := src[g+t>>1*8][2*(t&1):]
		v |= uint64(binary.LittleEndian.Uint16(half)) << 48
		binary.LittleEndian.PutUint64(dst[8*lane:], v)
	}
}

// slowCodes45 reads the codes of file blocks whose nibbles start at byte qs, fifth bits at qh
// (none when 0): byte l of 32 holds groups 2p and 2p+1.
func slowCodes45(g *grid, src *rows, qh, qs int) {
	for r, b := range src {
		for k := range 256 {
			j, l := k>>5, k&31
			g[256*r+k] = b[qs+j>>1*32+l] >> (4 * (j & 1)) & 15
			if qh > 0 {
				g[256*r+k] |= b[qh+l] >> j & 1 << 4
			}
		}
	}
}

func slowQ4K(dst []byte, src *rows) {
	var g grid
	slowCodes45(&g, src, 0, 16)
	g.putNibbles(dst, true, 4, &nibbleShift)
	slowScales45(dst[2048:], src)
}

func slowQ5K(dst []byte, src *rows) {
	var g grid
	slowCodes45(&g, src, 16, 48)
	g.putNibbles(dst, true, 4, &nibbleShift)
	g.putBit(dst[2048:], true, 4, 4)
	slowScales45(dst[2560:], src)
}

// pair23 finds the two low bits of column k, from the first byte of the codes on.
func pair23(k int) (at, shift int) { return k>>7*32 + k&31, k >> 5 & 3 * 2 }

func slowQ2K(dst []byte, src *rows) {
	var g grid
	for r, b := range src {
		for k := range 256 {
			at, shift := pair23(k)
			g[256*r+k] = b[16+at] >> shift & 3
		}
	}
	g.putPairs(dst, 0)
	slowScales6(dst[1024:], src, 0)
	for r, b := range src {
		copy(dst[1280+r&7*8+r>>3*4:][:4], b[80:])
	}
}

func slowQ3K(dst []byte, src *rows) {
	var g grid
	for r, b := range src {
		for k := range 256 {
			at, shift := pair23(k)
			g[256*r+k] = b[32+at]>>shift&3 | b[k&31]>>(k>>5)&1<<2
		}
	}
	g.putPairs(dst, 0)
	g.putBit(dst[1024:], true, 4, 2)
	for r, b := range src {
		for t := range 4 {
			copy(dst[1536+r&7*16+4*t+r>>3*2:][:2], b[96+2*t:])
		}
		copy(dst[1664+r&7*8+r>>3*4:][:4], b[104:])
		copy(dst[1728+r&7*4+r>>3*2:][:2], b[108:])
	}
}

// slowScales6 stores sixteen bytes of scales that start at byte `from` of a block.
func slowScales6(dst []byte, src *rows, from int) {
	for lane := range 32 {
		for a := range 4 {
			for h := range 2 {
				dst[8*lane+4*h+a] = src[lane>>2+a&1*8][from+2*(lane&3+a>>1*4)+h]
			}
		}
	}
}

func slowQ6K(dst []byte, src *rows) {
	var g grid
	for r, b := range src {
		for k := range 256 {
			lo, ls, hi, hs := q6(k)
			g[256*r+k] = b[lo]>>ls&15 | b[hi]>>hs&3<<4
		}
	}
	g.putNibbles(dst, true, 4, &nibbleShift)
	g.putPairs(dst[2048:], 4)
	slowScales6(dst[3072:], src, 192)
	for r, b := range src {
		copy(dst[3328+r&7*4+r>>3*2:][:2], b[208:210])
	}
}

// putNibbles stores the low four bits of codes: one word a lane and step, four steps together.
func (g *grid) putNibbles(dst []byte, spread bool, chunks int, shift *[8]int) {
	for c := range chunks {
		for i, o := 0, chunkOrder(spread); i < 1024; i += 8 {
			var w uint32
			for j, at := range o[i : i+8] {
				w |= uint32(g[int(at)+8*c]&15) << (shift[j] & 31)
			}
			putWord(dst, 128*c+i>>3&31*4+i>>8, w)
		}
	}
}

// putBit stores one bit of the codes: one word a lane and chunk, those of a lane together.
func (g *grid) putBit(dst []byte, spread bool, chunks, from int) {
	o := chunkOrder(spread)
	for c := range chunks {
		for lane := range 32 {
			var w uint32
			for i := range 32 { // step, place, column
				w |= uint32(g[int(o[i>>3<<8|lane<<3|i&7])+8*c]>>from&1) << (HighBit[i>>3][i>>1&3] + 16*(i&1))
			}
			putWord(dst, chunks*lane+c, w)
		}
	}
}

// putPairs stores two bits of the codes.
func (g *grid) putPairs(dst []byte, from int) {
	for c := range 4 {
		for lane := range 32 {
			for h := range 2 {
				var w uint32
				for i := range 16 { // step, place, column
					w |= uint32(g[int(order[1][(2*h+i>>3)<<8|lane<<3|i&7])+8*c]>>from&3) << (HighPair[i>>3][i>>1&3] + 16*(i&1))
				}
				putWord(dst, pairWord(c, lane, h), w)
			}
		}
	}
}

func slowHeads(dst []byte, src *rows, size, n int) {
	for g := range 8 {
		for a := range 4 {
			copy(dst[(4*g+a)*n:][:n], src[g+a&1*8][a>>1*size:])
		}
	}
}
