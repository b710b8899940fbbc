//go:build cuda

package cuda

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"dsac/models/synth"
	"dsac/runtime/gguf"
	"dsac/runtime/quant"
	"dsac/runtime/quant/repack"
)

// Weights must arrive at 80 % of the slower of reading the file and copying to the GPU: one large
// tensor, as it is and repacked, and the many of mixed types and sizes that a model has.
func TestGPUUploadRate(t *testing.T) {
	needGPU(t)
	size := 8 << 30 // bytes
	if testing.Short() || freeDisk() < 4*size {
		size = 64 << 20
	}
	q4, err := repack.For(quant.Q4_K)
	if err != nil {
		t.Fatal(err)
	}
	const cols = 8192
	row, _ := quant.Q4_K.RowBytes(cols)
	t.Run("one tensor", func(t *testing.T) {
		file, piece := weightsFile(t, size)
		d := uploadRate(t, file, []tensor{{"w", quant.F32, nil, []uint64{1 << 20, uint64(size >> 22)}}})
		tail, err := d.Region(1)
		if err != nil || !bytes.Equal(tail[size-len(piece):], piece) {
			t.Errorf("the last piece arrived with other bytes (%v)", err)
		}
		closeDevice(t, d)
		file.data = file.data[:size/row*row]
		closeDevice(t, uploadRate(t, file, []tensor{{"w", quant.Q4_K, q4, []uint64{cols, uint64(size / row)}}}))
	})
	t.Run("a model", func(t *testing.T) {
		o := synth.Options{Geometry: "glm-5", Layers: 5, Quant: "slice", NoVocab: true}
		if size < 1<<30 {
			o = synth.Options{Geometry: "tiny", Quant: "q4_k_m"}
		}
		f, tensors := modelFile(t, o)
		closeDevice(t, uploadRate(t, File(f), tensors))
	})
}

func freeDisk() int {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(os.TempDir(), &disk); err != nil {
		return 0
	}
	return int(disk.Bavail) * int(disk.Bsize)
}

func closeDevice(t *testing.T, d *Device) {
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// modelFile writes a model and lists its tensors with the layouts that a plan gives them.
func modelFile(t *testing.T, o synth.Options) (*gguf.File, []tensor) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.gguf")
	if _, err := synth.Write(path, o); err != nil {
		t.Fatal(err)
	}
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	var tensors []tensor
	for i := range f.Tensors {
		x := &f.Tensors[i]
		l, err := repack.For(x.Type)
		if err != nil || l.Plain() {
			l = nil
		}
		tensors = append(tensors, tensor{x.Name, x.Type, l, x.Dims})
	}
	return f, tensors
}

// uploadRate uploads tensors, and judges the rate if they are many bytes. They stay on the device.
func uploadRate(t *testing.T, w Weights, tensors []tensor) *Device {
	t.Helper()
	d, err := Load(weightsPlan(t, tensors...), w, Options{})
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := d.jobs(w)
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for i := range jobs {
		size += len(jobs[i].data)
	}
	read := 0.0
	for _, workers := range []int{maxWorkers, runtime.GOMAXPROCS(0)} {
		read = max(read, rate(size, func() error { return d.readOnly(jobs, workers) }, t))
	}
	h2d := rate(size, func() error { return d.bound(func() error { return d.copyOnly(size) }) }, t)
	upload := rate(size, func() error { return d.upload(context.Background(), jobs) }, t)
	least := min(read, h2d)
	t.Logf("%d tensors, %.1f GB, uploaded at %.1f GB/s, %.0f %% of the slower of reading the page cache (%.1f) and pinned copies (%.1f GB/s)",
		len(tensors), float64(size)/1e9, upload, 100*upload/least, read, h2d)
	if size < 1<<30 {
		t.Log("not judged: there is no room for a file that takes long enough")
	} else if upload < 0.8*least {
		t.Errorf("upload at %.1f GB/s, its parts alone at %.1f and %.1f GB/s", upload, read, h2d)
	}
	return d
}

// oneTensor is a file that is one tensor.
type oneTensor struct {
	*os.File
	data []byte // mapped
}

func (f oneTensor) Data(string) ([]byte, error) { return f.data, nil }

func (f oneTensor) Read(dst []byte, _ string, off uint64) error {
	_, err := f.ReadAt(dst, int64(off))
	return err
}

// weightsFile makes a file of that many bytes, the same piece over and over.
func weightsFile(t *testing.T, size int) (f oneTensor, piece []byte) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "weights"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	piece = make([]byte, 32<<20)
	for i := range piece {
		piece[i] = byte(i*31 + i>>9)
	}
	for range size / len(piece) {
		if _, err := file.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	mem, err := syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(mem) })
	return oneTensor{file, mem}, piece
}

// readOnly reads the way that so many workers do, without a GPU.
func (d *Device) readOnly(jobs []job, workers int) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, workers)
	for w := range errs {
		wg.Go(func() {
			buf := make([]byte, stage)
			for i := int(next.Add(1)) - 1; i < len(jobs) && errs[w] == nil; i = int(next.Add(1)) - 1 {
				errs[w] = jobs[i].fill(buf[:len(jobs[i].data)], d.plan.Str(jobs[i].weight.Name))
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// rate returns GB/s.
func rate(bytes int, f func() error, t *testing.T) float64 {
	start := time.Now()
	if err := f(); err != nil {
		t.Fatal(err)
	}
	return float64(bytes) / 1e9 / time.Since(start).Seconds()
}

// copyOnly copies from pinned memory that is filled once: what the link can do, with copies as
// large as it likes best.
func (d *Device) copyOnly(size int) error {
	const piece = 16 << 20
	m, err := d.drv.pinned(piece)
	if err != nil {
		return err
	}
	l, err := d.drv.lane()
	if err != nil {
		return err
	}
	for at := 0; at < size; at += piece {
		to := d.bases[1] + uint64(at)%(d.sizes[1]-piece)
		if err := l.copy(to, m, min(piece, size-at)); err != nil {
			return err
		}
	}
	if err := l.wait(); err != nil {
		return err
	}
	if err := l.close(); err != nil {
		return err
	}
	return d.drv.unpin(m)
}
