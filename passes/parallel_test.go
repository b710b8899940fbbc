package passes

import (
	"fmt"
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
