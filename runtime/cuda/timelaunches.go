package cuda

import (
	"context"
	"fmt"
	"slices"
)

// Rates measures the device on the memory that is free beside the plan.
func (d *Device) Rates(ctx context.Context) (r Rates, err error) {
	err = d.measured(ctx, func() error {
		m, err := d.meter()
		if err == nil {
			r, err = m.rates(ctx)
		}
		return err
	})
	return r, err
}

// TimeLaunches times launches of entry e at n live rows and the present position: one graph
// with these alone, one after the other, on the plan's own memory as the run before left it.
// The position stays; what the launches write is overwritten.
func (d *Device) TimeLaunches(ctx context.Context, e, n int, launches []int32) (t Timing, err error) {
	if e < 0 || e >= len(d.entries) {
		return t, fmt.Errorf("entry %d of a plan with %d", e, len(d.entries))
	}
	en := d.entries[e]
	if err := d.admit(en, n, d.Pos()); err != nil {
		return t, err
	}
	var nodes []node
	for i := range en.graph.nodes {
		if x := &en.graph.nodes[i]; x.kind == kernelNode && slices.Contains(launches, x.launch) {
			nodes = append(nodes, *x)
		}
	}
	if len(nodes) != len(launches) {
		return t, fmt.Errorf("entry %s has %d of these %d launches", en.name, len(nodes), len(launches))
	}
	d.setControl(n)
	before := func() error { return d.drv.write(d.ctl.device, d.ctl.host.bytes) }
	d.forgetIDs()
	err = d.measured(ctx, func() error {
		m, err := d.meter()
		if err == nil {
			t, err = m.time(ctx, chain(nodes, d.waits), 1, before)
		}
		return err
	})
	return t, err
}
