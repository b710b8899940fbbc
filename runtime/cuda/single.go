package cuda

import (
	"context"
	"fmt"

	"dsac/runtime/plan"
)

// Patch is a range of a region of the plan, with bytes.
type Patch struct {
	Region int32
	Off    uint64 // bytes from the region's start, in the placement of the device
	Data   []byte
}

// Single runs one step alone, or the launch that it is the first of: it puts the patches on the
// GPU, launches the step's kernel, waits, and reads the patches back into their Data. All else that the kernel reads is as the
// run or step before left it, weights as they were loaded.
func (d *Device) Single(ctx context.Context, step int32, patches []Patch) error {
	s := &d.plan.Steps[step]
	if s.Launch != plan.None && d.plan.Launches[s.Launch].First != step {
		return fmt.Errorf("step %s does not run without those before it in its launch: %w", d.plan.Str(s.Name), ErrUnsupported)
	}
	n, err := d.kernelNode(step)
	if err != nil {
		return err
	}
	for _, p := range patches {
		if size := d.sizes[p.Region]; p.Off > size || uint64(len(p.Data)) > size-p.Off {
			return fmt.Errorf("bytes [%d, +%d) leave region %s of %d bytes", p.Off, len(p.Data), d.plan.Str(d.plan.Regions[p.Region].Name), size)
		}
	}
	en := d.entries[d.plan.Launches[s.Launch].Entry]
	d.forgetIDs()
	return d.bound(func() error {
		for _, p := range patches {
			if err := d.drv.write(d.bases[p.Region]+p.Off, p.Data); err != nil {
				return d.fail(en, &n, err)
			}
		}
		if err := d.drv.launchNode(&n); err != nil {
			return d.fail(en, &n, err)
		}
		if err := d.await(ctx, en, &n); err != nil {
			return err
		}
		for _, p := range patches {
			if err := d.drv.read(p.Data, d.bases[p.Region]+p.Off); err != nil {
				return d.fail(en, &n, err)
			}
		}
		return nil
	})
}
