package cuda

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"dsac/runtime/quant"
	"dsac/runtime/quant/repack"
)

// failing is a driver one of whose calls fails: the one that left reaches zero with. Those that give
// something back do not, nor do those that make the GPU current, without which nothing can be given back.
type failing struct {
	*fake
	left atomic.Int32
}

var errCall = &Error{"cuSomething", codeOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", ""}

func (f *failing) fails() bool { return f.left.Add(-1) == 0 }

func (f *failing) alloc(bytes uint64) (uint64, error) {
	if f.fails() {
		return 0, errCall
	}
	return f.fake.alloc(bytes)
}

func (f *failing) pinned(bytes int) (*pinned, error) {
	if f.fails() {
		return nil, errCall
	}
	return f.fake.pinned(bytes)
}

func (f *failing) write(at uint64, src []byte) error {
	if f.fails() {
		return errCall
	}
	return f.fake.write(at, src)
}

func (f *failing) fill(at uint64, word uint32, bytes uint64) error {
	if f.fails() {
		return errCall
	}
	return f.fake.fill(at, word, bytes)
}

func (f *failing) load(image []byte) (uint64, string, error) {
	if f.fails() {
		return 0, "", errCall
	}
	return f.fake.load(image)
}

func (f *failing) function(module uint64, name string) (uint64, error) {
	if f.fails() {
		return 0, errCall
	}
	return f.fake.function(module, name)
}

func (f *failing) instantiate(g *graph) (executable, error) {
	if f.fails() {
		return nil, errCall
	}
	return f.fake.instantiate(g)
}

func (f *failing) lane() (lane, error) {
	if f.fails() {
		return nil, errCall
	}
	l, err := f.fake.lane()
	return failingLane{l, f}, err
}

type failingLane struct {
	lane
	f *failing
}

func (l failingLane) copy(dst uint64, src *pinned, bytes int) error {
	if l.f.fails() {
		return errCall
	}
	return l.lane.copy(dst, src, bytes)
}

func (l failingLane) run(n *node) error {
	if l.f.fails() {
		return errCall
	}
	return l.lane.run(n)
}

func (l failingLane) wait() error {
	if l.f.fails() {
		return errCall
	}
	return l.lane.wait()
}

// Whichever call fails while weights are loaded, loading ends with its error, and all that was made
// is given back.
func TestLoadsOfWhichOneCallFails(t *testing.T) {
	l, err := repack.For(quant.Q8_0)
	if err != nil {
		t.Fatal(err)
	}
	w := memWeights{"flat": make([]byte, 4*100), "byte": make([]byte, 4), "packed": randomRows(t, l, 48, 512)}
	p := weightsPlan(t, tensor{"flat", quant.F32, nil, []uint64{100}}, tensor{"byte", quant.F32, nil, []uint64{1}}, tensor{"packed", quant.Q8_0, l, []uint64{512, 48}})
	for call := int32(1); ; call++ {
		f := &failing{fake: newFake()}
		f.left.Store(call)
		ended := make(chan error, 1)
		go func() {
			d, err := load(context.Background(), f, p, w, Options{})
			if err == nil {
				err = d.Close()
			}
			ended <- err
		}()
		select {
		case err = <-ended:
		case <-time.After(10 * time.Second):
			t.Fatalf("call %d fails: loading hangs", call)
		}
		if f.open != 0 {
			t.Errorf("call %d fails (%v): %d things were not given back", call, err, f.open)
		}
		if f.left.Load() > 0 { // fewer calls than that
			if err != nil {
				t.Error(err)
			}
			return
		}
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("call %d fails: got %v, want the driver's error", call, err)
		}
	}
}
