package arena

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// small draws a set of small buffers; fixed ones are placed so that they may collide.
func small(least, most int, fixed bool) *rapid.Generator[[]Buffer] {
	buffer := rapid.Custom(func(t *rapid.T) Buffer {
		lower := rapid.Int64Range(-3, 8).Draw(t, "lower")
		b := Buffer{
			Lower: lower, Upper: lower + rapid.Int64Range(1, 6).Draw(t, "width"),
			Size:  rapid.Uint64Range(0, 9).Draw(t, "size"),
			Align: rapid.SampledFrom([]uint64{0, 1, 1, 2, 4}).Draw(t, "align"),
		}
		if fixed && rapid.IntRange(0, 4).Draw(t, "fixed") == 0 {
			b.Fixed, b.Offset = true, 4*rapid.Uint64Range(0, 4).Draw(t, "offset")
		}
		return b
	})
	return rapid.Custom(func(t *rapid.T) []Buffer {
		bufs := rapid.SliceOfN(buffer, least, most).Draw(t, "bufs")
		for i := range bufs {
			bufs[i].Name = fmt.Sprint("b", i)
		}
		return bufs
	})
}

// paint is the checker of the checker: it marks every byte at every time.
func paint(bufs []Buffer, offsets []uint64, capacity uint64) bool {
	for now := int64(-3); now < 14; now++ {
		owned := make([]bool, capacity)
		for i, b := range bufs {
			if now < b.Lower || now >= b.Upper {
				continue
			}
			if offsets[i]+b.Size > capacity || b.Align > 1 && offsets[i]%b.Align != 0 || b.Fixed && offsets[i] != b.Offset {
				return false
			}
			for k := offsets[i]; k < offsets[i]+b.Size; k++ {
				if owned[k] {
					return false
				}
				owned[k] = true
			}
		}
	}
	return true
}

// TestCheckAgreesWithByteMap takes offsets at random, and a plan's with one of them moved.
func TestCheckAgreesWithByteMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bufs := small(0, 6, true).Draw(t, "bufs")
		offsets := make([]uint64, len(bufs))
		capacity := rapid.Uint64Range(0, 40).Draw(t, "capacity")
		if r, err := Plan(context.Background(), bufs, Options{}); err == nil && len(bufs) > 0 && rapid.Bool().Draw(t, "planned") {
			offsets, capacity = r.Offsets, r.Height
			moved := rapid.IntRange(0, len(bufs)-1).Draw(t, "moved")
			offsets[moved] += rapid.Uint64Range(0, 4).Draw(t, "up")
			offsets[moved] -= min(offsets[moved], rapid.Uint64Range(0, 4).Draw(t, "down"))
		} else {
			for i := range offsets {
				offsets[i] = rapid.Uint64Range(0, 24).Draw(t, "offset")
			}
		}
		if got, want := Check(bufs, offsets, capacity) == nil, paint(bufs, offsets, capacity); got != want {
			t.Fatalf("offsets %v in %d: got %v (%v), the byte map says %v", offsets, capacity, got, Check(bufs, offsets, capacity), want)
		}
	})
}

// TestPlanIsOptimal compares with the best of all orders of placing each buffer as low as
// possible, one of which is the order of offsets of an optimal placement.
func TestPlanIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bufs := small(0, 6, true).Draw(t, "bufs")
		want, feasible := exhaustive(bufs)
		r, err := Plan(context.Background(), bufs, Options{})
		if !feasible {
			if !errors.Is(err, ErrNoFit) {
				t.Fatalf("got %v, want %v: fixed buffers collide", err, ErrNoFit)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.Height != want || !r.Optimal || r.Height < r.Peak {
			t.Fatalf("got %+v, want height %d, proved", r, want)
		}
		if !paint(bufs, r.Offsets, r.Height) {
			t.Fatalf("offsets %v overlap", r.Offsets)
		}
		if want == 0 {
			return
		}
		if _, err := Plan(context.Background(), bufs, Options{Capacity: want}); err != nil {
			t.Fatalf("capacity %d: %v", want, err)
		}
		if want > 1 {
			if _, err := Plan(context.Background(), bufs, Options{Capacity: want - 1}); !errors.Is(err, ErrNoFit) {
				t.Fatalf("capacity %d: got %v, want %v", want-1, err, ErrNoFit)
			}
		}
	})
}

