package arena

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

func TestPlan(t *testing.T) {
	for _, c := range []struct {
		name   string
		bufs   []Buffer
		opt    Options
		want   []uint64
		height uint64
		peak   uint64
	}{
		{name: "nothing"},
		{name: "one", bufs: []Buffer{{Upper: 1, Size: 7}}, want: []uint64{0}, height: 7, peak: 7},
		{name: "half-open intervals share", bufs: []Buffer{{Upper: 3, Size: 7}, {Lower: 3, Upper: 4, Size: 7}},
			want: []uint64{0, 0}, height: 7, peak: 7},
		{name: "sizes count in grains", bufs: []Buffer{{Upper: 2, Size: 300, Align: 256}, {Upper: 1, Size: 1, Align: 256}},
			want: []uint64{0, 512}, height: 768, peak: 768},
		{name: "alignments mix", bufs: []Buffer{{Upper: 2, Size: 255}, {Upper: 2, Size: 1, Align: 256}},
			want: []uint64{1, 0}, height: 256, peak: 256},
		{name: "empty buffers take no room", bufs: []Buffer{{Upper: 1, Size: 5}, {Upper: 1}}, opt: Options{Capacity: 5},
			want: []uint64{0, 0}, height: 5, peak: 5},
		{name: "fixed offsets are kept", bufs: []Buffer{{Upper: 2, Size: 4, Fixed: true, Offset: 8}, {Upper: 2, Size: 8}, {Lower: 1, Upper: 2, Size: 4}},
			want: []uint64{8, 0, 12}, height: 16, peak: 16},
		{name: "empty fixed buffers lie within", bufs: []Buffer{{Upper: 1, Fixed: true, Offset: 8}}, want: []uint64{8}, height: 8},
		{name: "far apart in time", bufs: []Buffer{{Lower: math.MinInt64, Upper: math.MaxInt64, Size: 3}, {Lower: math.MaxInt64 - 1, Upper: math.MaxInt64, Size: 2}},
			want: []uint64{0, 3}, height: 5, peak: 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Plan(context.Background(), c.bufs, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(r.Offsets, c.want) || r.Height != c.height || r.Peak != c.peak || !r.Optimal {
				t.Errorf("got %+v, want offsets %v, height %d, peak %d", r, c.want, c.height, c.peak)
			}
		})
	}
}

func TestPlanErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		bufs []Buffer
		opt  Options
		is   error
		want string
	}{
		{name: "empty interval", bufs: []Buffer{{Name: "x", Lower: 3, Upper: 3, Size: 1}},
			want: `arena: buffer "x": live interval [3,3) is empty, the end must come after the start`},
		{name: "alignment", bufs: []Buffer{{Name: "x", Upper: 1, Size: 1, Align: 24}},
			want: `arena: buffer "x": alignment 24 is not a power of two`},
		{name: "fixed off alignment", bufs: []Buffer{{Name: "x", Upper: 1, Size: 1, Align: 16, Fixed: true, Offset: 8}},
			want: `arena: buffer "x": fixed offset 8 is not a multiple of its alignment 16`},
		{name: "size near 2^63", bufs: []Buffer{{Name: "x", Upper: 1, Size: 1<<63 - 1}},
			want: `arena: buffer "x": sizes add up to more than 4611686018427387903 bytes`},
		{name: "size 2^64-1", bufs: []Buffer{{Name: "x", Upper: 1, Size: math.MaxUint64, Align: 256}},
			want: `arena: buffer "x": sizes add up to more than 4611686018427387903 bytes`},
		{name: "sum", bufs: []Buffer{{Name: "x", Upper: 1, Size: 1 << 61}, {Name: "y", Lower: 5, Upper: 6, Size: 1 << 61}},
			want: `arena: buffer "y": sizes add up to more than 4611686018427387903 bytes`},
		{name: "alignment 2^63", bufs: []Buffer{{Name: "x", Upper: 1, Align: 1 << 63}},
			want: `arena: buffer "x": sizes add up to more than 4611686018427387903 bytes`},
		{name: "fixed collide", is: ErrNoFit,
			bufs: []Buffer{{Name: "x", Upper: 2, Size: 8, Fixed: true}, {Name: "y", Lower: 1, Upper: 3, Size: 8, Fixed: true, Offset: 7}},
			want: `arena: buffers do not fit: the fixed buffers "x" and "y" overlap while both are live`},
		{name: "below the bound", is: ErrNoFit, bufs: []Buffer{{Upper: 1, Size: 8}}, opt: Options{Capacity: 7},
			want: "arena: buffers do not fit in 7 bytes: at least 8 are needed"},
		{name: "between bound and optimum", is: ErrNoFit, opt: Options{Capacity: 10}, bufs: []Buffer{
			{Name: "a", Upper: 2, Size: 4, Fixed: true, Offset: 3}, {Name: "b", Lower: 1, Upper: 3, Size: 5}},
			want: "arena: buffers do not fit in 10 bytes, 9 are live at once"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Plan(context.Background(), c.bufs, c.opt)
			if err == nil || err.Error() != c.want {
				t.Fatalf("got %v, want %s", err, c.want)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v is not %v", err, c.is)
			}
		})
	}
}

