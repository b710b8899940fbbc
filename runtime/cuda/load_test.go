package cuda

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"dsac/runtime/plan"
)

func TestLoadRefuses(t *testing.T) {
	weights, _ := toyWeights()
	for _, c := range []struct {
		name string
		plan func(p *plan.Plan)
		gpu  func(f *fake)
		w    Weights
		want []string
	}{
		{"plan for the host", func(p *plan.Plan) { setMeta(p, plan.MetaTarget, "host") }, nil, weights,
			[]string{`target "host" has no GPU code`, "compile with --target"}},
		{"older GPU", func(p *plan.Plan) { setMeta(p, plan.MetaTarget, "sm_120") }, nil, weights,
			[]string{"the plan is for sm_120, Fake is sm_90: compile with --target sm_90"}},
		{"other family", func(p *plan.Plan) { setMeta(p, plan.MetaTarget, "sm_80a") }, nil, weights,
			[]string{"the plan is for sm_80a, Fake is sm_90"}},
		{"no room", nil, func(f *fake) { f.free = 300 << 20; f.info.Memory = 1 << 30 }, weights, nil},
		{"memory taken by others", nil, func(f *fake) { f.free = 100 << 20 }, weights,
			[]string{"GPU 0 (Fake, sm_90): the plan needs", "free are 100.0 MiB of 1024.0 MiB", "close the other programs"}},
		{"too small a GPU", nil, func(f *fake) { f.free, f.info.Memory = 100<<20, 100<<20 }, weights,
			[]string{"the weights alone do not fit"}},
		{"old driver", func(p *plan.Plan) {
			setPTX(p, bytes.Replace(toyPTX, []byte(".version 7.0"), []byte(".version 8.7"), 1))
		},
			func(f *fake) { f.info.cuda = 12020 }, weights,
			[]string{"the kernels are PTX 8.7, the driver (CUDA 12.2) takes up to 8.2: update the driver to one for CUDA 12.8"}},
		{"broken PTX", func(p *plan.Plan) { setPTX(p, []byte(".version 7.0\nnonsense")) }, nil, weights,
			[]string{"kernel embed: cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (218)", "line 1: nonsense"}},
		{"no kernels", func(p *plan.Plan) { p.Launches[1].Kernel = plan.None }, nil, weights,
			[]string{"entry decode: step a (scale): it has no kernel: compile the plan with --target sm_90"}},
		{"kernel without code", func(p *plan.Plan) { p.Kernels[2].PTX = plan.Span{} }, nil, weights,
			[]string{"kernel append: the plan has neither PTX nor a cubin for it"}},
		{"event that nobody records", func(p *plan.Plan) { p.Items[1].Kind = plan.Wait }, nil, weights,
			[]string{"entry decode: stream", "waits for event embedded, which nothing before records"}},
		{"missing weight", nil, nil, memWeights{}, []string{"weight token_embd.weight: the file has 0 bytes", "of 16384"}},
		{"no weights", nil, nil, nil, []string{"weight token_embd.weight: no weights were given"}},
		{"unknown layout", func(p *plan.Plan) { p.Weights[0].Layout = p.Weights[0].Name }, nil, weights,
			[]string{`no weight layout is named "token_embd.weight"`, "compile it again"}},
		{"shard", func(p *plan.Plan) { p.Weights[0].Axis = 1 }, nil, weights, []string{"compile with --tp 1"}},
		{"two control buffers", func(p *plan.Plan) { p.Bufs[1].Role = plan.Control }, nil, weights, []string{"more than one control buffer"}},
		{"no control buffer", func(p *plan.Plan) { p.Bufs[0].Role = plan.Temp }, nil, weights, []string{"no control buffer"}},
		{"buffer outside of its region", func(p *plan.Plan) { p.Bufs[2].Off = 8000 }, nil, weights, []string{"buffer kv: bytes [8000, +4096) leave region S of 8192 bytes"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, f := toyPlan(t), newFake()
			if c.plan != nil {
				c.plan(p)
			}
			if c.gpu != nil {
				c.gpu(f)
			}
			d, err := load(context.Background(), f, p, c.w, Options{})
			if len(c.want) == 0 {
				if err != nil {
					t.Fatal(err)
				}
				if err := d.Close(); err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil {
				t.Fatal("it was loaded")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want %q in it", err, want)
				}
			}
			if f.open != 0 {
				t.Errorf("%d things were not given back", f.open)
			}
			if f.writes != 0 && c.name != "no kernels" {
				t.Errorf("%d copies were made before the refusal, want 0", f.writes)
			}
		})
	}
}

func TestNewerGPUIsSaidOnce(t *testing.T) {
	for _, c := range []struct {
		name  string
		cubin []byte
		want  string
	}{
		{"no cubins", nil, "the driver compiles the plan's PTX (the plan has no cubins)"},
		{"cubins of another GPU", []byte{0, 1, 2, 3}, "the driver compiles the plan's PTX (its cubins are for another GPU)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := toyPlan(t)
			s := plan.Span{Off: uint32(len(p.Blob)), Len: uint32(len(c.cubin))}
			p.Blob = append(p.Blob, c.cubin...)
			for i := range p.Kernels {
				p.Kernels[i].Cubin = s
			}
			var said []string
			loadFake(t, p, Options{Log: func(s string) { said = append(said, s) }})
			if len(said) != 1 || !strings.Contains(said[0], c.want) {
				t.Errorf("said %q, want %q once", said, c.want)
			}
		})
	}
}

func TestUnavailable(t *testing.T) {
	s := Probe()
	if s.Problem == "" && len(s.GPUs) > 0 {
		return // this machine has a GPU: gpu_test.go
	}
	weights, _ := toyWeights()
	_, err := Load(toyPlan(t), weights, Options{})
	if !errors.Is(err, ErrUnavailable) || strings.Contains(fmt.Sprint(err), "\n") {
		t.Errorf("got %v, want one line that wraps %v", err, ErrUnavailable)
	}
	if s.Problem == "" || s.Built != built {
		t.Errorf("probe gives %+v without a problem", s)
	}
}
