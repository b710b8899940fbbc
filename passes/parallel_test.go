package passes

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestParallelCallsEachOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 100} {
		got := make([]int, n)
		parallel(n, func(i int) { got[i] += i + 1 })
		for i, v := range got {
			if v != i+1 {
				t.Errorf("%d calls: call %d made %d, want %d", n, i, v, i+1)
			}
		}
	}
}

func TestParallelPassesAPanicOn(t *testing.T) {
	defer func() {
		if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "BUG: seven\n") || !strings.Contains(got, "parallel_test.go") {
			t.Errorf("got panic %q, want that of the call and where it was", got)
		}
	}()
	parallel(20, func(i int) {
		if i == 7 {
			panic("BUG: seven")
		}
	})
}

// Of the calls that wait the longest comes next, those of calls included, and close waits for
// all of them.
func TestPoolMakesLongCallsFirst(t *testing.T) {
	t.Cleanup(func(n int) func() { return func() { runtime.GOMAXPROCS(n) } }(runtime.GOMAXPROCS(1)))
	var got []int
	p := newPool()
	p.call(9, func() {
		for _, n := range []int{2, 5, 1, 5, 3} {
			p.call(n, func() { got = append(got, n) })
		}
		p.call(4, func() { got = append(got, 4); p.call(6, func() { got = append(got, 6) }) })
	})
	p.close()
	if want := []int{5, 5, 4, 6, 3, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
