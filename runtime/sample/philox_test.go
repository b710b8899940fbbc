package sample

import "testing"

// The known answers of the Random123 distribution (philox4x32 10).
func TestPhiloxKnownAnswers(t *testing.T) {
	const f = 0xffffffff
	for _, c := range []struct {
		ctr  [4]uint32
		key  [2]uint32
		want [4]uint32
	}{
		{[4]uint32{}, [2]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{f, f, f, f}, [2]uint32{f, f}, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if got := philox(c.ctr, c.key); got != c.want {
			t.Errorf("counter %x key %x: got %x, want %x", c.ctr, c.key, got, c.want)
		}
	}
}

func TestUniformUsesAllOfSeedAndPosition(t *testing.T) {
	if got, want := uniform(0, 0), uint64(0xe169c58d6627e8d5); got != want {
		t.Errorf("got %x, want %x", got, want)
	}
	seen := map[uint64]bool{}
	for bit := range 64 {
		seen[uniform(1<<bit, 0)] = true
		seen[uniform(0, 1<<bit)] = true
	}
	if len(seen) != 128 {
		t.Errorf("got %d different numbers, want 128", len(seen))
	}
}
