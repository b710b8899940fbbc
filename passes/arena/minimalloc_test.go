package arena

import (
	"context"
	"os"
	"testing"
	"time"

	"dsac/internal/fixture"
)

// instance reads one of the MiniMalloc instances; see testdata/minimalloc/README.md.
func instance(t testing.TB, name string) []Buffer {
	t.Helper()
	f, err := os.Open(fixture.Path(t, "minimalloc", name+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	bufs, err := ReadCSV(f)
	if err != nil {
		t.Fatal(err)
	}
	return bufs
}

// instances are all files of testdata/minimalloc, each with the capacity it must fit.
var instances = []struct {
	name     string
	buffers  int
	capacity uint64
}{
	{"input.12", 5, 12},
	{"A.1048576", 154, 1 << 20}, {"B.1048576", 170, 1 << 20}, {"C.1048576", 203, 1 << 20},
	{"D.1048576", 213, 1 << 20}, {"E.1048576", 215, 1 << 20}, {"F.1048576", 296, 1 << 20},
	{"G.1048576", 308, 1 << 20}, {"H.1048576", 316, 1 << 20}, {"I.1048576", 374, 1 << 20},
	{"J.1048576", 409, 1 << 20}, {"K.1048576", 454, 1 << 20},
}

// TestMinimalloc holds all instances together to three times the 10 s that they may take.
func TestMinimalloc(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for _, c := range instances {
		t.Run(c.name, func(t *testing.T) {
			bufs := instance(t, c.name)
			if len(bufs) != c.buffers {
				t.Fatalf("got %d buffers, want %d", len(bufs), c.buffers)
			}
			start := time.Now()
			r, err := Plan(ctx, bufs, Options{Capacity: c.capacity})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%v, height %d, peak %d, order %s, %d nodes", time.Since(start), r.Height, r.Peak, r.Order, r.Nodes)
			if got := mayNotMove(t, bufs, r.Offsets, c.capacity); c.capacity == r.Peak && got == 0 {
				t.Error("no buffer was found that may not move")
			}
			for i, b := range bufs {
				if Check(bufs, r.Offsets, r.Offsets[i]+b.Size-1) == nil {
					t.Errorf("%s ends at the capacity plus one: not rejected", b.Name)
				}
			}
		})
	}
}

// mayNotMove moves each buffer that is live when the arena is full up and down by one byte,
// demands that Check rejects it, and returns how many there are.
func mayNotMove(t *testing.T, bufs []Buffer, offsets []uint64, capacity uint64) int {
	count := 0
	for i, b := range bufs {
		var live []Buffer // at b's start
		for _, o := range bufs {
			if o.Lower <= b.Lower && b.Lower < o.Upper {
				live = append(live, o)
			}
		}
		if Peak(live) != capacity {
			continue
		}
		count++
		for _, step := range []uint64{1, ^uint64(0)} {
			offsets[i] += step
			if Check(bufs, offsets, capacity) == nil {
				t.Errorf("buffer %s may move from %d to %d in a full arena", b.Name, offsets[i]-step, offsets[i])
			}
			offsets[i] -= step
		}
	}
	return count
}

func BenchmarkMinimalloc(b *testing.B) {
	for _, c := range instances {
		b.Run(c.name, func(b *testing.B) {
			bufs := instance(b, c.name)
			for b.Loop() {
				if _, err := Plan(context.Background(), bufs, Options{Capacity: c.capacity}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
