package cuda

import (
	_ "embed"
	"fmt"
	"unsafe"

	"dsac/runtime/quant/repack"
)

// Weights are repacked on the GPU: the file's bytes are copied to memory of a lane, and a kernel
// brings them from there to where they stay, while the next ones are read and copied. One kernel
// does for every layout, since all of them move bits by a table.

//go:embed repack.ptx
var repackPTX []byte

const (
	repackKernel = "dsac_repack"
	repackBlock  = 256 // threads
)

// repacker is what the kernel needs, on the GPU while weights are loaded.
type repacker struct {
	module uint64
	fn     uint64
	tables map[*repack.Layout]uint64 // addresses
}

// open loads the kernel and the tables of the layouts that jobs want.
func (r *repacker) open(drv driver, jobs []job) error {
	r.tables = make(map[*repack.Layout]uint64)
	for i := range jobs {
		l := jobs[i].layout
		if l == nil || r.tables[l] != 0 {
			continue
		}
		m := l.Moves()
		bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(m))), 4*len(m))
		at, err := drv.alloc(uint64(len(bytes)))
		if err != nil {
			return fmt.Errorf("the table of layout %s: %w", l.Name, err)
		}
		r.tables[l] = at
		if err := drv.write(at, bytes); err != nil {
			return fmt.Errorf("the table of layout %s: %w", l.Name, err)
		}
	}
	if len(r.tables) == 0 {
		return nil
	}
	m, log, err := drv.load(repackPTX)
	if err != nil {
		return fmt.Errorf("the kernel that repacks weights: %w\n%s", err, log)
	}
	r.module = m
	r.fn, err = drv.function(m, repackKernel)
	return err
}

// launch is the kernel's for the rows of a job that lie at src.
func (r *repacker) launch(j *job, dst, src uint64) *node {
	l := j.layout
	units := l.Units(j.cols)
	return &node{kind: kernelNode, fn: r.fn, block: [3]uint32{repackBlock, 1, 1},
		grid: [3]uint32{uint32(repack.Tiles(j.rows) * units), 1, 1},
		params: []uint64{dst, src, r.tables[l], uint64(j.rows), uint64(len(j.data) / j.rows), uint64(units),
			uint64(l.PackedWords())}}
}

func (r *repacker) close(drv driver) []error {
	var errs []error
	for _, at := range r.tables {
		errs = append(errs, drv.release(at))
	}
	if r.module != 0 {
		errs = append(errs, drv.unload(r.module))
	}
	return errs
}