func TestPlanGivesUp(t *testing.T) {
	_, err := Plan(context.Background(), instance(t, "I.1048576"), Options{Capacity: 1 << 20, Nodes: 100})
	if !errors.Is(err, ErrGaveUp) {
		t.Errorf("got %v, want %v", err, ErrGaveUp)
	}
}

func TestPlanStopsWithContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := Plan(ctx, instance(t, "I.1048576"), Options{Capacity: 1 << 20})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
}

// TestMinimiseStaysCheap takes hard instances without a capacity: node limits, not time, end
// the search, and what it gives must still be a placement not far above the peak.
func TestMinimiseStaysCheap(t *testing.T) {
	for _, name := range []string{"C.1048576", "D.1048576", "I.1048576"} {
		start := time.Now()
		r, err := Plan(context.Background(), instance(t, name), Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %v, height %d, peak %d, optimal %v", name, time.Since(start), r.Height, r.Peak, r.Optimal)
		if r.Height > r.Peak*5/4 {
			t.Errorf("%s: got height %d, peak %d", name, r.Height, r.Peak)
		}
	}
}

func TestPeak(t *testing.T) {
	for _, c := range []struct {
		bufs []Buffer
		want uint64
	}{
		{nil, 0},
		{[]Buffer{{Upper: 2, Size: 3}, {Lower: 2, Upper: 3, Size: 4}}, 4},
		{[]Buffer{{Upper: 3, Size: 3, Align: 8}, {Lower: 2, Upper: 3, Size: 4, Align: 4}}, 8},
		{[]Buffer{{Upper: 3, Size: 1 << 63}, {Lower: 2, Upper: 3, Size: 1 << 63}}, math.MaxUint64},
		{[]Buffer{{Upper: 3, Size: 1 << 63}, {Lower: 3, Upper: 4, Size: 1 << 63}}, 1 << 63},
		{[]Buffer{{Upper: 3, Size: math.MaxUint64, Align: 256}}, math.MaxUint64},
	} {
		if got := Peak(c.bufs); got != c.want {
			t.Errorf("%+v: got %d, want %d", c.bufs, got, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	bufs := []Buffer{
		{Name: "a", Upper: 4, Size: 8}, {Name: "b", Lower: 3, Upper: 6, Size: 8, Align: 8},
		{Name: "c", Lower: 4, Upper: 6, Size: 4, Fixed: true, Offset: 4}, {Name: "d", Lower: 5, Upper: 6},
	}
	for _, c := range []struct {
		name     string
		offsets  []uint64
		capacity uint64
		want     string
	}{
		{"good", []uint64{0, 8, 4, 12}, 16, ""},
		{"count", []uint64{0}, 16, "1 offsets for 4 buffers"},
		{"alignment", []uint64{0, 12, 4, 12}, 20, `buffer "b" at 12: not aligned to 8`},
		{"fixed", []uint64{0, 8, 0, 12}, 16, `buffer "c" at 0: fixed at 4`},
		{"capacity", []uint64{0, 8, 4, 12}, 15, `buffer "b" at 8, 8 bytes: ends past the capacity of 15`},
		{"wrap", []uint64{math.MaxUint64 - 3, 8, 4, 12}, 16, `buffer "a" at 18446744073709551612, 8 bytes: ends past the capacity of 16`},
		{"all at once", []uint64{1, 0, 4, 17}, 16, `buffer "d" at 17, 0 bytes: ends past the capacity of 16` + "\n" +
			`buffers "a" [1,+8) and "b" [0,+8) overlap while both are live` + "\n" +
			`buffers "b" [0,+8) and "c" [4,+4) overlap while both are live`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if err := Check(bufs, c.offsets, c.capacity); err != nil {
				got = fmt.Sprint(err)
			}
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
