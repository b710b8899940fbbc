package cuda

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dsac/runtime/gguf"
	"dsac/runtime/quant"
)

// A tensor of more bytes than two pinned buffers, which stays as it is in the file.
func TestUploadCuts(t *testing.T) {
	const big = 2*stage + 12345*4 // bytes
	p := toyPlan(t)
	p.Regions[3].Size = big
	p.Bufs[6].Size, p.Bufs[6].Dims = big, 0
	p.Weights[0].Dims = [4]uint64{big / 4, 1, 1, 1}
	data := make([]byte, big)
	for i := range data {
		data[i] = byte(i * 7 >> 3)
	}
	var last, total uint64
	calls := 0
	opt := Options{Progress: func(d, n uint64) {
		if d < last {
			t.Errorf("progress went from %d back to %d", last, d)
		}
		last, total = d, n
		if d == n {
			calls++
		}
	}}
	d, err := load(context.Background(), newFake(), p, memWeights{"token_embd.weight": data}, opt)
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Region(3)
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("the region has other bytes than the weight (%v)", err)
	}
	if last != big || total != big || calls != 1 {
		t.Errorf("progress ended with %d of %d, told %d times, want %d once", last, total, calls, big)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestUploadStops(t *testing.T) {
	weights, _ := toyWeights()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := newFake()
	if _, err := load(ctx, f, toyPlan(t), weights, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if f.open != 0 {
		t.Errorf("%d things were not given back", f.open)
	}
}

// stopping is weights whose reader is told to stop while it reads.
type stopping struct {
	reading
	stop context.CancelFunc
}

func (s stopping) Read(dst []byte, name string, off uint64) error {
	s.stop()
	return s.reading.Read(dst, name, off)
}

func TestUploadStopsHalfway(t *testing.T) {
	p, w, _ := repackPlan(t)
	ctx, cancel := context.WithCancel(context.Background())
	f := newFake()
	if _, err := load(ctx, f, p, stopping{reading{w}, cancel}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if f.open != 0 {
		t.Errorf("%d things were not given back", f.open)
	}
}

// reading has the lengths of the weights in its Data and the bytes only in what it reads.
type reading struct{ memWeights }

func (r reading) Data(name string) ([]byte, error) { return make([]byte, len(r.memWeights[name])), nil }

func (r reading) Read(dst []byte, name string, off uint64) error {
	copy(dst, r.memWeights[name][off:])
	return nil
}

func TestUploadReads(t *testing.T) {
	p, w, want := repackPlan(t)
	d, err := load(context.Background(), newFake(), p, reading{w}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	arrived(t, d, want)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// A file that becomes shorter between the look at it and the upload is an error that says which
// tensor of which file; through a mapping it would be a fault.
func TestUploadOfAFileThatHasBecomeShorter(t *testing.T) {
	w := gguf.NewWriter()
	w.Set("general.architecture", "glm-dsa")
	w.Add("whole", quant.F32, 1024)
	w.Add("cut", quant.F32, 3*stage/4)
	path := filepath.Join(t.TempDir(), "m.gguf")
	_, err := w.WriteFile(path, gguf.Options{Fill: func(x *gguf.Tensor, dst io.Writer) error {
		_, err := dst.Write(make([]byte, x.Size))
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := os.Truncate(path, int64(m.Tensors[1].Offset)+2*stage+5); err != nil {
		t.Fatal(err)
	}
	f := newFake()
	p := weightsPlan(t, tensor{"whole", quant.F32, nil, []uint64{1024}}, tensor{"cut", quant.F32, nil, []uint64{3 * stage / 4}})
	_, err = load(context.Background(), f, p, File(m), Options{})
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("got %v, want %v", err, io.ErrUnexpectedEOF)
	}
	for _, want := range []string{"weight cut: " + path, "it ends after 5 of them", "shorter"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, want %q in it", err, want)
		}
	}
	if f.open != 0 {
		t.Errorf("%d things were not given back", f.open)
	}
}

// Workers that have read before the kernel is there must neither hang nor go on without it.
func TestUploadWithoutItsKernel(t *testing.T) {
	p, w, _ := repackPlan(t)
	f := newFake()
	f.lacks = repackKernel
	_, err := load(context.Background(), f, p, w, Options{})
	var e *Error
	if !errors.As(err, &e) || e.Call != "cuModuleGetFunction" {
		t.Errorf("got %v, want the driver's error", err)
	}
	if f.open != 0 {
		t.Errorf("%d things were not given back", f.open)
	}
}

// Drawing a bar for each buffer would cost more than copying it.
func TestUploadTellsOfProgressNowAndThen(t *testing.T) {
	const pieces = 500
	calls := 0
	u := &uploader{d: &Device{opt: Options{Progress: func(_, _ uint64) { calls++ }}}, total: pieces + 1, told: time.Now()}
	start := time.Now()
	for range pieces {
		u.report(1)
	}
	if most := int(time.Since(start)/(100*time.Millisecond)) + 1; calls > most {
		t.Errorf("told %d times, want at most %d", calls, most)
	}
	u.told = time.Now().Add(-time.Second)
	before := calls
	u.report(0)
	if calls != before+1 {
		t.Errorf("told %d times after a second, want once", calls-before)
	}
}

// poor is a driver that can make a few lanes only.
type poor struct {
	*fake
	left int
}

func (p *poor) lane() (lane, error) {
	if p.left--; p.left < 0 {
		return nil, &Error{"cuEventCreate", codeOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", ""}
	}
	return p.fake.lane()
}

// Buffers that were made before one could not be must be given back, and workers must not wait for it.
func TestUploadWithoutAllItsBuffers(t *testing.T) {
	p, w, _ := repackPlan(t)
	for left := range 2 {
		f := newFake()
		_, err := load(context.Background(), &poor{f, left}, p, w, Options{})
		var e *Error
		if !errors.As(err, &e) || e.Call != "cuEventCreate" {
			t.Errorf("%d lanes: got %v, want the driver's error", left, err)
		}
		if f.open != 0 {
			t.Errorf("%d lanes: %d things were not given back", left, f.open)
		}
	}
}

// shy is a driver that serves all threads but one, the upload's first or a later one.
type shy struct {
	*fake
	left atomic.Int32
}

func (s *shy) bind() error {
	if s.left.Add(-1) == 0 {
		return &Error{"cuCtxSetCurrent", codeOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", ""}
	}
	return nil
}

// Workers must not wait for what a thread was to prepare that could not use the GPU.
func TestUploadWithAThreadThatCannotUseTheGPU(t *testing.T) {
	p, w, _ := repackPlan(t)
	for left := range 3 { // load's own thread is the first
		s := &shy{fake: newFake()}
		s.left.Store(int32(left) + 2)
		ended := make(chan error, 1)
		go func() {
			_, err := load(context.Background(), s, p, w, Options{})
			ended <- err
		}()
		select {
		case err := <-ended:
			var e *Error
			if !errors.As(err, &e) || e.Call != "cuCtxSetCurrent" {
				t.Errorf("thread %d: got %v, want the driver's error", left, err)
			}
			if s.open != 0 {
				t.Errorf("thread %d: %d things were not given back", left, s.open)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("thread %d: the upload hangs", left)
		}
	}
}