// exhaustive returns the smallest height of bufs, in bytes, and false if fixed ones collide.
func exhaustive(bufs []Buffer) (uint64, bool) {
	g := grain(bufs)
	size := func(b Buffer) uint64 { return grains(b.Size, g) * g }
	offsets := make([]uint64, len(bufs))
	meets := func(i, j int, at uint64) bool {
		a, b := bufs[i], bufs[j]
		return a.Lower < b.Upper && b.Lower < a.Upper && at < offsets[j]+size(b) && offsets[j] < at+size(a) && size(a) > 0 && size(b) > 0
	}
	clash := func(i int, at uint64, placed []int) bool {
		for _, j := range placed {
			if meets(i, j, at) {
				return true
			}
		}
		return false
	}
	best := uint64(1 << 62)
	var place func(placed, rest []int, height uint64)
	place = func(placed, rest []int, height uint64) {
		if len(rest) == 0 {
			best = min(best, height)
			return
		}
		for n, i := range rest {
			at := uint64(0)
			for clash(i, at, placed) {
				at += max(bufs[i].Align, 1)
			}
			offsets[i] = at
			others := append(append([]int{}, rest[:n]...), rest[n+1:]...)
			top := at + size(bufs[i])
			if bufs[i].Size == 0 {
				top = 0
			}
			place(append(placed, i), others, max(height, top))
		}
	}
	var fixed, rest []int
	height := uint64(0)
	for i, b := range bufs {
		if !b.Fixed {
			rest = append(rest, i)
			continue
		}
		if clash(i, b.Offset, fixed) {
			return 0, false
		}
		offsets[i] = b.Offset
		fixed = append(fixed, i)
		height = max(height, b.Offset+size(b))
	}
	place(fixed, rest, height)
	return best, true
}

// TestInputOrderDoesNotMatter also varies the workers: the offsets of a name are the same.
func TestInputOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bufs := small(0, 12, false).Draw(t, "bufs")
		want, err := Plan(context.Background(), bufs, Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		perm := rapid.Permutation(indices(len(bufs))).Draw(t, "perm")
		shuffled := make([]Buffer, len(bufs))
		for to, from := range perm {
			shuffled[to] = bufs[from]
		}
		got, err := Plan(context.Background(), shuffled, Options{Workers: 3})
		if err != nil {
			t.Fatal(err)
		}
		for to, from := range perm {
			if got.Offsets[to] != want.Offsets[from] {
				t.Fatalf("%s: got %d, want %d", shuffled[to].Name, got.Offsets[to], want.Offsets[from])
			}
		}
	})
}

func indices(n int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = i
	}
	return ids
}

// FuzzPlan reads nine bytes a buffer, and must neither panic nor return a wrong placement.
func FuzzPlan(f *testing.F) {
	f.Add(uint64(0), []byte("\x00\x03\x04\x00\x00\x00\x00\x00\x00\x03\x09\x04\x00\x00\x00\x00\x00\x00"))
	f.Add(uint64(12), bytes.Repeat([]byte{1, 4, 200, 1, 62, 3, 1, 2, 9}, 7))
	f.Fuzz(func(t *testing.T, capacity uint64, data []byte) {
		var bufs []Buffer
		for ; len(data) >= 9 && len(bufs) < 40; data = data[9:] {
			d := data[:9]
			bufs = append(bufs, Buffer{
				Name: string(d[8:]), Lower: int64(d[0]), Upper: int64(d[1]),
				Size: uint64(d[2]) << (d[3] % 64), Align: uint64(d[4]%8) << (d[5] % 64), Fixed: d[6]%8 == 1, Offset: uint64(d[7]) << (d[8] % 64),
			})
		}
		r, err := Plan(context.Background(), bufs, Options{Capacity: capacity, Nodes: 3000})
		if err != nil {
			return
		}
		if r.Height < r.Peak {
			t.Fatalf("height %d below the peak %d", r.Height, r.Peak)
		}
		if err := Check(bufs, r.Offsets, r.Height); err != nil {
			t.Fatal(err)
		}
	})
}
