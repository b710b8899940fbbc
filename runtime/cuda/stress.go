package cuda

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"

	"dsac/runtime/plan"
)

//go:embed delay.ptx
var delayPTX []byte

const delayKernel = "dsac_delay"

// RunDelayed is RunContext with a millisecond of waiting put before one launch of the entry.
// In a plan that orders enough, that changes no result; where an edge is missing, the launches
// that should have waited run on old bytes. It makes a graph of its own each time.
func (d *Device) RunDelayed(ctx context.Context, e, n int, launch int32) error {
	if e < 0 || e >= len(d.entries) {
		return fmt.Errorf("entry %d of a plan with %d", e, len(d.entries))
	}
	at := slices.IndexFunc(d.entries[e].graph.nodes, func(n node) bool { return n.kind == kernelNode && n.launch == launch })
	if at < 0 {
		return fmt.Errorf("entry %s has no launch %d", d.entries[e].name, launch)
	}
	var x executable
	err := d.bound(func() (err error) {
		if err = d.loadDelay(); err == nil {
			x, err = d.drv.instantiate(d.delayed(d.entries[e].graph, int32(at)))
		}
		return err
	})
	if err != nil {
		return err
	}
	err = d.run(ctx, e, n, x)
	return errors.Join(err, d.bound(x.destroy))
}

func (d *Device) loadDelay() error {
	if d.delayLoaded {
		return nil
	}
	m, log, err := d.drv.load(delayPTX)
	if err != nil {
		return fmt.Errorf("the delay kernel: %w\n%s", err, log)
	}
	d.modules = append(d.modules, m)
	if d.delayFn, err = d.drv.function(m, delayKernel); err != nil {
		return err
	}
	d.delayLoaded = true
	return nil
}

// delayed returns g with a delay between a node and all that it waits for.
func (d *Device) delayed(g *graph, at int32) *graph {
	delay := int32(len(g.nodes))
	one := [3]uint32{1, 1, 1}
	out := &graph{append(slices.Clone(g.nodes), node{kind: kernelNode, launch: plan.None, fn: d.delayFn, grid: one, block: one}), nil}
	for _, e := range g.edges {
		if e.to == at {
			e.to, e.early = delay, false // the delay does not wait by itself
		}
		out.edges = append(out.edges, e)
	}
	out.edges = append(out.edges, edge{delay, at, false})
	sortEdges(out.edges)
	return out
}
