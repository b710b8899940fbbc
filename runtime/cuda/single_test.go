package cuda

import (
	"context"
	"strings"
	"testing"

	"dsac/runtime/plan"
)

// Step add of entry decode alone, on inputs that no run made.
func testSingle(t *testing.T, d *Device) {
	arena, out, ctl := make([]byte, 512), make([]byte, 256), make([]byte, plan.CtlSize)
	for i := range toyWidth {
		putF(arena, i, float32(i))
		putF(arena[256:], i, 1000)
	}
	le.PutUint64(ctl[plan.CtlN:], 1)
	patches := []Patch{{0, 0, arena}, {2, 0, out}, {4, 0, ctl}}
	if err := d.Single(context.Background(), 3, patches); err != nil {
		t.Fatal(err)
	}
	for i := range toyWidth {
		if got, want := getF(out, i), float32(i)+1000; got != want {
			t.Fatalf("value %d is %v, want %v", i, got, want)
		}
	}
}

func TestSingle(t *testing.T) {
	d, _ := loadFake(t, toyPlan(t), Options{})
	testSingle(t, d)
	err := d.Single(context.Background(), 3, []Patch{{0, 8000, make([]byte, 256)}})
	if want := "bytes [8000, +256) leave region A of 8192 bytes"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// A step behind others in its launch does not run alone; the first of them runs them all.
func TestSingleOfALaunchOfSeveral(t *testing.T) {
	p := toyPlan(t)
	d, _ := loadFake(t, p, Options{})
	l := &p.Launches[p.Steps[3].Launch]
	l.First, l.Count = 2, 2
	err := d.Single(context.Background(), 3, nil)
	if want := "does not run without those before it in its launch"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}
