package cuda

import (
	"fmt"

	"dsac/runtime/gguf"
	"dsac/runtime/plan"
	"dsac/runtime/quant"
)

// File returns the tensors of an open model.
func File(f *gguf.File) Weights { return gguf.ByName{File: f} }

// job is a piece of a weight that one worker copies.
type job struct {
	weight *plan.Weight
	layout Layout // nil: the file's own bytes
	data   []byte
	region int32
	dst    uint64 // bytes from the start of the region
	size   uint64 // bytes there
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
			jobs = append(jobs, j.matrices()...)
		}
	}
	return jobs, nil
}

// pieces cuts bytes that need no repacking into parts that fit a pinned buffer.
func (j job) pieces() []job {
	var out []job
	for len(j.data) > stage {
		head := j
		head.data, head.size = j.data[:stage], stage
		out = append(out, head)
		j.data, j.dst, j.size = j.data[stage:], j.dst+stage, j.size-stage
	}
	return append(out, j)
}

// matrices cuts a tensor of several matrices, which are packed one by one, so that no worker
// holds more than one.
func (j job) matrices() []job {
	n := j.weight.Dims[2] * j.weight.Dims[3]
	if n < 2 || j.size%n != 0 || uint64(len(j.data))%n != 0 {
		return []job{j}
	}
	one := *j.weight
	one.Dims[2], one.Dims[3] = 1, 1
	part := len(j.data) / int(n)
	out := make([]job, n)
	for i := range out {
		out[i] = job{&one, j.layout, j.data[i*part:][:part], j.region, j.dst + uint64(i)*(j.size/n), j.size / n}
	}
	return out
}

func (d *Device) job(w *plan.Weight, from Weights) (job, error) {
	p := d.plan
	buf := &p.Bufs[w.Buf]
	j := job{weight: w, region: buf.Region, dst: d.offs[w.Buf], size: buf.Size}
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
	if name := p.Str(w.Layout); name != "" && name != "gguf" {
		if j.layout = d.opt.Layouts[name]; j.layout == nil {
			return j, fmt.Errorf("%w: layout %q is not known to this build", ErrUnsupported, name)
		}
	} else if size > buf.Size {
		return j, fmt.Errorf("%d bytes in a buffer of %d", size, buf.Size)
	}
	return j, nil
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
