package cuda

import (
	"fmt"

	"dsac/runtime/gguf"
	"dsac/runtime/plan"
	"dsac/runtime/quant"
	"dsac/runtime/quant/repack"
)

// File returns the tensors of an open model.
func File(f *gguf.File) Weights { return gguf.ByName{File: f} }

// job is a piece of a weight that one worker sends.
type job struct {
	weight *plan.Weight
	layout *repack.Layout // nil: the file's own bytes
	from   Reader         // nil: data is memory
	data   []byte         // to read where from is nil
	off    uint64         // of data in the tensor
	region int32
	dst    uint64 // bytes from the start of the region
	size   uint64 // bytes there

	rows, cols int // of data, which are rows of one matrix, where it is repacked
}

// jobs cuts the weights into pieces and checks that all are there, before any is copied.
func (d *Device) jobs(from Weights) ([]job, error) {
	var jobs []job
	for i := range d.plan.Weights {
		w := &d.plan.Weights[i]
		j, err := d.job(w, from)
		if err != nil {
			return nil, fmt.Errorf("weight %s: %w", d.plan.Str(w.Name), err)
		}
		if j.layout == nil {
			jobs = append(jobs, j.pieces()...)
		} else {
			jobs = append(jobs, j.tiles()...)
		}
	}
	return jobs, nil
}

// cut splits n bytes off a job that take size bytes where they go.
func (j *job) cut(n int, size uint64) job {
	head := *j
	head.data, head.size = j.data[:n], size
	j.data, j.off, j.dst, j.size = j.data[n:], j.off+uint64(n), j.dst+size, j.size-size
	return head
}

// pieces cuts bytes that need no repacking into parts that fit a pinned buffer.
func (j job) pieces() []job {
	var out []job
	for len(j.data) > stage {
		out = append(out, j.cut(stage, stage))
	}
	return append(out, j)
}

// tiles cuts a tensor that is repacked, matrix by matrix, into as many tiles as fit a pinned
// buffer, at least one. Matrices of whole tiles follow each other as the rows of one do.
func (j job) tiles() []job {
	matrices := int(j.weight.Dims[2] * j.weight.Dims[3])
	if len(j.data) == 0 {
		return nil
	}
	if j.rows%repack.TileRows == 0 {
		j.rows, matrices = j.rows*matrices, 1
	}
	row, tile := len(j.data)/(j.rows*matrices), j.layout.Units(j.cols)*j.layout.UnitBytes
	most := max(1, stage/(row*repack.TileRows)) * repack.TileRows // rows of a piece
	var out []job
	for range matrices {
		for left := j.rows; left > 0; {
			n := min(left, most)
			piece := j.cut(n*row, uint64(repack.Tiles(n)*tile))
			piece.rows = n
			out = append(out, piece)
			left -= n
		}
	}
	return out
}

func (d *Device) job(w *plan.Weight, from Weights) (job, error) {
	p := d.plan
	buf := &p.Bufs[w.Buf]
	j := job{weight: w, region: buf.Region, dst: d.offs[w.Buf], size: buf.Size}
	j.from, _ = from.(Reader)
	if w.Axis != plan.None {
		return j, fmt.Errorf("%w: it is a shard of a tensor; compile with --tp 1", ErrUnsupported)
	}
	if from == nil {
		return j, fmt.Errorf("no weights were given")
	}
	var err error
	if j.data, err = from.Data(p.Str(w.Name)); err != nil {
		return j, err
	}
	size, err := tensorBytes(p, w)
	if err != nil {
		return j, err
	}
	if uint64(len(j.data)) != size {
		return j, fmt.Errorf("the file has %d bytes, the plan was made for %s %v of %d: compile again for this model",
			len(j.data), p.Str(w.Type), w.Dims, size)
	}
	name := p.Str(w.Layout)
	if name == "" || name == "gguf" {
		return j, fits(size, buf)
	}
	l, err := repack.Named(name)
	if err != nil {
		return j, fmt.Errorf("%w: %w: the plan is of another version of dsac, compile it again", ErrUnsupported, err)
	}
	if l.Plain() {
		return j, fits(size, buf)
	}
	if l.Type.String() != p.Str(w.Type) {
		return j, fmt.Errorf("layout %s is for %s, the tensor is %s", name, l.Type, p.Str(w.Type))
	}
	j.layout, j.rows, j.cols = l, int(w.Dims[1]), int(w.Dims[0])
	packed, err := l.Bytes(j.rows, j.cols)
	if err != nil {
		return j, err
	}
	if packed *= int64(w.Dims[2] * w.Dims[3]); uint64(packed) != buf.Size {
		return j, fmt.Errorf("layout %s gives %d bytes, the plan wants %d", name, packed, buf.Size)
	}
	return j, nil
}

func fits(size uint64, buf *plan.Buf) error {
	if size > buf.Size {
		return fmt.Errorf("%d bytes in a buffer of %d", size, buf.Size)
	}
	return nil
}

// tensorBytes returns the size of a weight's tensor in the file.
func tensorBytes(p *plan.Plan, w *plan.Weight) (uint64, error) {
	t, err := quant.Parse(p.Str(w.Type))
	if err != nil {
		return 0, err
	}
	n, err := t.RowBytes(int(w.Dims[0]))
	if err != nil {
		return 0, err
	}
	return uint64(n) * w.Dims[1] * w.Dims[2] * w.Dims[3], nil
}
