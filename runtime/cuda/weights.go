package cuda

import (
	"fmt"

	"dsac/runtime/gguf"
	"dsac/runtime/plan"
	"dsac/runtime/quant"
)

// File returns the tensors of an open model.
func File(f *gguf.File) Weights { return file{f} }

type file struct{ *gguf.File }

func (f file) Data(name string) ([]byte, error) {
	t := f.Tensor(name)
	if t == nil {
		return nil, fmt.Errorf("%s has no tensor %q", f.Path, name)
	}
	return f.File.Data(t)
}

// job is a piece of a weight that one worker copies.
type job struct {
	weight *plan.Weight
	layout Layout // nil: the file's own bytes
	data   []byte
	dst    uint64 // bytes from the start of the weight's region; the address after allocation
	region int32
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
		for j.layout == nil && len(j.data) > stage {
			head := j
			head.data, j.data = j.data[:stage], j.data[stage:]
			jobs = append(jobs, head)
			j.dst += stage
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

func (d *Device) job(w *plan.Weight, from Weights) (job, error) {
	p := d.plan
	buf := &p.Bufs[w.Buf]
	j := job{weight: w, dst: d.offs[w.Buf], region: buf.Region}
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
