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

func TestMinimalloc(t *testing.T) {
	for _, c := range []struct {
		name     string
		buffers  int
		capacity uint64
	}{
		{"input.12", 5, 12},
		{"A.1048576", 154, 1 << 20}, {"B.1048576", 170, 1 << 20}, {"C.1048576", 203, 1 << 20},
		{"D.1048576", 213, 1 << 20}, {"E.1048576", 215, 1 << 20}, {"F.1048576", 296, 1 << 20},
		{"G.1048576", 308, 1 << 20}, {"H.1048576", 316, 1 << 20}, {"I.1048576", 374, 1 << 20},
		{"J.1048576", 409, 1 << 20}, {"K.1048576", 454, 1 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			bufs := instance(t, c.name)
			if len(bufs) != c.buffers {
				t.Fatalf("got %d buffers, want %d", len(bufs), c.buffers)
			}
			start := time.Now()
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			r, err := Plan(ctx, bufs, Options{Capacity: c.capacity})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%v, height %d, peak %d, order %s, %d nodes", time.Since(start), r.Height, r.Peak, r.Order, r.Nodes)
		})
	}
}
