package main

import (
	"context"

	"dsac/runtime/check"
	"dsac/runtime/cuda"
)

// cudaChecked runs single steps of a plan on a GPU.
type cudaChecked struct {
	ctx context.Context
	dev *cuda.Device
}

func (d *cudaChecked) Name() string {
	g := d.dev.GPU()
	return g.String()
}

// Step launches the kernel of a step on the bytes that the check gives. A GPU sees nothing go
// wrong but what ends the check.
func (d *cudaChecked) Step(s *check.Step) ([]check.Finding, error) {
	var patches []cuda.Patch
	for i := range s.Pieces {
		p := &s.Pieces[i]
		for _, x := range p.Near { // of a large cache little is needed
			patches = append(patches, cuda.Patch{Region: p.Region, Off: p.Off + uint64(x.Lo), Data: p.Data[x.Lo:x.Hi]})
		}
	}
	return nil, d.dev.Single(d.ctx, s.Index, patches)
}

func openCUDA(ctx context.Context, _ *checkFlags, x *session) (check.Device, func() error, error) {
	g, err := cuda.Pick(x.plan)
	if err != nil {
		return nil, nil, err
	}
	d, err := loadCUDA(ctx, x.plan, x.file, cuda.Options{GPU: g.Ordinal})
	if err != nil {
		return nil, nil, err
	}
	return &cudaChecked{ctx, d}, d.Close, nil
}

// ownTarget is the target of the first GPU, for plans that are compiled to be run here.
func ownTarget() string {
	for _, g := range cuda.Probe().GPUs {
		for _, t := range gpuTargets() {
			if t == g.Arch() {
				return t
			}
		}
	}
	return "sm_80" // which every GPU that can be used runs
}
